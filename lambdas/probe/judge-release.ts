import type { Clock } from '../shared/runtime/clock.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { differingParts, isDeclared, isFailure, type SeenResponse } from './compare-responses.ts';
import { learnFrom, type ReleaseFile, type ReleaseRequest } from './release-request.ts';

/** Times that both versions are asked before they are said to differ: chains and caches move meanwhile. */
const MAX_ROUNDS = 3;
/** Lists that are followed to their second page. */
const MAX_FOLLOWED = 2;
/** Longest time that the key of the probe waits for its limits, in milliseconds. */
const MAX_PAUSE_MS = 10_000;
const TOO_MANY = 429;
const LEARNED_CURSOR = { cursor: 'next_cursor' };
/** A key that may ask nothing: without a balance, unknown, or beyond its limits. */
const REFUSED: ReadonlySet<number> = new Set([402, 403, TOO_MANY]);
const NOT_FOUND = 404;

type Version = 'old' | 'new';

/** What the comparison of a function's two versions works with. */
interface JudgeParts extends Pick<ReleaseFile, 'values' | 'declared'> {
  /** The function that is released. */
  readonly target: string;
  readonly requests: readonly ReleaseRequest[];
  /** Asks one version, past the API. Rejects if it cannot be called. */
  readonly ask: (
    version: Version,
    request: ReleaseRequest,
    values: ReadonlyMap<string, string>,
  ) => Promise<SeenResponse>;
  readonly pause: (ms: number) => Promise<void>;
  /** When it has to be over, in milliseconds since the epoch. */
  readonly endsAt: number;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/** What became of one request. */
type Outcome =
  | { readonly kind: 'equal' | 'failed' }
  | { readonly kind: 'moving' | 'differs'; readonly parts: readonly string[] };

/**
 * Asks both versions of a function the same, one request after the other, and resolves to whether the new one may have
 * requests of customers: it answers as the old one, but for what the release declares, and for what the old one fails at.
 * Each difference is logged as it would be declared. Rejects if a version cannot be called.
 */
export async function judgeRelease(parts: JudgeParts): Promise<boolean> {
  const { target, requests, declared, telemetry } = parts;
  const run = new Comparison(parts);
  let undeclared = 0;
  const counts = { equal: 0, moving: 0, failed: 0, differs: 0 };
  for await (const { of, outcome } of run.outcomes(requests)) {
    counts[outcome.kind] += 1;
    if (outcome.kind === 'moving')
      telemetry.log('info', 'release_moving', {
        method: target,
        reason: `${of}: ${outcome.parts.join(' ')}`,
      });
    if (outcome.kind !== 'differs') continue;
    const found = outcome.parts.filter((part) => !isDeclared(declared, of, part));
    undeclared += found.length;
    for (const part of found)
      telemetry.log('error', 'release_differs', { method: target, reason: `${of}: ${part}` });
  }
  const asked = counts.equal + counts.moving + counts.failed + counts.differs;
  const isWhole = run.isWhole && run.refused * 2 < asked;
  const words = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  const reason = [...words, `refused ${run.refused}`, ...(run.isWhole ? [] : ['out of time'])].join(', ');
  telemetry.log(isWhole ? 'info' : 'error', 'release_compared', { method: target, count: asked, reason });
  return isWhole && undeclared === 0;
}

/** One run over the requests of a function. */
class Comparison {
  /** Whether there was time for all requests. */
  isWhole = true;
  /** Requests that the old version refused for the key. */
  refused = 0;
  readonly #values: Map<string, string>;
  readonly #parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    this.#values = new Map(Object.entries(parts.values));
  }

  async *outcomes(requests: readonly ReleaseRequest[]): AsyncGenerator<{ of: string; outcome: Outcome }> {
    let followed = 0;
    for (const request of requests) {
      if (this.#isOver()) return;
      const { of } = request;
      const { outcome, old } = await this.#compare(request);
      yield { of, outcome };
      for (const [name, value] of learnFrom(old.body, request.learns ?? {})) this.#values.set(name, value);
      const [cursor] = request.query === undefined ? [] : learnFrom(old.body, LEARNED_CURSOR);
      if (cursor === undefined || followed === MAX_FOLLOWED) continue;
      followed += 1;
      const next = { ...request, query: { ...request.query, cursor: cursor[1] } };
      yield { of, outcome: (await this.#compare(next)).outcome };
    }
  }

  async #compare(request: ReleaseRequest): Promise<{ outcome: Outcome; old: SeenResponse }> {
    let differing: readonly string[] = [];
    for (let round = 1; ; round += 1) {
      const old = await this.#ask('old', request);
      if (round === 1 && isRefused(old)) this.refused += 1;
      if (isFailure(old)) return { outcome: { kind: 'failed' }, old };
      differing = differingParts(old, await this.#ask('new', request), request.describes);
      if (differing.length === 0) return { outcome: { kind: 'equal' }, old };
      if (round < MAX_ROUNDS) continue;
      // What the old version does not answer twice is no difference of the new one.
      const moving = new Set(differingParts(old, await this.#ask('old', request), request.describes));
      const parts = differing.filter((part) => !moving.has(part));
      const outcome: Outcome =
        parts.length === 0 ? { kind: 'moving', parts: differing } : { kind: 'differs', parts };
      return { outcome, old };
    }
  }

  /** Asks as often as the limits of the key say, as long as there is time. */
  async #ask(version: Version, request: ReleaseRequest): Promise<SeenResponse> {
    for (;;) {
      const seen = await this.#parts.ask(version, request, this.#values);
      const seconds = Number(seen.headers['retry-after'] ?? 0);
      if (seen.status !== TOO_MANY || seconds === 0 || this.#isOver()) return seen;
      await this.#parts.pause(Math.min(MAX_PAUSE_MS, seconds * 1_000));
    }
  }

  #isOver(): boolean {
    if (this.#parts.clock.now() < this.#parts.endsAt) return false;
    this.isWhole = false;
    return true;
  }
}

function isRefused({ status, body }: SeenResponse): boolean {
  return REFUSED.has(status) || (status === NOT_FOUND && body === '');
}
