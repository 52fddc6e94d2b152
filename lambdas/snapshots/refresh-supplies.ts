import { callInBatches, contractBatches, contractCall } from '../indexer/fetch/call-in-batches.ts';
import { uintOf } from '../indexer/fetch/read-token-metadata.ts';
import type { BatchOptions } from '../indexer/fetch/send-batch.ts';
import type { DatabaseRow } from '../shared/chain-database/decode-row.ts';
import { hexDigits } from '../shared/chain-database/hex.ts';
import { runOnRows } from '../shared/chain-database/load-rows.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { log } from '../shared/runtime/log.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';
import type { VerifyParts } from './verify-balances.ts';

/** Tokens that one step reads. */
const PAGE_TOKENS = 500;
/** `totalSupply()` and `oraclePaused()`. */
const TOTAL_SUPPLY = '0x18160ddd';
const ORACLE_PAUSED = '0x7706ba52';
const FIRST_ADDRESS = '0x';
const SUPPLY_COLUMNS = { address: 'bytea', supply: 'numeric' } as const;
const PAUSE_COLUMNS = { address: 'bytea', paused: 'boolean' } as const;

/** A token whose supply is read. */
interface ReadToken {
  readonly address: string;
  readonly isStock: boolean;
  readonly wasKnown: boolean;
}

/**
 * Reads the supplies of tokens as of the snapshot's block, and whether the oracles of stocks are paused: of all that have
 * moved since theirs was read, that do not follow their transfers, or that are stocks. What the chain does not say stays
 * as it was, and keeps the block that it is of.
 * @param inTime asked before each step
 * @returns whether all are read
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function refreshSupplies(
  parts: VerifyParts,
  snapshot: HeldSnapshot,
  options: BatchOptions,
  inTime: () => boolean,
): Promise<boolean> {
  let after = FIRST_ADDRESS;
  let unreadable = 0;
  while (inTime()) {
    const tokens = await tokensToRead(parts, snapshot, after);
    if (tokens.length > 0) unreadable += await refresh(parts, snapshot, tokens, options);
    after = tokens.at(-1)?.address ?? after;
    if (tokens.length === PAGE_TOKENS) continue;
    if (unreadable > 0)
      log('warn', 'supplies_unreadable', { chain: parts.connection.name, count: unreadable });
    return true;
  }
  return false;
}

async function tokensToRead(
  { connection }: VerifyParts,
  { id, block }: HeldSnapshot,
  after: string,
): Promise<ReadToken[]> {
  const { rows } = await connection.query(
    sql`SELECT '0x' || encode(token.address, 'hex') AS address, stock.token IS NOT NULL AS is_stock,
            token.total_supply IS NOT NULL AS was_known
     FROM {{schema}}.tokens AS token LEFT JOIN {{schema}}.stock_tokens AS stock ON stock.token = token.address
     WHERE token.address > decode(:after, 'hex') AND token.supply_snapshot < :id AND token.first_seen_block <= :block
       AND (token.standard = 20 OR token.total_supply IS NOT NULL)
       AND (token.supply_block IS NULL OR token.updated_block > token.supply_block
            OR token.balance_model <> 'standard' OR stock.token IS NOT NULL)
     ORDER BY token.address LIMIT ${PAGE_TOKENS}`,
    { after: hexDigits(after), id, block },
  );
  return rows.map(toToken);
}

function toToken({ address, is_stock, was_known }: DatabaseRow): ReadToken {
  return { address: String(address), isStock: is_stock === true, wasKnown: was_known === true };
}

/** @returns how many supplies that were known could not be read */
async function refresh(
  { connection, node }: VerifyParts,
  snapshot: HeldSnapshot,
  tokens: readonly ReadToken[],
  options: BatchOptions,
): Promise<number> {
  const { id, block, blockHash } = snapshot;
  const stocks = tokens.filter(({ isStock }) => isStock);
  const call = (data: string) => (token: ReadToken) => contractCall(token.address, data, { blockHash });
  const calls = [...tokens.map(call(TOTAL_SUPPLY)), ...stocks.map(call(ORACLE_PAUSED))];
  const said = (await callInBatches(node, calls, contractBatches(), options)).map(uintOf);
  const supplies = tokens.map(({ address }, index) => [address, said[index] ?? null]);
  const pauses = stocks.flatMap(({ address }, index) => {
    const paused = said[tokens.length + index] ?? null;
    return paused === null ? [] : [[address, paused !== 0n]];
  });
  await whileHeld(connection, snapshot, async (chain) => {
    await runOnRows(
      chain,
      { columns: SUPPLY_COLUMNS, rows: supplies, parameters: { id, block } },
      (rows) => sql`WITH said AS (${rows}), locked AS (
         SELECT address FROM {{schema}}.tokens WHERE address IN (SELECT address FROM said) ORDER BY address FOR UPDATE
       )
       UPDATE {{schema}}.tokens AS token
       SET supply_snapshot = :id, total_supply = coalesce(said.supply, token.total_supply),
           supply_block = CASE WHEN said.supply IS NULL THEN token.supply_block ELSE :block END
       FROM said JOIN locked ON locked.address = said.address WHERE token.address = said.address`,
    );
    await runOnRows(
      chain,
      { columns: PAUSE_COLUMNS, rows: pauses },
      (
        rows,
      ) => sql`UPDATE {{schema}}.stock_tokens AS stock SET oracle_paused = said.paused FROM (${rows}) AS said
       WHERE stock.token = said.address AND stock.oracle_paused IS DISTINCT FROM said.paused`,
    );
  });
  return tokens.filter(({ wasKnown }, index) => wasKnown && said[index] === null).length;
}
