import type { Clock } from '../runtime/clock.ts';
import { type ProcessBounds, processBounds } from '../runtime/process-bounds.ts';
import { type Sleep, sleep } from '../runtime/sleep.ts';
import type { NodeConnection } from './connection/node-connection.ts';
import { HeadReports } from './head/head-reports.ts';
import type { CallPace } from './health/call-pace.ts';
import { NodeEvidence } from './health/holds.ts';
import { createNodeLessons } from './health/node-lessons.ts';
import { RefusedWords, RetryBudget } from './health/refused-words.ts';
import { type BreakerChange, type LimitNotice, UpstreamHealth } from './health/upstream-health.ts';
import type { Upstream, UpstreamAbilities } from './upstream.ts';

/** Mempools of upstreams: that of one of which nothing is said, and the one of an upstream that shows its transactions to nobody. */
export const PUBLIC_MEMPOOL = 'public';
export const PRIVATE_MEMPOOL = 'private';

/** Upstreams, by their names, that answered the same call differently, or one that answered another call. */
interface Disagreement {
  readonly method: string;
  /** Those that answered it: two at least, or the one whose result the call itself contradicts. */
  readonly upstreams: readonly string[];
  /** The one that all others contradict; undefined if no two say the same. */
  readonly alone?: string | undefined;
}

type OnDisagreement = (disagreement: Disagreement) => void;

/** The upstreams of one chain, and what this instance knows of them. Chains share nothing. */
export interface ChainUpstreams {
  /** Largest response that is read, in bytes. */
  readonly maxResponseBytes: number;
  /** At least one, in the order of the stage file. */
  readonly upstreams: readonly Upstream[];
  /** Names an upstream by its index among `upstreams`. */
  readonly view: HeadReports;
  readonly budget: RetryBudget;
  /** What was learnt of refusals that no table knows, and what each key may ask because of them. */
  readonly refusedWords: RefusedWords;
  /** Upstreams that have to answer alike. */
  readonly agreement: 1 | 2;
  /** Called with a call that upstreams answered differently. */
  readonly onDisagreement: OnDisagreement;
  /** Requests of clients that may wait for them in this process at a time. */
  readonly waits: number;
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
  /** Closes the connections: idle ones now, busy ones with the end of their response. */
  close(): void;
}

/** One upstream, before anything is known of it. */
export interface UpstreamOptions {
  readonly name: string;
  readonly connection: NodeConnection;
  /** @default 0 */
  readonly priority?: number | undefined;
  /** @default 1 */
  readonly weight?: number | undefined;
  /** @default everything that the chain has */
  readonly abilities?: UpstreamAbilities | undefined;
  /** @default any number of calls */
  readonly pace?: CallPace | undefined;
}

export interface ChainUpstreamsOptions {
  readonly clock: Clock;
  /** @default those of a process that serves one request at a time */
  readonly bounds?: ProcessBounds | undefined;
  readonly maxResponseBytes: number;
  /** @default Math.random */
  readonly random?: () => number;
  /** @default timers of Node.js */
  readonly wait?: Sleep;
  /** Upstreams that have to answer alike where the chain fixes the response. @default 1 */
  readonly agreement?: 1 | 2 | undefined;
  /** Called when upstreams answered a call differently. @default not called */
  readonly onDisagreement?: OnDisagreement;
  /** Called when an upstream is taken out of use, when a probe of it fails, and when it is back. */
  readonly onBreaker?: (upstream: string, change: BreakerChange) => void;
  /** Called when an upstream refuses for a limit of its own, with the time for which it is left alone, in milliseconds. */
  readonly onLimit?: (upstream: string, notice: LimitNotice, pauseMs: number) => void;
}

/** Makes a chain's set of upstreams. Nothing is sent before the first request. */
export function openChainUpstreams(
  upstreams: readonly UpstreamOptions[],
  options: ChainUpstreamsOptions,
): ChainUpstreams {
  const { clock, maxResponseBytes, random = Math.random, wait = sleep, onBreaker, onLimit } = options;
  const { bounds = processBounds(1, upstreams.length) } = options;
  if (upstreams.length === 0) throw new Error('a chain without an upstream');
  return {
    maxResponseBytes,
    upstreams: upstreams.map((upstream, index) => {
      const { name, connection, priority = 0, weight = 1, abilities = {}, pace } = upstream;
      const told = (change: BreakerChange) => onBreaker?.(name, change);
      return {
        index,
        name,
        priority,
        weight,
        connection,
        abilities,
        pace,
        evidence: new NodeEvidence(clock),
        lessons: connection.lessons ?? createNodeLessons(clock),
        health: new UpstreamHealth({
          clock,
          random,
          onBreaker: told,
          onLimit: (notice, pauseMs) => onLimit?.(name, notice, pauseMs),
        }),
      };
    }),
    view: new HeadReports(upstreams.length),
    budget: new RetryBudget(),
    refusedWords: new RefusedWords(clock, random),
    agreement: options.agreement ?? 1,
    onDisagreement: options.onDisagreement ?? (() => {}),
    waits: bounds.waitsOfChain,
    clock,
    random,
    wait,
    close: () => {
      for (const { connection } of upstreams) connection.close();
    },
  };
}
