import type { KeyHolder } from 'gateway-access';
import type { Clock } from '../clock.ts';
import type { ChainSettings } from '../settings.ts';
import type { ChainView } from './chain-head.ts';
import type { ChainNode } from './chain-node.ts';
import type { OwnWords } from './own-words.ts';

/** A chain that this instance serves. */
export interface ServedChain {
  readonly settings: ChainSettings;
  readonly node: ChainNode;
  readonly head: ChainView;
  readonly ownWords: OwnWords;
}

/** A JSON-RPC request of an authenticated key. */
export interface RpcRequest {
  readonly holder: KeyHolder;
  readonly chain: ServedChain;
  readonly body: Uint8Array;
  /** When the node must have answered, in milliseconds since the epoch. */
  readonly deadline: number;
  /** When the function ends, in milliseconds since the epoch: what is not sent by then breaks off. @default never */
  readonly endsAt?: number;
  /** Header of the request: how the answer may be compressed. @default not */
  readonly acceptEncoding?: string | undefined;
  /** Tells how long calls wait, and what is left until `endsAt`. @default time stands still */
  readonly clock?: Clock;
}
