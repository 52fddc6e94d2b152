import { type AccountCharge, unattributed } from './account-charge.ts';
import type { MethodUsage } from './metering.ts';
import type { Action, Store, TransactionResult, Update } from './store.ts';
import { lineKey, USAGE_PROGRESS } from './usage-line.ts';
import { addUsage } from './usage-text.ts';

/** Most lines that one transaction changes; what one charge alone pays for always fits. */
export const MAX_LINES_PER_TRANSACTION = 90;
/** Refusals, each because another consumer moved the progress, before an account is left. */
const MAX_REFUSALS = 8;
/** Position of the progress in a transaction. */
const PROGRESS_ACTION = 0;

/** Charges that one transaction counts, and what it does. */
export interface FoldStep {
  readonly actions: readonly [Action, ...Action[]];
  /** `charged` of the account up to which all is counted, before and after. */
  readonly from: bigint;
  readonly to: bigint;
  /** Compute units whose charges were never seen. */
  readonly missedCu: bigint;
}

/**
 * Plans the next transaction over charges of one account, oldest first; undefined if all of them are counted.
 *
 *   charged of the account   0 ──────── from ──── charge ──── charge ──── to ─────>
 *   progress                 counted ────┘ as expected, or there is none    └ set
 *
 * Invariant: the compute units of an account's usage lines add up to `charged_to - charged_from` of its progress.
 * Lines and progress move in one transaction, and only from the `charged_to` that the plan was made for: a charge
 * that is delivered again, late or to two consumers at once lies below it and is left out. Compute units between the
 * progress and the next charge are those of charges that never came; they are counted without chain and method.
 *
 * @param counted `charged_to` of the progress; undefined if it is not known, or there is none
 */
function planFold(
  account: string,
  charges: readonly AccountCharge[],
  counted: bigint | undefined,
): FoldStep | undefined {
  const ordered = charges.toSorted((one, other) => (one.to < other.to ? -1 : 1));
  const from = counted ?? ordered[0]?.from ?? 0n;
  let to = from;
  let missedCu = 0n;
  let lines: ReadonlyMap<string, MethodUsage> = new Map();
  for (const charge of ordered) {
    if (charge.to <= to) continue;
    const missed = charge.from - to;
    const usage = missed === 0n ? charge.usage : [unattributed(missed), ...charge.usage];
    const withCharge = addToLines(lines, charge.hour, usage);
    if (to > from && withCharge.size > MAX_LINES_PER_TRANSACTION) break;
    lines = withCharge;
    missedCu += missed;
    to = charge.to;
  }
  if (to === from) return undefined;
  const updates = [...lines].map(([line, sums]) => ({ update: lineUpdate(account, line, sums) }));
  return { actions: [{ update: progressUpdate(account, from, to) }, ...updates], from, to, missedCu };
}

/**
 * Counts charges of one account, each once, however often and in whatever order they are delivered. Returns the
 * compute units whose charges were never seen. Rejects with `StoreUnavailableError`, or with an Error if the progress
 * moved at every attempt; counting the same charges again is then safe.
 */
export async function foldUsage(
  store: Store,
  account: string,
  charges: readonly AccountCharge[],
): Promise<bigint> {
  let missedCu = 0n;
  let refusals = 0;
  let step = planFold(account, charges, undefined);
  while (step !== undefined) {
    const result = await store.transact(step.actions);
    if (result.applied) missedCu += step.missedCu;
    else refusals += 1;
    if (refusals > MAX_REFUSALS) throw new Error(`usage of account ${account} moved at every attempt`);
    step = planFold(account, charges, result.applied ? step.to : countedBy(result));
  }
  return missedCu;
}

/** A refusal carries the progress as it is. */
function countedBy(result: Extract<TransactionResult, { applied: false }>): bigint {
  const counted = result.refused[PROGRESS_ACTION]?.item?.charged_to;
  if (typeof counted !== 'bigint') throw new Error('the store refused to count usage without saying why');
  return counted;
}

function addToLines(
  lines: ReadonlyMap<string, MethodUsage>,
  hour: string,
  usage: readonly MethodUsage[],
): Map<string, MethodUsage> {
  const sums = new Map(lines);
  for (const line of usage) {
    const key = lineKey(hour, line);
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? line : addUsage(sum, line));
  }
  return sums;
}

function progressUpdate(account: string, from: bigint, to: bigint): Update {
  return {
    table: 'usage',
    key: { account, line: USAGE_PROGRESS },
    when: [
      [
        { is: 'absent', attribute: 'charged_to' },
        { is: '=', attribute: 'charged_to', value: from },
      ],
    ],
    set: { charged_to: to },
    setIfAbsent: { charged_from: from },
  };
}

function lineUpdate(account: string, line: string, { calls, cu, cached, errors }: MethodUsage): Update {
  return {
    table: 'usage',
    key: { account, line },
    when: [],
    add: { calls: BigInt(calls), cu: BigInt(cu), cached: BigInt(cached), errors: BigInt(errors) },
  };
}
