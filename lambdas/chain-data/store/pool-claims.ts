import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexList } from '../../shared/chain-database/hex.ts';
import { sql, sqlName } from '../../shared/chain-database/sql.ts';
import type { Hex } from '../decode/raw-block.ts';
import type { KnownPool } from '../decode/resolve-pools.ts';
import type { PoolRow } from '../decode/rows.ts';
import { lockCoverage, uncoverTrades } from './coverage.ts';
import { OvertakenError } from './cursor.ts';
import { findPools } from './pools.ts';
import { lockIfThere } from './rollup-cursor.ts';

/** What a contract says of a pool. Any contract can say so of any pool: the factory is who has said it. */
type Claim = Pick<PoolRow, 'pool_id' | 'protocol' | 'factory' | 'created_block' | 'created_log_index'>;

/**
 * Decides which claims of blocks make pools. A claim of a factory that the stage file lists beats any other; of equals,
 * the earlier one of the chain counts. A stored pool that is beaten is forgotten with all of its events: those of the
 * pool as it is now are read again from the node.
 * @returns the claims that are to be stored
 */
export async function settleClaims(chain: ChainQueries, claims: readonly PoolRow[]): Promise<PoolRow[]> {
  const ids = [...new Set(claims.map(({ pool_id }) => pool_id))];
  if (ids.length === 0) return [];
  if (ids.length === claims.length && (await findPools(chain, ids)).size === 0) return [...claims];
  // Claims of one pool are settled one after the other, and none while the list of factories changes.
  await lockIfThere(chain);
  await lockCoverage(chain);
  const isListed = await readListed(chain);
  const stored = await findPools(chain, ids);
  const best = new Map<Hex, PoolRow>();
  for (const claim of claims) {
    const rival = best.get(claim.pool_id) ?? stored.get(claim.pool_id);
    if (rival === undefined || beats(claim, rival, isListed)) best.set(claim.pool_id, claim);
  }
  const winners = [...best.values()];
  await forgetPools(
    chain,
    winners.filter(({ pool_id }) => stored.has(pool_id)),
  );
  return winners;
}

/**
 * Forgets what is stored of pools that other claims take over, with the trades and the candles that were made of these.
 * Their events above the new claims are then missing in the history, which is completed from the node. To be done in a
 * transaction that holds the cursor of what is derived, and {@link lockCoverage}.
 */
export async function forgetPools(
  chain: ChainQueries,
  claims: readonly Pick<Claim, 'pool_id' | 'created_block'>[],
): Promise<void> {
  if (claims.length === 0) return;
  const ids = hexList(claims.map(({ pool_id }) => pool_id));
  const named = sql`IN (SELECT decode(id, 'hex') FROM unnest(:ids::text::text[]) AS named (id))`;
  for (const table of ['dex_swaps', 'dex_liquidity_events', 'dex_pools'])
    await chain.query(sql`DELETE FROM {{schema}}.${sqlName(table)} WHERE pool_id ${named}`, { ids });
  await chain.query(sql`DELETE FROM {{schema}}.candles WHERE subject_kind = 'pool' AND subject ${named}`, {
    ids,
  });
  await uncoverTrades(chain, Math.min(...claims.map(({ created_block }) => created_block)));
}

/**
 * Makes sure that pools are still those whose tokens the stored events got. To be asked last, in a transaction
 * that then holds {@link lockCoverage}.
 * @throws {OvertakenError} if another claim has taken one over
 */
export async function requireSettled(chain: ChainQueries, used: ReadonlyMap<Hex, KnownPool>): Promise<void> {
  if (used.size === 0) return;
  await lockCoverage(chain);
  const stored = await findPools(chain, [...used.keys()]);
  for (const [id, { protocol, factory }] of used) {
    const pool = stored.get(id);
    if (pool?.protocol !== protocol || pool.factory !== factory)
      throw new OvertakenError(`pool ${id} is another one now`);
  }
}

function beats(claim: Claim, rival: Claim, isListed: (claim: Claim) => boolean): boolean {
  const rank = Number(isListed(claim)) - Number(isListed(rival));
  if (rank !== 0) return rank > 0;
  const blocks = claim.created_block - rival.created_block;
  return blocks === 0 ? claim.created_log_index < rival.created_log_index : blocks < 0;
}

async function readListed(chain: ChainQueries): Promise<(claim: Claim) => boolean> {
  const { rows } = await chain.query(
    sql`SELECT protocol || ' 0x' || encode(factory, 'hex') AS listed FROM {{schema}}.dex_factories`,
  );
  const listed = new Set(rows.map((row) => row.listed));
  return ({ protocol, factory }) => listed.has(`${protocol} ${factory}`);
}
