import type { DescribedUpstream } from '../runtime/settings.ts';
import type { NodeConnection } from './connection/node-connection.ts';
import type { CallPace } from './health/call-pace.ts';
import type { NodeEvidence } from './health/holds.ts';
import type { NodeLessons } from './health/node-lessons.ts';
import type { UpstreamHealth } from './health/upstream-health.ts';

/** What an upstream has by the stage file. */
export type UpstreamAbilities = Pick<
  DescribedUpstream,
  'methods' | 'stateBlocks' | 'historyBlocks' | 'mempool'
>;

/** One of the nodes that serve a chain. */
export interface Upstream {
  /** Place among the upstreams of its chain, from 0. */
  readonly index: number;
  /** Name for logs; never a URL, which can carry credentials. */
  readonly name: string;
  /** Calls go to the lowest number that has a usable upstream. */
  readonly priority: number;
  /** Share of the calls among upstreams of one priority. */
  readonly weight: number;
  readonly connection: NodeConnection;
  /** How well it answers, and what is held against it. */
  readonly health: UpstreamHealth;
  /** What the stage file says that it has. */
  readonly abilities: UpstreamAbilities;
  /** Bounds how often it is asked. Undefined: any number of calls. */
  readonly pace: CallPace | undefined;
  /** What of its refusals counts against it. */
  readonly evidence: NodeEvidence;
  /** What was learnt of how much it takes at once. */
  readonly lessons: NodeLessons;
}
