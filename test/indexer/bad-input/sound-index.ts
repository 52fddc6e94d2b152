import type { PostgresLogin } from '../../../local/database/postgres.ts';
import { superuserSession } from '../../database/superuser.ts';

/** What must be true of an index at any time: each statement selects what contradicts it. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  'a covered block is not stored': `
    SELECT number FROM covered WHERE dataset = 'blocks' EXCEPT SELECT number FROM {schema}.blocks`,
  'a stored block is not covered': `
    SELECT number FROM {schema}.blocks EXCEPT SELECT number FROM covered WHERE dataset = 'blocks'`,
  'a dataset is covered where blocks are not': `
    SELECT number FROM covered EXCEPT SELECT number FROM covered WHERE dataset = 'blocks'`,
  'a block lacks transactions or has too many': `
    SELECT number FROM {schema}.blocks AS block
    WHERE tx_count <> (SELECT count(*) FROM {schema}.transactions WHERE block_number = block.number)`,
  'a block lacks logs or has too many': `
    SELECT number FROM {schema}.blocks AS block
    WHERE log_count <> (SELECT count(*) FROM {schema}.logs WHERE block_number = block.number)`,
  'a block does not follow the one below': `
    SELECT block.number FROM {schema}.blocks AS block JOIN {schema}.blocks AS below ON below.number = block.number - 1
    WHERE below.hash <> block.parent_hash`,
  'a transaction cannot be found by its hash': `
    SELECT stored.block_number FROM {schema}.transactions AS stored
    LEFT JOIN LATERAL {schema}.find_transactions(ARRAY[stored.hash], 9223372036854775807) AS found ON true
    WHERE found.block_number IS DISTINCT FROM stored.block_number OR found.tx_index IS DISTINCT FROM stored.tx_index`,
  'a block is both traced and a gap, or neither': `
    SELECT number FROM {schema}.blocks AS block
    WHERE EXISTS (SELECT FROM {schema}._trace_gaps WHERE number BETWEEN from_block AND to_block)
        = EXISTS (SELECT FROM covered WHERE dataset = 'traces' AND covered.number = block.number)`,
  'the cursor is not at the last block': `
    SELECT block_number FROM {schema}.cursors WHERE name = 'indexed' AND block_number >= 0
      AND EXISTS (SELECT FROM {schema}.blocks)
      AND (block_number, block_hash) NOT IN (SELECT number, hash FROM {schema}.blocks ORDER BY number DESC LIMIT 1)`,
};

/** What an index contradicts itself in; nothing, if it is sound. It is read by itself, at one moment. */
export async function contradictionsOf(login: PostgresLogin, schema: string): Promise<string[]> {
  const session = await superuserSession(login);
  const statements = Object.entries(CONTRADICTIONS).map(
    ([name, sql]) => `SELECT '${name}: ' || number AS found FROM (${sql}) AS contradiction (number)`,
  );
  const { rows } = await session.query<{ found: string }>({
    name: `contradictions ${schema}`,
    text: `WITH covered AS MATERIALIZED (
       SELECT dataset, generate_series(lower(part), upper(part) - 1) AS number
       FROM {schema}.coverage, unnest(covered) AS part
     ) ${statements.join(' UNION ALL ')} LIMIT 20`.replaceAll('{schema}', `"${schema}"`),
  });
  return rows.map(({ found }) => found);
}
