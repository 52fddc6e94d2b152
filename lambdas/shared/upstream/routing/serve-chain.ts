import type { ReadSecret } from '../../aws/cached-secrets.ts';
import type { LargeBodies } from '../../http/large-bodies.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { LogFields } from '../../runtime/log.ts';
import { countsOfUpstream } from '../../runtime/metrics.ts';
import { pacedCounts } from '../../runtime/paced-count.ts';
import type { ProcessBounds } from '../../runtime/process-bounds.ts';
import type { ChainSettings } from '../../runtime/settings.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { connectChain, tellOfWrongChain } from '../connect-chain.ts';
import type { NodeCalls } from '../connection/node-connection.ts';
import type { BreakerChange, LimitNotice } from '../health/upstream-health.ts';
import type { WaitingBudget } from '../health/waiting-budget.ts';
import type { WaitingStore } from '../health/waiting-room.ts';
import type { ChainSharing } from '../sharing/share-chain.ts';
import { ChainBulkhead } from './bulkhead.ts';
import { type ChainClient, createChainClient } from './chain-client.ts';

/** How often disagreements of two upstreams are logged, in milliseconds. */
const DISAGREEMENT_INTERVAL_MS = 60_000;

/** By what time and within which bounds a chain is served, and where it is reported what becomes of its upstreams. */
export interface ChainObserver {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Where the calls for its nodes are counted. @default nowhere */
  readonly nodeCalls?: NodeCalls;
  /** @default those of a process that serves one request at a time */
  readonly bounds?: ProcessBounds;
  /** Where large responses of nodes take room. @default they take none */
  readonly largeBodies?: LargeBodies;
}

/** What all instances share of a chain. */
interface SharedOfChain {
  /** @default any number may wait for it */
  readonly waiting?: WaitingBudget;
  /** Where the calls of upstreams are drawn that take so many a second. @default each instance keeps to it by itself */
  readonly calls?: Pick<WaitingStore, 'draw'>;
  /** Shares what they know of its newest blocks and nodes. @default each instance asks by itself */
  readonly share?: (node: ChainUpstreams) => ChainSharing;
}

/** What serves one chain. What becomes of its upstreams is logged. */
export function serveChain(
  settings: ChainSettings,
  { clock, telemetry, nodeCalls, bounds, largeBodies }: ChainObserver,
  readSecret: ReadSecret,
  { waiting: budget, calls, share }: SharedOfChain = {},
): ChainClient {
  const { chain } = settings;
  const upstreams = connectChain(settings, {
    clock,
    readSecret,
    telemetry,
    nodeCalls,
    bounds,
    largeBodies,
    callBudget: calls === undefined ? undefined : { store: calls },
    onFailure: (upstream, error) =>
      telemetry.log('warn', 'upstream_failed', { chain, upstream, reason: error.kind, error: error.message }),
    onWrongChain: tellOfWrongChain(settings, telemetry),
    onDisagreement: countDisagreements(chain, { clock, telemetry }),
    onBreaker: (upstream, change) => tellOfBreaker(chain, upstream, change, { clock, telemetry }),
    onLimit: (upstream, notice, pauseMs) =>
      tellOfLimit(chain, upstream, { ...notice, pauseMs }, { clock, telemetry }),
  });
  const onSilence = (isSilent: boolean) =>
    isSilent
      ? telemetry.log('error', 'chain_silent', { chain })
      : telemetry.log('info', 'chain_heard', { chain });
  const bulkhead = budget && new ChainBulkhead(upstreams, { chain, budget, onSilence });
  return createChainClient(upstreams, bulkhead, share?.(upstreams));
}

/** Logs what the breaker of an upstream did. A node that stays dead is counted time and again: an alarm looks for that. */
export function tellOfBreaker(
  chain: string,
  upstream: string,
  change: BreakerChange,
  { clock, telemetry }: ChainObserver,
): void {
  if (change === 'closed') {
    telemetry.log('info', 'upstream_taken_back', { chain, upstream });
    return;
  }
  // The instances that reported it have counted it.
  if (change === 'open_for_all') return;
  if (change === 'open') telemetry.log('error', 'upstream_taken_out', { chain, upstream });
  telemetry.emit({ values: { UpstreamsTakenOut: 1 }, dimensions: { Chain: chain } }, clock.now());
}

/** Logs and counts that an upstream refuses for a limit of its own: once for each pause, as long as that lasts. */
export function tellOfLimit(
  chain: string,
  upstream: string,
  { limit, pauseMs }: Pick<LimitNotice, 'limit'> & { readonly pauseMs: number },
  { clock, telemetry }: ChainObserver,
): void {
  telemetry.log('warn', 'upstream_limited', {
    chain,
    upstream,
    reason: limit,
    durationMs: Math.round(pauseMs),
  });
  telemetry.emit(countsOfUpstream(chain, upstream, { UpstreamsLimited: 1 }), clock.now());
}

/** Logs and counts calls that upstreams answered differently: the first of the same ones at once, then at most once a minute. */
export function countDisagreements(
  chain: string,
  { clock, telemetry }: ChainObserver,
): ChainUpstreams['onDisagreement'] {
  const count = pacedCounts(clock, DISAGREEMENT_INTERVAL_MS, (latest: LogFields, times) => {
    telemetry.log('error', 'upstreams_disagree', { chain, ...latest, count: times });
    telemetry.emit({ values: { UpstreamsDisagree: times }, dimensions: { Chain: chain } }, clock.now());
  });
  return ({ method, upstreams, alone }) => {
    const upstream = upstreams.toSorted().join(', ');
    count(`${upstream}: ${alone}`, { upstream, ...(alone !== undefined && { alone }), method });
  };
}
