import { log } from '../log.ts';
import type { MigrateDependencies } from './handler.ts';

/** What an operator calls the function with, by `aws lambda invoke`; `{}` migrates, and sets the passwords anew. */
export interface MigrateCommand {
  /** Chain whose indexed data is dropped before. */
  readonly rebuild?: string;
}

export interface CommandDependencies extends Pick<MigrateDependencies, 'migrate'> {
  /** Chains of the stage. */
  readonly chains: readonly string[];
  /** Drops all that is indexed of a chain. */
  forget(chain: string): Promise<void>;
}

/** What was done: migrations as `chain/name`. */
export interface MigrateCommandAnswer {
  readonly applied: readonly string[];
}

/**
 * Carries out what an operator asks for.
 * @throws Error for a member that is not known, and for a chain that the stage does not have
 */
export async function handleCommand(
  { rebuild, ...others }: MigrateCommand,
  { chains, migrate, forget }: CommandDependencies,
): Promise<MigrateCommandAnswer> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`unknown member: ${unknown}`);
  if (rebuild !== undefined) {
    if (!chains.includes(rebuild)) throw new Error(`the stage has no chain ${rebuild}`);
    await forget(rebuild);
    log('warn', 'chain_forgotten', { chain: rebuild });
  }
  const applied = await migrate(chains);
  log('info', 'migrated', { count: applied.length });
  return { applied };
}
