/** Schema of data that belongs to no chain: the record of applied migrations. */
export const GATEWAY_SCHEMA = 'gateway';

/** Roles of the chain database with the rights of functions. */
export const WRITER_ROLE = 'gateway_writer';
export const READER_ROLE = 'gateway_reader';

/** A function's right to the chain database: it writes, or it only reads. */
export type AccessRole = 'writer' | 'reader';
const ROLES: Readonly<Record<AccessRole, string>> = { writer: WRITER_ROLE, reader: READER_ROLE };

/**
 * The two users that functions log in as by turns, so that a new password never is that of the user in use: the role
 * itself, and a member of it.
 */
export function loginsOf(role: AccessRole): readonly [string, string] {
  return [ROLES[role], `${ROLES[role]}_b`];
}

/** What chain names may look like; it fits an identifier of PostgreSQL, which holds at most 63 bytes. */
const CHAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const TAKEN_SCHEMAS: ReadonlySet<string> = new Set([GATEWAY_SCHEMA, 'information_schema', 'public']);

/** Whether a chain's schema can have the chain's name. */
export function isSchemaName(chain: string): boolean {
  return CHAIN_NAME.test(chain) && !chain.startsWith('pg_') && !TAKEN_SCHEMAS.has(chain);
}

/**
 * The quoted identifier of a chain's schema.
 * @throws Error for a name that is none
 */
export function schemaIdentifier(chain: string): string {
  if (!isSchemaName(chain)) throw new Error(`"${chain}" is no name of a schema`);
  return `"${chain}"`;
}
