import type { HeldBodies } from '../../http/large-bodies.ts';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import type { Upstream } from '../upstream.ts';
import type { ChainClient } from './chain-client.ts';
import type { Learnt } from './learn-responses.ts';
import type { PendingCall } from './pending-call.ts';

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
  /** Calls that upstreams were sent, with what was asked about them; questions for the head aside. */
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
  /**
   * Responses are judged once it is settled: what was read of the chain meanwhile is known then. It never rejects.
   * @default at once
   */
  readonly known?: Promise<unknown> | undefined;
  /**
   * Called with calls about something that an upstream says there is not, before that is believed, and with the time until
   * when it may wait, in milliseconds since the epoch. It never rejects. @default it is believed
   */
  readonly learn?: ((absent: readonly Call[], deadline: number) => Promise<Learnt>) | undefined;
  /** Name of the upstream that took the key's latest transaction: it is asked first for what is in no block yet. @default any */
  readonly takenBy?: string | undefined;
  /** What its request holds of large responses. @default nothing */
  readonly held?: HeldBodies | undefined;
  /** The highest block that the key got, as far as this instance knows. @default none */
  readonly given?: GivenBlock | undefined;
  /** The block that upstreams must have whose answers are about the newest one, or that there is no such thing. @default none */
  readonly minBlock?: bigint | undefined;
}

/** For whom, until when and of which chain the calls of a request are answered. */
export interface Terms extends Sender {
  readonly node: ChainClient;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Ends the wait for responses before; its reason is the error for calls without one. */
  readonly signal: AbortSignal;
}

/** What a policy wants to be sent. */
export interface FurtherCall {
  readonly call: PendingCall;
  /** The client's call that it is for, among whose attempts it counts. @default it is that call itself, once more */
  readonly about?: PendingCall;
  /** The one upstream to ask, whose words count as they are. @default those that suit, as for any call of a client */
  readonly of?: Upstream;
  /** It is a part of the answer, or the operator's own wish: not out of the budget of retries, and sent by itself. @default false */
  readonly isFree?: boolean;
}

/** Questions of one round after another. The next round begins once the calls of one have their responses, or got none in the time. */
export type Rounds<Result = void> = AsyncGenerator<readonly FurtherCall[], Result>;

/** What is special of some calls. It never sends: what it wants to be sent it returns to the one loop. */
export interface Policy {
  /** Whether it is for calls of a method that need such a block. */
  appliesTo(method: string, need: RequiredBlock['kind']): boolean;
  /** Notes what is known of a call before it is sent. */
  prepare?(one: PendingCall, terms: Terms): void;
  /** Asks further for calls once upstreams have said what they have to say. Bounded, also where nothing is sent any more. */
  again?(calls: readonly PendingCall[], terms: Terms): Rounds;
  /** What a client gets in place of a response; the response itself where nothing is special of it. */
  judge?(one: PendingCall, response: UpstreamResponse, terms: Terms): UpstreamResponse;
}
