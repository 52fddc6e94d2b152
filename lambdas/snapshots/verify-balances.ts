import { callInBatches, contractBatches, contractCall } from '../indexer/fetch/call-in-batches.ts';
import { uintOf } from '../indexer/fetch/read-token-metadata.ts';
import type { RetryingClient } from '../indexer/fetch/retrying-client.ts';
import type { BatchOptions, NodeResponse } from '../indexer/fetch/send-batch.ts';
import type { ChainConnection } from '../shared/chain-database/chain-queries.ts';
import { runOnRows } from '../shared/chain-database/load-rows.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { callWord } from '../shared/jsonrpc/contract-call.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';

/** Balances that one step reads. */
const PAGE_HOLDINGS = 1_000;
/** `balanceOf(address)` */
const BALANCE_OF = '0x70a08231';
const READ_COLUMNS = { token: 'bytea', holder: 'bytea', amount: 'numeric' } as const;

export interface VerifyParts {
  readonly connection: ChainConnection;
  readonly node: RetryingClient;
}

/** A holder and its token. Both 0x-prefixed. */
interface Holding {
  readonly token: string;
  readonly holder: string;
  /** What its transfers add up to. */
  readonly ledger: string;
}

/**
 * Reads the next balances that changed from the chain, as of the snapshot's block. What the chain does not say is noted
 * as such: those balances stay what their transfers add up to, unverified.
 * @returns whether there may be more
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function verifyBalances(
  { connection, node }: VerifyParts,
  snapshot: HeldSnapshot,
  options: BatchOptions,
): Promise<boolean> {
  const { id, blockHash } = snapshot;
  const { rows } = await connection.query(
    sql`SELECT '0x' || encode(change.token, 'hex') AS token, '0x' || encode(change.holder, 'hex') AS holder,
            (coalesce(balance.amount, 0) + change.delta)::text AS ledger
     FROM {{schema}}.balance_changes AS change
     LEFT JOIN {{schema}}.balances AS balance ON balance.holder = change.holder AND balance.token = change.token
     WHERE change.snapshot_id = :id AND change.state = 'pending' ORDER BY change.token, change.holder
     LIMIT ${PAGE_HOLDINGS}`,
    { id },
  );
  if (rows.length === 0) return false;
  const holdings = rows.map(({ token, holder, ledger }) => ({
    token: String(token),
    holder: String(holder),
    ledger: String(ledger),
  }));
  const amounts = await readBalances(node, holdings, blockHash, options);
  const read = holdings.map(({ token, holder }, index) => [token, holder, amounts[index] ?? null]);
  await whileHeld(connection, snapshot, (chain) =>
    runOnRows(
      chain,
      { columns: READ_COLUMNS, rows: read, parameters: { id } },
      (said) => sql`UPDATE {{schema}}.balance_changes AS change
       SET read_amount = said.amount, state = CASE WHEN said.amount IS NULL THEN 'failed' ELSE 'read' END
       FROM (${said}) AS said
       WHERE change.snapshot_id = :id AND change.token = said.token AND change.holder = said.holder
         AND change.state = 'pending'`,
    ),
  );
  return true;
}

/**
 * Balances at a block, in the order of the holdings; null where the token or the node returns none, and where another node
 * contradicts one that its transfers do not add up to. The block is named by
 * its hash (EIP-1898): a node on another chain then returns an error, and never the balance at another block.
 * @throws {NodeError} where the node cannot be asked
 */
export async function readBalances(
  node: RetryingClient,
  holdings: readonly Holding[],
  blockHash: string,
  options: BatchOptions,
): Promise<(bigint | null)[]> {
  const calls = holdings.map(({ token, holder }) =>
    contractCall(token, BALANCE_OF + callWord(BigInt(holder)), { blockHash }),
  );
  const answers = await callInBatches(node, calls, contractBatches(), options);
  const amounts = answers.map(uintOf);
  const { confirm } = node;
  if (confirm === undefined) return amounts;
  const strange = amounts.flatMap((amount, place) =>
    amount === null || amount === BigInt(holdings[place]?.ledger ?? '0') ? [] : [place],
  );
  const at = <T>(all: readonly T[]) => strange.map((place) => all[place] as T);
  const words = await confirm(at(calls), at(answers), options);
  for (const [index, place] of strange.entries()) amounts[place] = uintOf(words[index] as NodeResponse);
  return amounts;
}
