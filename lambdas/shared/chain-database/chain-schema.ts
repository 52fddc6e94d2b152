import { GATEWAY_SCHEMA } from './names.ts';

declare const isChainSchema: unique symbol;

/**
 * The quoted identifier of a chain's schema, ready to stand in a statement. Only `chainSchema` makes one, so that no name
 * gets into SQL that has not been checked.
 */
export type ChainSchema = string & { readonly [isChainSchema]: true };

/** What chain names may look like; it fits an identifier of PostgreSQL, which holds at most 63 bytes. */
const CHAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
/** Those of PostgreSQL, of the gateway, and of the extension that imports files, which a rebuilt chain would drop. */
const TAKEN_SCHEMAS: ReadonlySet<string> = new Set([
  GATEWAY_SCHEMA,
  'aws_commons',
  'aws_s3',
  'information_schema',
  'public',
]);

/** Whether a chain's schema can have the chain's name. */
export function isSchemaName(chain: string): boolean {
  return CHAIN_NAME.test(chain) && !chain.startsWith('pg_') && !TAKEN_SCHEMAS.has(chain);
}

/**
 * The schema of a chain.
 * @throws Error for a name that no schema can have
 */
export function chainSchema(chain: string): ChainSchema {
  if (!isSchemaName(chain)) throw new Error(`"${chain}" is not a valid schema name`);
  return `"${chain}"` as ChainSchema;
}
