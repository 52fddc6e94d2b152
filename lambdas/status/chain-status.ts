import type { Status } from '../../clients/typescript/src/unmetered.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';

/** The newest block of a chain. */
export interface StatusHead {
  readonly block: number;
  /** Time of the block, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** The nodes do not tell it now: it is the last that they reported. @default false */
  readonly past?: boolean;
  /** It is indexed no further now: the index is halted, or its nodes are silent. @default false */
  readonly stuck?: boolean;
}

/** Reads the head of a chain; undefined if there never was one. */
export type HeadReader = (chain: ChainSettings) => Promise<StatusHead | undefined>;

/**
 * Status of the public chains of a stage. `down`: none of them has a head now; `ok`: each has one, none is older than
 * its stage file allows, and all are followed; `degraded`: anything between. Only a chain that never had a head is left out: there is nothing
 * true to say of it.
 */
export async function readStatus(
  chains: readonly ChainSettings[],
  readHead: HeadReader,
  clock: Clock,
): Promise<Status> {
  const publicChains = chains.filter((chain) => chain.public);
  const heads = await Promise.all(publicChains.map(readHead));
  const now = clock.now();
  const known = publicChains.flatMap((chain, index) => {
    const head = heads[index];
    if (head === undefined) return [];
    const rendered = renderHead(head, now);
    const isYoung = rendered.lag_seconds <= (chain.maxHeadLagSeconds ?? Number.POSITIVE_INFINITY);
    const isPresent = head.past !== true;
    const status = { chain: chain.chain, chain_id: chain.chainId, head: rendered };
    return [{ isPresent, isFresh: isPresent && isYoung && head.stuck !== true, status }];
  });
  const present = known.filter(({ isPresent }) => isPresent).length;
  const fresh = known.filter(({ isFresh }) => isFresh).length;
  return {
    checked_at: timestamp(now),
    gateway: { status: statusOf({ all: publicChains.length, present, fresh }) },
    chains: known.map(({ status }) => status),
  };
}

function statusOf(chains: {
  readonly all: number;
  readonly present: number;
  readonly fresh: number;
}): Status['gateway']['status'] {
  if (chains.fresh === chains.all) return 'ok';
  return chains.present === 0 ? 'down' : 'degraded';
}

function renderHead({ block, timeMs }: StatusHead, now: number) {
  return { block, time: timestamp(timeMs), lag_seconds: Math.max(0, Math.floor((now - timeMs) / 1000)) };
}

/** ISO 8601 in UTC, to the second where there is no fraction. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
