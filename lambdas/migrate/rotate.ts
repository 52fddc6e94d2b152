import { randomBytes } from 'node:crypto';
import type { ChainDatabase } from '../shared/chain-database/chain-database.ts';
import { type AccessRole, loginsOf } from '../shared/chain-database/names.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { type Login, setPassword } from './login-roles.ts';
import { lock } from './migrate.ts';

/** Time for which the RDS Data API may use a secret that it has read, with time to spare, in milliseconds. */
const SECRET_MEMORY_MS = 5 * 60_000;
const PASSWORD_BYTES = 32;

/** The secret of a role. */
interface RoleSecret {
  /** Text of the secret, which is a JSON object. */
  read(): Promise<string>;
  write(text: string): Promise<void>;
}

interface RotateParts {
  readonly database: ChainDatabase;
  readonly secret: RoleSecret;
  readonly clock: Clock;
}

/** Two rotations of one role came too soon after one another. */
class RotatedRecentlyError extends Error {
  override readonly name = 'RotatedRecentlyError';
}

/**
 * Gives the other of a role's two users a new password, and the secret that user. A function that still has the secret from before
 * continues with the user from before, whose password stays. If it fails half-way, the secret is as it was.
 * @returns the user that the secret holds now
 * @throws {RotatedRecentlyError} while the other user may still be in use
 */
export async function rotate(role: AccessRole, { database, secret, clock }: RotateParts): Promise<string> {
  const current = JSON.parse(await secret.read()) as Partial<Login> & { readonly rotated_at?: string };
  const now = clock.now();
  const rotatedAt = Date.parse(current.rotated_at ?? '');
  if (now - rotatedAt < SECRET_MEMORY_MS)
    throw new RotatedRecentlyError(
      `the password of the ${role} role was changed at ${current.rotated_at}: wait five minutes`,
    );
  const [first, second] = loginsOf(role);
  const username = current.username === first ? second : first;
  const password = randomBytes(PASSWORD_BYTES).toString('hex');
  await database.transaction(async (queries) => {
    await lock(queries);
    await setPassword(queries, role, { username, password });
  });
  const rotated = { ...current, username, password, rotated_at: new Date(now).toISOString() };
  await secret.write(JSON.stringify(rotated));
  return username;
}
