import type { HeldBodies } from '../../http/large-bodies.ts';
import type { Call } from '../../jsonrpc/calls.ts';
import type { AttemptTime } from './attempt.ts';

/** Pays for calls that are sent to a node a second time; resolves to whether they may be. */
export type PayAgain = (calls: readonly Call[]) => Promise<boolean>;

/** The highest block that a key got. */
export interface GivenBlock {
  readonly number: bigint;
  /**
   * The block that its newest state is of, at least: that one once a second upstream has it or a block time has passed, because
   * before that one alone would get all calls; else one that the key was shown something of, if any.
   */
  readonly state: bigint | undefined;
}

/** What it took to get calls answered. */
export interface Served {
  /** Calls that upstreams were sent, the gateway's own questions aside. */
  readonly attempts: number;
  /** Names of the upstreams whose responses are returned. */
  readonly upstreams: readonly string[];
}

/** The customer of calls. */
export interface Sender {
  /** Called before calls are sent again because their results were too large together. @default nobody has to pay */
  readonly payAgain?: PayAgain | undefined;
  /** Called with what it took. @default not called */
  readonly onServed?: ((served: Served) => void) | undefined;
  /** The key that sent the calls, and its account. @default the gateway itself */
  readonly keyId?: string;
  readonly account?: string;
  /** Responses are judged once it is settled; it never rejects. @default at once */
  readonly known?: Promise<unknown>;
  /** Called with calls about something that an upstream says there is not, before that is believed. @default it is believed */
  readonly learn?: AttemptTime['learn'];
  /** Name of the upstream that took the key's latest transaction: it is asked first for what is in no block yet. @default any */
  readonly takenBy?: string | undefined;
  /** What its request holds of large responses. @default nothing */
  readonly held?: HeldBodies | undefined;
  /** The highest block that the key got, as far as this instance knows. @default none */
  readonly given?: GivenBlock | undefined;
  /** The block that upstreams must have whose answers are about the newest one, or that there is no such thing. @default none */
  readonly minBlock?: bigint | undefined;
}
