/** Schema with what belongs to no chain: the record of applied migrations. */
export const GATEWAY_SCHEMA = 'gateway';

/** Roles of the chain database that functions log in as. */
export const WRITER_ROLE = 'gateway_writer';
export const READER_ROLE = 'gateway_reader';

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
