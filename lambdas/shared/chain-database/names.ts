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
