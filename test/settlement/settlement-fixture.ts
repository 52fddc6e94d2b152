import { randomBytes } from 'node:crypto';
import {
  accountShard,
  entryOf,
  hourLane,
  laneUpdate,
  markUnsettled,
  newMark,
  slotOf,
} from '../../lambdas/access/charge/lane.ts';
import { decodeUsage, encodeUsage } from '../../lambdas/access/charge/usage-text.ts';
import type { MethodUsage } from '../../lambdas/access/contract/metering.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { type MarkedHour, settleAccount } from '../../lambdas/settlement/settle-account.ts';
import type { SettlementRecord } from '../../lambdas/settlement/settlement-ledger.ts';
import type { SettlementScope } from '../../lambdas/settlement/settlement-step.ts';
import { type Clock, hourOf } from '../../lambdas/shared/runtime/clock.ts';
import type { Telemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import { UNKEPT } from '../support/kept-leaves.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type AccountOutcome = Awaited<ReturnType<typeof settleAccount>>;

/** Compute units that {@link openAccount} grants. */
export const OPENING_CU = 1_000_000;
const CALL = { chain: 'example_mainnet', method: 'eth_blockNumber', cached: 0, errors: 0 };

/** A clock that a test sets. */
export interface SetClock extends Clock {
  time: number;
}

/** A clock that stands at a time such as `2026-11-20T10:15:00Z`. */
export function clockAt(time: string): SetClock {
  const clock = { time: Date.parse(time), now: () => clock.time };
  return clock;
}

/** Creates an account with an opening credit, long before its first charge unless a time is named. */
export async function openAccount(
  store: Store,
  account: string,
  { at = '2026-11-01T00:00:00Z', shards = 1 } = {},
): Promise<void> {
  const credit = { cu: OPENING_CU, reference: 'opening' };
  await createAccount(store, clockAt(at), { account, plan: 'standard', shards, credit });
}

/** A charge as a test makes it. */
export interface Charged {
  /** One process life. @default 'lane-1' */
  readonly lane?: string;
  /** @default 0 */
  readonly shard?: number;
  /** @default as many calls of `eth_blockNumber` on `example_mainnet` as compute units */
  readonly usage?: readonly MethodUsage[];
  /** Mark that the hour gets. @default a new one, of the time of the charge */
  readonly mark?: string;
}

/** Charges an account at a time such as `2026-11-20T09:10:00Z`: marks the hour, and lets the lane rise. */
export async function chargeAt(
  store: Store,
  account: string,
  time: string,
  cu: number,
  {
    lane = 'lane-1',
    shard = 0,
    usage = [{ ...CALL, calls: cu, cu }],
    mark = newMark(Date.parse(time), randomBytes),
  }: Charged = {},
): Promise<void> {
  const hour = hourOf(Date.parse(time));
  const key = { account_shard: accountShard(account, shard), hour_lane: hourLane(hour, lane) };
  const stored = await store.get('lanes', key);
  const total = BigInt(stored?.total ?? 0) + BigInt(cu);
  const used = encodeUsage([...(decodeUsage(String(stored?.used ?? '')) ?? []), ...usage]);
  await markUnsettled(store, { account, shard, hour }, mark);
  const charges = Number(stored?.n ?? 0) + 1;
  await store.update(laneUpdate({ account, shard, hour, lane, charges, total, used }));
}

/** The marks of some hours of an account, as the work list has them. */
export async function marksOf(
  store: Store,
  account: string,
  hours: readonly string[],
  shard = 0,
): Promise<MarkedHour[]> {
  const marks: MarkedHour[] = [];
  for (const hour of hours) {
    const place = { account, shard, hour };
    const item = await store.get('unsettled', { slot: slotOf(place), entry: entryOf(place) });
    if (item !== undefined) marks.push({ ...place, mark: String(item.mark) });
  }
  return marks;
}

/** Books over a store, without kept leaves, that do not pause. */
export function booksOn(store: Store, clock: Clock, telemetry: Telemetry = new RecordedTelemetry()) {
  return { store, clock, pause: async () => {}, telemetry, ...UNKEPT };
}

/** Settles an account as a run does that found these hours of it on the work list. */
export async function settleMarked(
  store: Store,
  clock: Clock,
  account: string,
  hours: readonly string[] = [],
  scope: SettlementScope = {},
  telemetry?: Telemetry,
): Promise<SettlementRecord[]> {
  const books = booksOn(store, clock, telemetry);
  return settledRecords(settleAccount(books, account, await marksOf(store, account, hours), { scope }));
}

/** The records of a settlement in which nothing failed. */
export async function settledRecords(settlement: Promise<AccountOutcome>): Promise<SettlementRecord[]> {
  const { records, failure } = await settlement;
  if (failure !== undefined) throw failure;
  return [...records];
}

/** Says `true` after so many questions. */
export function trueAfter(questions: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > questions;
  };
}
