import {
  type Certificate,
  isCertified,
  isGoodAt,
  parseCertificate,
} from '../../../lambdas/shared/bill/certificate.ts';
import { isReceiptOf, parseReceiptText, type Receipt } from '../../../lambdas/shared/bill/receipt.ts';
import { type Bill, lanesName, type Stated, type StoredReceipt } from './bill.ts';
import type { ReadHead } from './head-checks.ts';

/** Clocks of the gateway's instances, and the time that one takes to read lanes, at most. */
const CLOCKS_MS = 60_000;

/** What receipts come to. */
interface TrustedReceipts {
  /** Those that the gateway has signed to this account. */
  readonly good: readonly Receipt[];
  /** What is wrong with the first of the others; undefined: nothing. */
  readonly failure: string | undefined;
}

/** Reads receipts, and leaves out what the gateway did not sign to this account, or others may have signed. */
export function trustedReceipts(bill: Bill, notes: string[]): TrustedReceipts {
  const good: Receipt[] = [];
  let failure: string | undefined;
  let withdrawn = 0;
  for (const [place, stored] of bill.receipts.entries()) {
    const outcome = readReceipt(bill, stored, place + 1);
    if (typeof outcome === 'string') failure ??= outcome;
    else if (isWithdrawn(bill, outcome.certificate)) withdrawn += 1;
    else good.push(outcome.receipt);
  }
  if (withdrawn > 0)
    notes.push(`${withdrawn} receipts are signed with a key that was withdrawn later: they were left out.`);
  return { good, failure };
}

function readReceipt(
  { account, keys }: Bill,
  { hour, signed }: StoredReceipt,
  place: number,
): { readonly receipt: Receipt; readonly certificate: Certificate } | string {
  const receipt = signed && parseReceiptText(signed.receipt);
  const certificate = signed && parseCertificate(signed.certificate.certificate);
  if (signed === undefined || receipt === undefined || certificate === undefined)
    return `receipt ${place} of those that are kept cannot be read`;
  const name = `the receipt of hour ${receipt.hour}, made at ${receipt.told_at},`;
  if (!keys.includes(signed.certificate.key))
    return `${name} is certified with a key that --key does not have`;
  if (!isCertified(signed.certificate)) return `the certificate of ${name} has a wrong signature`;
  if (!isReceiptOf(signed, certificate.key)) return `${name} has a wrong signature`;
  if (!isGoodAt(certificate, Date.parse(receipt.told_at)))
    return `${name} is signed with the key of ${certificate.day}, which is good on that day and the next`;
  if (receipt.account !== account) return `${name} is one of account ${receipt.account}`;
  if (receipt.hour !== hour) return `${name} is kept as one of hour ${hour}`;
  if (new Set(receipt.lanes.map(({ lane }) => lane)).size !== receipt.lanes.length)
    return `${name} has a lane twice`;
  return { receipt, certificate };
}

/** Whether a certificate that was made later, while this one was good, withdraws it. */
function isWithdrawn({ withdrawals }: Bill, certificate: Certificate): boolean {
  const { day, revision } = certificate;
  return withdrawals.some((later) =>
    later.day === day ? later.revision > revision : isGoodAt(certificate, Date.parse(later.day)),
  );
}

/** A lane as it was at a time, in milliseconds since the epoch. */
interface TimedState {
  readonly n: number;
  readonly total: number;
  readonly timeMs: number;
  /** What says so. */
  readonly source: string;
  readonly isReceipt: boolean;
}

/**
 * What is wrong with the order of receipts; undefined: none has a lane below what an earlier one has, or a record whose head
 * was signed before. A record's own time is that at which its settlement began, which reads lanes for minutes.
 */
export function badOrder(
  { lanes, places }: Bill,
  records: readonly Stated[],
  receipts: readonly Receipt[],
  heads: readonly (ReadHead | undefined)[],
): string | undefined {
  const states = new Map<string, TimedState[]>();
  for (const { hour, told_at, lanes: positions } of receipts)
    for (const { lane, n, total } of positions) {
      const source = `the receipt made at ${told_at}`;
      const state = { n, total, timeMs: Date.parse(told_at), source, isReceipt: true };
      const known = states.get(`${hour}/${lane}`);
      if (known === undefined) states.set(`${hour}/${lane}`, [state]);
      else known.push(state);
    }
  const hours = new Set(receipts.map(({ hour }) => hour));
  for (const record of records.filter(({ hour }) => hours.has(hour))) {
    const place = places.get(record.hash);
    const head = place && heads.find((one) => one?.number === place.head);
    if (head === undefined) continue;
    const timeMs = Date.parse(head.sealed_at);
    const source = `record ${record.number}`;
    for (const { lane, n, total } of lanes.get(lanesName(record)) ?? [])
      states.get(`${record.hour}/${lane}`)?.push({ n, total, timeMs, source, isReceipt: false });
  }
  for (const [name, some] of states) {
    const failure = fallOf(name, some);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function fallOf(name: string, states: readonly TimedState[]): string | undefined {
  const inOrder = [...states].sort((one, other) => one.timeMs - other.timeMs);
  let highest: TimedState | undefined;
  let next = 0;
  for (const state of inOrder) {
    for (;;) {
      const before = inOrder[next];
      if (before === undefined || before.timeMs > state.timeMs - CLOCKS_MS) break;
      if (highest === undefined || before.total > highest.total) highest = before;
      next += 1;
    }
    // A record below a receipt is an under-charge, and its own check's matter.
    if (!state.isReceipt || highest === undefined) continue;
    if (state.total < highest.total || state.n < highest.n)
      return `${state.source} has lane ${name} with ${state.total} CU, and before it ${highest.source} had ${highest.total}`;
  }
  return undefined;
}
