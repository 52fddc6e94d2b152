import { readJson } from '../../jsonrpc/json-values.ts';
/** Longest text of claims that is written, in characters: with its key two write units. */
export const MAX_CLAIMS_TEXT = 1_900;
/** Longest text of claims that is read, and most claims in it. */
const MAX_READ_TEXT = 8_192;
const MAX_CLAIMS = 128;
/** Most methods that one upstream is claimed to lack. */
const MAX_METHODS = 16;
const MAX_NAME = 64;
const MAX_WITNESS = 12;
/** Processes that must report the same before a claim is believed. */
const WITNESSES = 2;
const MS_PER_SECOND = 1_000;
/** How far ahead a clock may be, in milliseconds: later words count for nothing. */
const MAX_AHEAD_MS = 10_000;

/**
 * What is claimed of an upstream.
 * - `out`: its breaker is open.
 * - `method`, `plan`: it lacks a method, or the operator's plan there does.
 */
type ClaimKind = 'out' | 'method' | 'plan';

/** How long the word of a witness counts, in milliseconds. */
const VALID_MS: Readonly<Record<ClaimKind, number>> = {
  out: 90_000,
  method: 10 * 60_000,
  plan: 10 * 60_000,
};
/** What is left out first where there is no room is last. */
const KINDS: readonly ClaimKind[] = ['out', 'method', 'plan'];

/** A process that says so, and when it did, in milliseconds since the epoch. */
export interface Witness {
  readonly by: string;
  readonly at: number;
}

/** A subject: what is claimed of which upstream. */
export interface ClaimSubject {
  /** Name of the upstream. */
  readonly upstream: string;
  readonly kind: ClaimKind;
  /** The method; empty where it is about all calls. */
  readonly of: string;
}

/** What processes say of an upstream; newest witness first, two at the most. */
export interface NodeClaim extends ClaimSubject {
  readonly witnesses: readonly Witness[];
}

/** When the last witness said so, in milliseconds since the epoch. */
export function lastSaidAt({ witnesses }: Pick<NodeClaim, 'witnesses'>): number {
  return Math.max(...witnesses.map(({ at }) => at));
}

/** Whether two processes said so lately: the word of one is a suspicion. */
export function counts({ witnesses }: Pick<NodeClaim, 'witnesses'>): boolean {
  return witnesses.length >= WITNESSES;
}

/** Claims without what is too old to count at a time, and with nothing later than that time: clocks differ, and some are wrong. */
export function valid(claims: readonly NodeClaim[], now: number): readonly NodeClaim[] {
  return claims.flatMap((claim) => {
    const witnesses = claim.witnesses
      .filter(({ at }) => now - at < VALID_MS[claim.kind] && at - now < MAX_AHEAD_MS)
      .map(({ by, at }) => ({ by, at: Math.min(at, now) }));
    return witnesses.length === 0 ? [] : [{ ...claim, witnesses }];
  });
}

/** Whether a claim lacks the word of a witness: two words count, while each is in the first half of its time. */
export function lacksWord(
  claims: readonly NodeClaim[],
  subject: ClaimSubject,
  { by, at }: Witness,
  now: number,
): boolean {
  const isYoung = (one: Witness) => now - one.at < VALID_MS[subject.kind] / 2;
  const young = (find(claims, subject)?.witnesses ?? []).filter(isYoung);
  return isYoung({ by, at }) && young.length < WITNESSES && young.every((one) => one.by !== by);
}

/** The claims with the word of one more witness. */
export function withWord(
  claims: readonly NodeClaim[],
  { upstream, kind, of }: ClaimSubject,
  witness: Witness,
): readonly NodeClaim[] {
  const subject = { upstream, kind, of };
  const others = (find(claims, subject)?.witnesses ?? []).filter(({ by }) => by !== witness.by);
  const witnesses = [witness, ...others].slice(0, WITNESSES);
  return [{ ...subject, witnesses }, ...withoutClaim(claims, subject)];
}

/** The claims without one. */
export function withoutClaim(claims: readonly NodeClaim[], subject: ClaimSubject): readonly NodeClaim[] {
  return claims.filter((claim) => !isSame(claim, subject));
}

/** Claims as text, within {@link MAX_CLAIMS_TEXT}: what there is no room for is left out, lacking methods first. */
export function writeClaims(claims: readonly NodeClaim[]): string {
  const inOrder = KINDS.flatMap((kind) => claims.filter((claim) => claim.kind === kind));
  const rows: string[] = [];
  let length = '[]'.length;
  for (const { upstream, kind, of, witnesses } of inOrder) {
    const words = witnesses.flatMap(({ by, at }) => [by, Math.floor(at / MS_PER_SECOND)]);
    const row = JSON.stringify([upstream, kind, of, ...words]);
    length += row.length + 1;
    if (length > MAX_CLAIMS_TEXT) break;
    rows.push(row);
  }
  return `[${rows.join(',')}]`;
}

/** Claims from text. What is none of them is left out. */
export function readClaims(text: string): readonly NodeClaim[] {
  const rows = text.length > MAX_READ_TEXT ? undefined : readJson(text);
  if (!Array.isArray(rows)) return [];
  const claims = rows.slice(0, MAX_CLAIMS).flatMap((row) => readClaim(row) ?? []);
  const methods = new Map<string, number>();
  return claims.filter(({ upstream, kind }) => {
    if (kind !== 'method' && kind !== 'plan') return true;
    methods.set(upstream, (methods.get(upstream) ?? 0) + 1);
    return (methods.get(upstream) ?? 0) <= MAX_METHODS;
  });
}

function readClaim(row: unknown): NodeClaim | undefined {
  if (!Array.isArray(row)) return undefined;
  const [upstream, kind, of, ...words]: readonly unknown[] = row;
  const isNamed = typeof upstream === 'string' && typeof of === 'string' && of.length <= MAX_NAME;
  const known = KINDS.find((one) => one === kind);
  if (!isNamed || known === undefined) return undefined;
  const witnesses = readWitnesses(words);
  return witnesses.length === 0 ? undefined : { upstream, kind: known, of, witnesses };
}

function readWitnesses(words: readonly unknown[]): readonly Witness[] {
  const witnesses = new Map<string, Witness>();
  for (let place = 0; place < 2 * WITNESSES; place += 2) {
    const [by, at] = words.slice(place, place + 2);
    if (typeof by !== 'string' || by.length > MAX_WITNESS) continue;
    if (typeof at !== 'number' || !Number.isSafeInteger(at * MS_PER_SECOND) || at < 0) continue;
    witnesses.set(by, { by, at: at * MS_PER_SECOND });
  }
  return [...witnesses.values()];
}

function find(claims: readonly NodeClaim[], subject: ClaimSubject): NodeClaim | undefined {
  return claims.find((claim) => isSame(claim, subject));
}

function isSame(one: ClaimSubject, other: ClaimSubject): boolean {
  return one.upstream === other.upstream && one.kind === other.kind && one.of === other.of;
}
