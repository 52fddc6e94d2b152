import type { KeyHolder } from 'gateway-access';
import type { HeldBodies } from '../shared/http/large-bodies.ts';
import type { Prices } from '../shared/methods/method-facts.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';
import type { Copies } from '../shared/upstream/copies/open-copies.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import type { GivenHeads } from '../shared/upstream/routing/given-heads.ts';
import type { HeadTracker } from '../shared/upstream/routing/head-tracker.ts';
import type { UnbilledErrors } from './billing/call-usage.ts';
import type { VerifiedCalls } from './verified/verified-calls.ts';

/** A chain that this instance serves. */
export interface ServedChain {
  readonly settings: ChainSettings;
  readonly node: ChainClient;
  readonly head: HeadTracker;
  readonly unbilledErrors: UnbilledErrors;
  /** The heads that keys got. @default none are kept */
  readonly givenHeads?: Pick<GivenHeads, 'answer'>;
  /** Verifies what its nodes answer. @default nothing is verified */
  readonly verified?: Pick<VerifiedCalls, 'answer'>;
  /** What further upstreams get of its requests. @default nothing */
  readonly copies?: Copies | undefined;
  /** What calls cost, by the hour. @default as the release's table has it */
  readonly prices?: Prices;
}

/** A JSON-RPC request of an authenticated key. */
export interface RpcRequest {
  readonly holder: KeyHolder;
  readonly chain: ServedChain;
  readonly body: Uint8Array;
  /** Header of the request: how the body is compressed, as far as it says so. @default not */
  readonly contentEncoding?: string | undefined;
  /** Header of the request: a block that nodes must have which answer for the newest one. @default none */
  readonly minBlock?: string | undefined;
  /** Header of the request: what of its calls has to be verified before it is returned. @default nothing */
  readonly verify?: string | undefined;
  /** When the node must have answered, in milliseconds since the epoch. */
  readonly deadline: number;
  /** When the function ends, in milliseconds since the epoch; a response not sent by then breaks off. @default never */
  readonly endsAt?: number;
  /** Header of the request: how the response may be compressed. @default not */
  readonly acceptEncoding?: string | undefined;
  /** What it holds of large results, until its response is sent. @default nothing */
  readonly held?: HeldBodies | undefined;
  /** Measures how long calls wait, and the time left until `endsAt`. @default time stands still */
  readonly clock?: Clock;
}
