import pg from 'pg';
import { FINALITY_BLOCKS } from '../../../lambdas/shared/runtime/finality.ts';
import type { RunningGateway } from '../../end-to-end/running-gateway.ts';
import { untilTrue } from '../until-true.ts';

/** Below the time that a test file waits for a gateway that is made once. */
const COMPLETE_WITHIN_MS = 200_000;
const POLL_MS = 250;
const derived = (schema: string) => `SELECT count(*) = 3 AND min(block_number) = max(block_number) AS complete
  FROM ${schema}.cursors WHERE name IN ('indexed', 'node', 'rollups')`;
/** What a derived index comes to by itself: what tokens and items say, prices by their decimals, and balances. */
const described = (
  schema: string,
) => `SELECT NOT EXISTS (SELECT FROM ${schema}.tokens WHERE metadata_status = 'pending')
  AND NOT EXISTS (SELECT FROM ${schema}.nft_items WHERE uri_attempts IS NOT NULL)
  AND NOT EXISTS (SELECT FROM ${schema}.price_scales AS scale JOIN ${schema}.tokens AS token ON token.address = scale.token
    WHERE token.decimals >= 0 AND token.decimals <> scale.decimals)
  AND EXISTS (SELECT FROM ${schema}.balance_snapshots AS taken JOIN ${schema}.cursors ON name = 'indexed'
    WHERE completed_at IS NOT NULL AND taken.block_number = cursors.block_number - ${FINALITY_BLOCKS}) AS complete`;

/**
 * Waits until a gateway that has just started has indexed all of a chain, and derived and read what it says. Until all blocks are
 * there no snapshot of balances begins: it would be of whatever block was final at that moment.
 * @throws Error with what the gateway logged if that takes too long
 */
export async function untilComplete(
  { endpoints, logs }: Pick<RunningGateway, 'endpoints' | 'logs'>,
  chain = 'example_mainnet',
): Promise<void> {
  const database = new pg.Client({ connectionString: endpoints.database });
  await database.connect();
  const until = (condition: string) =>
    untilTrue(
      async () => (await database.query<{ complete: boolean }>(condition)).rows[0]?.complete === true,
      {
        withinMs: COMPLETE_WITHIN_MS,
        everyMs: POLL_MS,
        failure: () => `${chain} is not complete:\n${logs()}`,
      },
    );
  try {
    await database.query(`BEGIN; LOCK TABLE ${chain}.balance_snapshots IN SHARE ROW EXCLUSIVE MODE`);
    await until(derived(chain));
    await database.query('COMMIT');
    await until(described(chain));
  } finally {
    await database.end();
  }
}
