import type { Upstream } from '../upstream/upstream.ts';
import { type BlockNeed, readBlockNeed } from './block-need.ts';
import type { Call, NodeAnswer } from './calls.ts';
import { isIdempotent } from './idempotence.ts';
import type { Verdict } from './judge-answer.ts';
import { bringsTracer } from './own-tracer.ts';
import { toldHead } from './told-head.ts';

/** How good an answer is if no upstream has a final one: a node's own words are better than ours. */
const RANKS: Readonly<Record<Exclude<Verdict, 'final' | 'stale' | 'unbelieved'>, number>> = {
  lacking: 5,
  broken: 4,
  limited: 3,
  failed: 2,
  crowded: 1,
};

/** A head that a node has told is better than any error. */
const STALE_RANK = 6;

/** A call on its way to an answer, over one upstream or several. */
export class PendingCall {
  readonly call: Call;
  readonly need: BlockNeed;
  readonly idempotent: boolean;
  /** Whether it is a trace by code of the client. */
  readonly ownTracer: boolean;
  /** What each upstream that was asked had to say last; `failed` while it has not answered. */
  readonly verdicts = new Map<Upstream, Verdict>();
  /** How often it was sent. */
  attempts = 0;
  #best: NodeAnswer | undefined;
  #answeredBy: Upstream | undefined;
  #rank = 0;
  #settled = false;

  constructor(call: Call) {
    this.call = call;
    this.need = readBlockNeed(call);
    this.idempotent = isIdempotent(call.method);
    this.ownTracer = bringsTracer(call);
  }

  /** Whether nothing more is to be sent for it. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The best answer so far; undefined if there is none that may be given. */
  get answer(): NodeAnswer | undefined {
    return this.#best;
  }

  /** The upstream that gave the answer; undefined if there is none. */
  get answeredBy(): Upstream | undefined {
    return this.#answeredBy;
  }

  /** An upstream whose answers to this call and others were too large together; undefined if there is none. */
  get crowdedAt(): Upstream | undefined {
    return [...this.verdicts].find(([, verdict]) => verdict === 'crowded')?.[0];
  }

  /** Counts an attempt. What was too large with other calls says nothing of this one by itself. */
  sendTo(upstream: Upstream): void {
    this.attempts += 1;
    for (const [other, verdict] of this.verdicts) if (verdict === 'crowded') this.verdicts.delete(other);
    this.verdicts.set(upstream, 'failed');
  }

  /** Takes an answer if it is better than what there was. */
  offer(answer: NodeAnswer, verdict: Verdict, upstream: Upstream): void {
    this.verdicts.set(upstream, verdict);
    if (this.#settled || verdict === 'unbelieved') return;
    if (verdict === 'final') {
      this.settle(answer, upstream);
    } else if (verdict === 'stale') {
      this.#offerStale(answer, upstream);
    } else if (RANKS[verdict] > this.#rank) {
      this.#rank = RANKS[verdict];
      this.#best = answer;
      this.#answeredBy = upstream;
    }
  }

  /** Of true answers of shorter chains the one with the newest head is best. Any is better than an error. */
  #offerStale(answer: NodeAnswer, upstream: Upstream): void {
    const head = toldHead(this.call, answer)?.number;
    if (head === undefined) return;
    const best = this.#best === undefined ? undefined : toldHead(this.call, this.#best)?.number;
    if (best !== undefined && best > head) return;
    this.#rank = STALE_RANK;
    this.#best = answer;
    this.#answeredBy = upstream;
  }

  /** Makes an answer the one that is given. */
  settle(answer: NodeAnswer, upstream = this.#answeredBy): void {
    this.#best = answer;
    this.#answeredBy = upstream;
    this.#settled = true;
  }
}
