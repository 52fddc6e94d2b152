import type { DexProtocol } from '../../shared/runtime/settings.ts';
import { UNISWAP_V2 } from './decode-uniswap-v2.ts';
import { UNISWAP_V3 } from './decode-uniswap-v3.ts';
import { UNISWAP_V4 } from './decode-uniswap-v4.ts';
import type { Exchange } from './pool-events.ts';

export const EXCHANGES: Readonly<Record<DexProtocol, Exchange>> = {
  uniswap_v2: UNISWAP_V2,
  uniswap_v3: UNISWAP_V3,
  uniswap_v4: UNISWAP_V4,
};

/** Protocols whose pools are priced by their reserves. */
export const RESERVE_PROTOCOLS: readonly string[] = Object.entries(EXCHANGES).flatMap(
  ([protocol, { pricing }]) => (pricing === 'reserves' ? [protocol] : []),
);

/** `topic0` of the events that only mean something if their pool is known. */
export const POOL_EVENT_TOPICS: readonly string[] = Object.values(EXCHANGES).flatMap(({ events }) => [
  ...events.keys(),
]);
