import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Queries } from '../shared/chain-database/chain-database.ts';
import { type AccessRole, loginsOf } from '../shared/chain-database/names.ts';

/**
 * Settings of the sessions of the Data API. To the planner no page has a price, so that a plan is as dear as the rows that it
 * looks at. It prices pages by how much an index and a table have the same order: in indexes of digests that is chance.
 */
const READER_SETTINGS = {
  default_transaction_read_only: 'on',
  /** Time that a read may take in the database. */
  statement_timeout: '8s',
  seq_page_cost: '0',
  random_page_cost: '0',
} as const;
/** Setting of a transaction that carries a verifier as a parameter: `ALTER ROLE` takes none. */
const VERIFIER_SETTING = 'gateway.verifier';

const ITERATIONS = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Passwords are made by Secrets Manager of printable ASCII, which SASLprep leaves as it is. */
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Name and password of a user, as its secret holds them. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The users that functions log in as. */
export type Credentials = Readonly<Record<AccessRole, Login>>;

/**
 * Makes the users of both roles where they are missing, and sets the passwords of those in use.
 * @throws Error for a user that is none of its role's
 */
export async function prepareRoles(queries: Queries, credentials: Credentials): Promise<void> {
  for (const role of ['writer', 'reader'] as const) {
    await createLogins(queries, role);
    await setPassword(queries, role, credentials[role]);
  }
}

/** Sets the password of one of a role's users. PostgreSQL is sent a verifier, never the password. */
export async function setPassword(
  queries: Queries,
  role: AccessRole,
  { username, password }: Login,
): Promise<void> {
  if (!loginsOf(role).includes(username)) throw new Error(`${username} is not a user of the ${role} role`);
  const verifier = scramVerifier(password);
  await queries.query(`SELECT set_config('${VERIFIER_SETTING}', :verifier, true) AS verifier`, { verifier });
  await queries.query(
    `DO $set$ BEGIN
       EXECUTE format('ALTER ROLE ${username} PASSWORD %L', current_setting('${VERIFIER_SETTING}'));
     END $set$`,
  );
}

/** Users that can log in, own nothing and create nothing. The second has the rights of the first. */
async function createLogins(queries: Queries, role: AccessRole): Promise<void> {
  const [first, second] = loginsOf(role);
  const { rows } = await queries.query(
    'SELECT rolname::text AS name FROM pg_roles WHERE rolname IN (:first::text, :second::text)',
    { first, second },
  );
  const known = rows.map(({ name }) => name);
  if (!known.includes(first)) await queries.query(`CREATE ROLE ${first} LOGIN`);
  if (!known.includes(second)) await queries.query(`CREATE ROLE ${second} LOGIN IN ROLE ${first}`);
  if (role === 'writer') return;
  // Settings are not inherited.
  for (const login of [first, second]) {
    for (const [name, value] of Object.entries(READER_SETTINGS))
      await queries.query(`ALTER ROLE ${login} SET ${name} = '${value}'`);
  }
}

/**
 * What PostgreSQL stores of a password (RFC 5802, SCRAM-SHA-256): enough to check one, not enough to log in with.
 * @throws TypeError for a password that is not printable ASCII
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  if (!PRINTABLE_ASCII.test(password)) throw new TypeError('a password must be printable ASCII');
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  const serverKey = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
