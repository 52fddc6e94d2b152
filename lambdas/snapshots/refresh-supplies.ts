import { decodeUint } from '../chain-data/decode/decode-metadata.ts';
import { readData, ShapeError } from '../indexer/blocks/json-shape.ts';
import { BatchSize, callInBatches } from '../indexer/fetch/call-in-batches.ts';
import type { BatchOptions, NodeCall, NodeResponse } from '../indexer/fetch/send-batch.ts';
import type { DatabaseRow } from '../shared/chain-database/decode-row.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { CALL_GAS } from '../shared/jsonrpc/contract-call.ts';
import { log } from '../shared/runtime/log.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';
import type { VerifyParts } from './verify-balances.ts';

/** Tokens that one step reads. */
const PAGE_TOKENS = 500;
/** `totalSupply()` and `oraclePaused()`. */
const TOTAL_SUPPLY = '0x18160ddd';
const ORACLE_PAUSED = '0x7706ba52';
const START_BATCH_CALLS = 50;
const MAX_BATCH_CALLS = 400;
const FIRST_ADDRESS = '';

/** A token whose supply is read. */
interface ReadToken {
  /** Hex digits. */
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
    sql`SELECT encode(token.address, 'hex') AS address, stock.token IS NOT NULL AS is_stock,
            token.total_supply IS NOT NULL AS was_known
     FROM {{schema}}.tokens AS token LEFT JOIN {{schema}}.stock_tokens AS stock ON stock.token = token.address
     WHERE token.address > decode(:after, 'hex') AND token.supply_snapshot < :id AND token.first_seen_block <= :block
       AND (token.standard = 20 OR token.total_supply IS NOT NULL)
       AND (token.supply_block IS NULL OR token.updated_block > token.supply_block
            OR token.balance_model <> 'standard' OR stock.token IS NOT NULL)
     ORDER BY token.address LIMIT ${PAGE_TOKENS}`,
    { after, id, block },
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
  const call = ({ address }: ReadToken, data: string): NodeCall => ({
    method: 'eth_call',
    params: [{ to: `0x${address}`, data, gas: CALL_GAS }, { blockHash }],
  });
  const stocks = tokens.filter(({ isStock }) => isStock);
  const calls = [
    ...tokens.map((token) => call(token, TOTAL_SUPPLY)),
    ...stocks.map((token) => call(token, ORACLE_PAUSED)),
  ];
  const size = new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS);
  const responses = (await callInBatches(node, calls, size, options)).map(uintOf);
  const supplies = responses.slice(0, tokens.length);
  await whileHeld(connection, snapshot, async (chain) => {
    await chain.query(
      sql`WITH said AS (
         SELECT decode(address, 'hex') AS address, supply
         FROM unnest(:addresses::text::text[], :supplies::text::numeric[]) AS said (address, supply)
       ), locked AS (
         SELECT address FROM {{schema}}.tokens WHERE address IN (SELECT address FROM said) ORDER BY address FOR UPDATE
       )
       UPDATE {{schema}}.tokens AS token
       SET supply_snapshot = :id, total_supply = coalesce(said.supply, token.total_supply),
           supply_block = CASE WHEN said.supply IS NULL THEN token.supply_block ELSE :block END
       FROM said JOIN locked ON locked.address = said.address WHERE token.address = said.address`,
      {
        id,
        block,
        addresses: `{${tokens.map(({ address }) => address).join(',')}}`,
        supplies: `{${supplies.map((supply) => supply ?? 'NULL').join(',')}}`,
      },
    );
    await chain.query(
      sql`UPDATE {{schema}}.stock_tokens AS stock SET oracle_paused = said.paused
       FROM unnest(:addresses::text::text[], :paused::text::boolean[]) AS said (address, paused)
       WHERE stock.token = decode(said.address, 'hex') AND stock.oracle_paused IS DISTINCT FROM said.paused
         AND said.paused IS NOT NULL`,
      {
        addresses: `{${stocks.map(({ address }) => address).join(',')}}`,
        paused: `{${responses
          .slice(tokens.length)
          .map((paused) => (paused === null ? 'NULL' : paused !== 0n))
          .join(',')}}`,
      },
    );
  });
  return tokens.filter(({ wasKnown }, index) => wasKnown && supplies[index] === null).length;
}

function uintOf(response: NodeResponse): bigint | null {
  if ('error' in response) return null;
  try {
    return decodeUint(readData(response.result, 'returned'));
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}
