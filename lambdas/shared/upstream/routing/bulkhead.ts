import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import type { MethodClass } from '../../methods/method-table.ts';
import { errorField, log } from '../../runtime/log.ts';
import type { Soon } from '../../runtime/soon.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { farLongerMs, LateTurns, OWN_LATE_MS, ownLateness } from '../health/late-turns.ts';
import type { OwnedRoom, RoomOwner, WaitingBudget } from '../health/waiting-budget.ts';
import { LIMITED_RULE } from './able-upstreams.ts';
import { askHead } from './ask-head.ts';

/** Time after which a call is late, in milliseconds: from then on its waiting is paid for. */
const LATE_MS = 500;
/** Time that is paid for at once while a chain is unheard, in milliseconds. */
const UNHEARD_STEP_MS = 500;
/** Longest time that is paid for at once, in milliseconds: a call that is answered meanwhile has paid too much. */
const MAX_STEP_MS = 2_000;
/** Time that nodes have to answer the gateway's own question, while a call is late, in milliseconds. */
const LISTEN_MS = 3_000;
/** The same while they are known to be silent, and a client waits for nothing else. */
const TRIAL_MS = 1_000;
/** How long the word of another instance counts that a chain is silent, in milliseconds, unless it takes it back. */
const SILENCE_VALID_MS = 10_000;
/** How long it counts that the nodes have not reported their head, in milliseconds. */
const SUSPICION_MS = 1_000;

/** Why calls are not sent, or no longer waited for; returned as `error.data.rule`. */
type WaitingRule = 'chain_silent' | 'chain_waiting' | 'key_waiting';

const RULES: Readonly<Record<RoomOwner, WaitingRule>> = { chain: 'chain_waiting', key: 'key_waiting' };
const UNHEARD: CataloguedError = { reason: 'no_upstream_response' };

/** A bounded number of things that go on at the same time. */
export class Semaphore {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot; false if all are taken. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
  }
}

/** A wait for a chain's nodes. */
interface Turn {
  /** Ends the wait; its reason is the {@link CataloguedError} for calls that are not answered by then. */
  readonly signal: AbortSignal;
  /** To be called when nothing more is waited for. */
  leave(): void;
}

/** What became of a call's place among those that may wait for a silent chain. */
interface Place {
  /** The error, where there was none. */
  readonly refused: CataloguedError | undefined;
}

/** A wait that lasts unusually long. */
interface WatchedWait {
  /** What pays for it, from when it is late. */
  readonly rooms: readonly OwnedRoom[];
  /** In milliseconds since the epoch. */
  readonly startedAt: number;
  readonly lateAt: number;
  readonly end: AbortController;
  /** Aborted when nothing more is waited for. */
  readonly left: AbortSignal;
}

/** Whether a chain's nodes answer. */
export interface ChainLiveness {
  /** Whether they answer not even the gateway's own question: no request is to wait for them. */
  readonly isSilent: boolean;
  /** Asks nodes that are silent again, if that is due. Resolves to whether they answer. */
  listen(): Promise<boolean>;
  /** Tells that nodes have not said where the head is, in milliseconds that they had for it. */
  miss(ms: number): void;
}

/** Keeps requests that wait for the nodes of one chain, or for the calls of one key, from taking all instances. */
export interface Bulkhead extends ChainLiveness {
  /** Begins a wait; or the error for calls that must not wait. `keyId`: absent for calls of the gateway itself. */
  enter(kind: MethodClass, keyId: string | undefined): Soon<Turn | CataloguedError>;
}

/** For a function of which no instances are kept free. */
export const NO_BULKHEAD: Bulkhead = {
  isSilent: false,
  listen: async () => true,
  miss: () => {},
  enter: async () => ({ signal: new AbortController().signal, leave: () => {} }),
};

interface ChainBulkheadOptions {
  readonly chain: string;
  readonly budget: WaitingBudget;
  /** Called when the chain's nodes fall silent, and when they answer again. */
  readonly onSilence?: (isSilent: boolean) => void;
}

/**
 * The bulkhead of one chain.
 *
 * - A late call pays for its waiting in steps, from the budgets of its key and its chain; a call that cannot pay is no
 *   longer waited for.
 * - The gateway's own request, which no client can slow down, finds out whether the nodes cause the delay. If no node
 *   answers it, calls are refused at once, except probes: one per instance in a second or two, at most as many at a
 *   time as the chain has seats.
 */
export class ChainBulkhead implements Bulkhead {
  readonly #upstreams: ChainUpstreams;
  readonly #options: ChainBulkheadOptions;
  readonly #listening: OwnedRoom;
  readonly #lateTurns: LateTurns;
  /** When the nodes fell silent, in milliseconds since the epoch. */
  #silentSince: number | undefined;
  #listenAfter = Number.NEGATIVE_INFINITY;
  /** The first trial after a time in which this instance asked nothing, while it is under way. */
  #firstTrial: Promise<boolean> | undefined;
  #suspectedAt = Number.NEGATIVE_INFINITY;
  /** When another instance reported last that the chain is silent, in milliseconds since the epoch. */
  #unheardAt = Number.NEGATIVE_INFINITY;

  constructor(upstreams: ChainUpstreams, options: ChainBulkheadOptions) {
    this.#upstreams = upstreams;
    this.#options = options;
    this.#listening = options.budget.roomOfTrials(options.chain, TRIAL_MS);
    this.#lateTurns = new LateTurns(upstreams);
  }

  get isSilent(): boolean {
    return this.#silentSince !== undefined;
  }

  /** The next call is late from its start, if that time alone does not say enough. */
  miss(ms: number): void {
    if (ms >= LISTEN_MS) this.#fallSilent();
    else this.#suspectedAt = this.#upstreams.clock.now();
  }

  enter(kind: MethodClass, keyId: string | undefined): Soon<Turn | CataloguedError> {
    const isPlain = !this.isSilent && !this.#options.budget.isInDoubt;
    return isPlain ? this.#begin(kind, keyId) : this.#enterInDoubt(kind, keyId);
  }

  async #enterInDoubt(kind: MethodClass, keyId: string | undefined): Promise<Turn | CataloguedError> {
    if (!(await this.listen())) return refusal('chain_silent');
    for (const room of [...this.#roomsOf(kind, keyId), this.#roomUnheard('new')]) {
      if (!(await this.#options.budget.admits(room))) return refusal(RULES[room.owner]);
    }
    return this.#begin(kind, keyId);
  }

  /** What pays for a wait. The key first: what a key has no time for must not cost its chain any. */
  #roomsOf(kind: MethodClass, keyId: string | undefined): readonly OwnedRoom[] {
    const { budget, chain } = this.#options;
    const ofChain = budget.roomOfChain(chain, kind);
    return keyId === undefined ? [ofChain] : [budget.roomOfKey(keyId, kind), ofChain];
  }

  /** Begins a wait that is watched from when it lasts unusually long. */
  #begin(kind: MethodClass, keyId: string | undefined): Turn {
    const startedAt = this.#upstreams.clock.now();
    const isSuspected = startedAt - this.#suspectedAt <= SUSPICION_MS;
    const lateAt = isSuspected ? startedAt : startedAt + LATE_MS;
    const unusualAt = Math.min(lateAt, startedAt + this.#unusualMs(kind));
    const end = new AbortController();
    let left: AbortController | undefined;
    const watch = () => {
      left = new AbortController();
      const rooms = this.#roomsOf(kind, keyId);
      const watched = { rooms, startedAt, lateAt, end, left: left.signal };
      const watching = unusualAt < lateAt ? this.#watch(watched) : this.#payFor(watched, undefined);
      watching.catch((error: unknown) =>
        log('error', 'bulkhead_failed', { chain: this.#options.chain, error: errorField(error) }),
      );
    };
    const endTurn = this.#lateTurns.begin(unusualAt, watch);
    const leave = () => {
      endTurn();
      // With a reason: else each makes an error and its stack that nothing reads.
      left?.abort('left');
    };
    return { signal: end.signal, leave };
  }

  async listen(): Promise<boolean> {
    if (this.#silentSince === undefined) return true;
    const { clock } = this.#upstreams;
    const { budget } = this.#options;
    if (this.#isHeardSince(this.#silentSince)) {
      await budget.giveBack(this.#listening, 0);
      return this.#hear();
    }
    if (this.#firstTrial !== undefined) return this.#firstTrial;
    if (clock.now() < this.#listenAfter) return false;
    const isForgotten = clock.now() - this.#listenAfter >= SILENCE_VALID_MS;
    this.#listenAfter = clock.now() + budget.pauseMs();
    const trial = this.#try();
    if (!isForgotten) return trial;
    // What this instance knows is too old to refuse by: calls that come meanwhile wait for the same response.
    this.#firstTrial = trial.finally(() => {
      this.#firstTrial = undefined;
    });
    return this.#firstTrial;
  }

  /** Asks nodes that are silent again, if there is a seat for that. */
  async #try(): Promise<boolean> {
    const { clock } = this.#upstreams;
    const { budget } = this.#options;
    const drawn = await budget.draw(this.#listening, TRIAL_MS);
    if (drawn?.granted !== true) return false;
    const askedAt = clock.now();
    const said = await this.#ask(askedAt + TRIAL_MS);
    if (said === 'heard') {
      await budget.giveBack(this.#listening, askedAt + TRIAL_MS - clock.now());
      return this.#hear();
    }
    if (said === 'silent') await budget.tell(this.#listening, 'silent');
    return false;
  }

  /** Time after which a call takes far longer than usual, in milliseconds. Of logs and traces some take a second, and others none. */
  #unusualMs(kind: MethodClass): number {
    return kind === 'logs' || kind === 'trace' ? LATE_MS : farLongerMs(this.#upstreams.upstreams);
  }

  /**
   * Watches a wait that takes far longer than is usual. Until it is late it has a place among those that may wait unheard;
   * where these are taken, it is late at once.
   */
  async #watch(watched: WatchedWait): Promise<void> {
    const { clock, wait } = this.#upstreams;
    const { lateAt, end, left } = watched;
    const refused = await this.#pay([this.#roomUnheard('new')], UNHEARD_STEP_MS);
    const isUnheard = clock.now() - this.#unheardAt < SUSPICION_MS;
    if (refused === undefined) await wait(Math.max(0, lateAt - clock.now()), left);
    if (left.aborted) return;
    if (refused !== undefined && isUnheard) end.abort(refused);
    else await this.#payFor(watched, { refused });
  }

  /** Pays for a wait that is late, until it is left, and ends it when it cannot. */
  async #payFor(
    { rooms, startedAt, lateAt, end, left }: WatchedWait,
    place: Place | undefined,
  ): Promise<void> {
    const { clock, wait } = this.#upstreams;
    const listening = this.#listenBeside(startedAt).then((isHeard) => {
      if (!isHeard) end.abort(UNHEARD);
    });
    const over = AbortSignal.any([left, end.signal]);
    await this.#waitUnheard(place, listening, { end, over });
    if (clock.now() < lateAt) await wait(lateAt - clock.now(), over);
    while (!over.aborted) {
      const stepMs = Math.min(MAX_STEP_MS, Math.max(LATE_MS, clock.now() - startedAt));
      const refused = await this.#pay(rooms, stepMs);
      if (refused !== undefined) end.abort(refused);
      else await wait(stepMs, over);
    }
    await listening;
  }

  /** Waits for the response to the gateway's own question. Few instances at a time may: it could be that none comes. */
  async #waitUnheard(
    place: Place | undefined,
    listening: Promise<void>,
    { end, over }: { readonly end: AbortController; readonly over: AbortSignal },
  ): Promise<void> {
    const { wait } = this.#upstreams;
    const { budget } = this.#options;
    const heard = new AbortController();
    const still = AbortSignal.any([over, heard.signal]);
    const stop = () => heard.abort('heard');
    listening.then(stop, stop);
    await wait(farLongerMs(this.#upstreams.upstreams), still);
    if (still.aborted) return;
    if (place?.refused !== undefined) {
      end.abort(place.refused);
      await budget.tell(this.#listening, 'unheard');
    }
    for (let room = this.#roomUnheard(place === undefined ? 'new' : 'kept'); !still.aborted; ) {
      const refused = await this.#pay([room], UNHEARD_STEP_MS);
      if (refused !== undefined) end.abort(refused);
      else await Promise.all([budget.tell(room, 'unheard'), wait(UNHEARD_STEP_MS, still)]);
      room = this.#roomUnheard('kept');
    }
  }

  #roomUnheard(kept: 'new' | 'kept'): OwnedRoom {
    return this.#options.budget.roomUnheard(this.#options.chain, kept);
  }

  /** Pays for a step of waiting. The error if that is refused, or the chain was found silent by another instance. */
  async #pay(rooms: readonly OwnedRoom[], ms: number): Promise<CataloguedError | undefined> {
    for (const room of rooms) {
      const drawn = await this.#options.budget.draw(room, ms);
      // Waiting without a bound is better than no response at all, where the store does not say.
      if (drawn === undefined) continue;
      if (room.owner === 'chain') this.#unheardAt = drawn.unheardAt;
      if (room.owner === 'chain' && this.#upstreams.clock.now() - drawn.silentAt < SILENCE_VALID_MS) {
        this.#fallSilent();
        return UNHEARD;
      }
      if (!drawn.granted) return refusal(RULES[room.owner]);
    }
    return undefined;
  }

  /** Finds out whether nodes that are late answer at all. */
  async #listenBeside(startedAt: number): Promise<boolean> {
    if (this.#isHeardSince(startedAt)) return true;
    const said = await this.#ask(this.#upstreams.clock.now() + LISTEN_MS);
    if (said !== 'silent' || this.#isHeardSince(startedAt)) return true;
    this.#fallSilent();
    await this.#options.budget.tell(this.#listening, 'silent');
    return false;
  }

  /**
   * Asks all upstreams for their heads. `silent` only if that lasts until `until`: an upstream that fails at once is not
   * silent. A process that was itself too busy to read an answer knows nothing of them.
   */
  async #ask(until: number): Promise<'heard' | 'silent' | 'unknown'> {
    const { clock } = this.#upstreams;
    const end = new AbortController();
    const lateness = ownLateness(this.#upstreams, until, end.signal);
    const asked = this.#upstreams.upstreams.map(async (upstream) => {
      if (!(await askHead(this.#upstreams, upstream, until))) throw new Error('no head');
    });
    const said = await Promise.any(asked).then(
      () => true,
      () => false,
    );
    const isOver = clock.now() >= until;
    end.abort('said');
    if (said || !isOver) return 'heard';
    return (await lateness) >= OWN_LATE_MS ? 'unknown' : 'silent';
  }

  #isHeardSince(time: number): boolean {
    const { upstreams, clock } = this.#upstreams;
    return upstreams.some(({ health }) => health.sinceSuccessMs < clock.now() - time);
  }

  #fallSilent(): void {
    const { clock } = this.#upstreams;
    const wasSilent = this.isSilent;
    this.#silentSince = clock.now();
    this.#listenAfter = clock.now() + this.#options.budget.pauseMs();
    if (!wasSilent) this.#options.onSilence?.(true);
  }

  #hear(): true {
    if (this.isSilent) this.#options.onSilence?.(false);
    this.#silentSince = undefined;
    return true;
  }
}

/** Whether a call was refused because of its chain, rather than its key or its client. */
export function isRefusedForChain({ details }: CataloguedError): boolean {
  const rule = details?.rule;
  return rule === 'chain_silent' || rule === 'chain_waiting' || rule === LIMITED_RULE;
}

function refusal(rule: WaitingRule): CataloguedError {
  return { reason: 'gateway_overloaded', details: { rule } };
}
