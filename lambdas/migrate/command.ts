import type { AccessRole } from '../shared/chain-database/names.ts';
import type { MigrateDependencies } from './handler.ts';

/** What an operator calls the function with, by `aws lambda invoke`; `{}` migrates, and sets the passwords of the secrets. */
export interface MigrateCommand {
  /** Chain whose indexed data is dropped before. */
  readonly rebuild?: string;
  /** Chain that the stage no longer has and whose indexed data is dropped; nothing is migrated. */
  readonly drop?: string;
  /** Chain whose halted index is to go on; nothing is migrated. */
  readonly resume?: string;
  /** Role whose secret gets a new password; nothing is migrated. */
  readonly rotate?: AccessRole;
}

interface CommandDependencies extends Pick<MigrateDependencies, 'migrate' | 'log'> {
  /** Chains of the stage. */
  readonly chains: readonly string[];
  /** Drops all that is indexed of a chain that was migrated once; false if there is none. */
  drop(chain: string): Promise<boolean>;
  /** Lets the index of a chain go on; false if it is not halted. */
  resume(chain: string): Promise<boolean>;
  /** Changes the password of a role and names the user that is in use now. */
  rotate(role: AccessRole): Promise<string>;
}

/** What was done: migrations as `chain/name`, the chain whose index continues or was dropped, the user with a new password. */
export interface MigrateCommandResponse {
  readonly applied: readonly string[];
  readonly resumed?: string;
  readonly dropped?: string;
  readonly rotated?: string;
}

const ROLES: readonly unknown[] = ['writer', 'reader'] satisfies readonly AccessRole[];

/**
 * Carries out what an operator asks for.
 * @throws Error for a member that is not known, for a chain that the stage does not have, or has and is to drop, for an index that is to go on
 * and is not halted, and for a password that was changed just now
 */
export async function handleCommand(
  { rebuild, drop, resume, rotate, ...others }: MigrateCommand,
  dependencies: CommandDependencies,
): Promise<MigrateCommandResponse> {
  const { chains, migrate, log } = dependencies;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`unknown member: ${unknown}`);
  const named = [rebuild, resume].filter((chain) => chain !== undefined);
  if ([...named, drop, rotate].filter((one) => one !== undefined).length > 1)
    throw new Error('give only one of rebuild, drop, resume and rotate');
  if (rotate !== undefined) return rotatePassword(rotate, dependencies);
  if (drop !== undefined) return dropIndex(drop, dependencies);
  const strange = named.find((chain) => !chains.includes(chain));
  if (strange !== undefined) throw new Error(`unknown chain ${strange}`);
  if (resume !== undefined) return resumeIndex(resume, dependencies);
  if (rebuild !== undefined) {
    await dependencies.drop(rebuild);
    log('warn', 'chain_forgotten', { chain: rebuild });
  }
  const applied = await migrate(chains);
  log('info', 'migrated', { count: applied.length });
  return { applied };
}

async function dropIndex(
  chain: string,
  { chains, drop, log }: CommandDependencies,
): Promise<MigrateCommandResponse> {
  if (chains.includes(chain)) throw new Error(`the stage has the chain ${chain}: take it out first`);
  if (!(await drop(chain))) throw new Error(`nothing is indexed of ${chain}`);
  log('warn', 'chain_dropped', { chain });
  return { applied: [], dropped: chain };
}

async function resumeIndex(
  chain: string,
  { resume, log }: CommandDependencies,
): Promise<MigrateCommandResponse> {
  if (!(await resume(chain))) throw new Error(`the index of ${chain} is not halted`);
  log('warn', 'index_resumed', { chain });
  return { applied: [], resumed: chain };
}

async function rotatePassword(
  role: AccessRole,
  { rotate, log }: CommandDependencies,
): Promise<MigrateCommandResponse> {
  if (!ROLES.includes(role)) throw new Error(`unknown role ${role}: use writer or reader`);
  const rotated = await rotate(role);
  log('warn', 'password_rotated', { reason: rotated });
  return { applied: [], rotated };
}
