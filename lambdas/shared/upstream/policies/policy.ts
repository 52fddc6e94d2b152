import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import type { AttemptTime } from '../routing/attempt.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import type { PendingCall } from '../routing/pending-call.ts';
import type { Sender } from '../routing/sender.ts';
import type { Upstream } from '../upstream.ts';

/** For whom, until when and of which chain the calls of a request are answered. */
export interface Terms extends Sender, Pick<AttemptTime, 'deadline' | 'signal'> {
  readonly node: ChainClient;
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

/** Questions of one round after another. It goes on once those of a round have what they got, which can be nothing. */
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
