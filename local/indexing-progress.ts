import pg from 'pg';
import { chainSchema } from '../lambdas/shared/chain-database/chain-schema.ts';
import type { Clock } from '../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../lambdas/shared/runtime/sleep.ts';

const POLL_MS = 500;
/** A chain that takes longer is left to the dashboard. */
const MAX_WATCH_MS = 3_600_000;
const MILLISECONDS_PER_SECOND = 1_000;

/** How far a chain is indexed at a moment. */
interface IndexPosition {
  readonly indexed: number;
  /** The node's head. */
  readonly head: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Why nothing more is stored until an operator has decided; absent: the index continues. */
  readonly halted?: string;
}

interface IndexingProgressOptions {
  /** URL of the chain database. */
  readonly database: string;
  readonly chains: readonly string[];
  readonly clock: Clock;
  readonly pause: Sleep;
  /** Takes a line whenever there is something new to say; `final`: it is the last one of its chain. */
  readonly onLine: (line: string, final: boolean) => void;
  readonly stopped: () => boolean;
}

/** Tells how far the indexer is with each chain, one after the other, until it has come to the head of each. */
export async function watchIndexing(options: IndexingProgressOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.database });
  client.on('error', () => undefined);
  const until = options.clock.now() + MAX_WATCH_MS;
  await client.connect();
  try {
    for (const chain of options.chains) await watchChain(client, chain, options, until);
  } finally {
    await client.end();
  }
}

async function watchChain(
  client: pg.Client,
  chain: string,
  { clock, pause, onLine, stopped }: IndexingProgressOptions,
  until: number,
): Promise<void> {
  let first: IndexPosition | undefined;
  while (!stopped() && clock.now() < until) {
    const position = await readPosition(client, chain, clock);
    first ??= position;
    if (first !== undefined && position !== undefined) {
      const isLast = position.halted !== undefined || position.indexed >= position.head;
      onLine(renderProgress(chain, first, position), isLast);
      if (isLast) return;
    }
    await pause(POLL_MS);
  }
}

async function readPosition(
  client: pg.Client,
  chain: string,
  clock: Clock,
): Promise<IndexPosition | undefined> {
  const { rows } = await client.query<{
    indexed: string | null;
    head: string | null;
    halted: string | null;
  }>(
    `SELECT max(block_number) FILTER (WHERE name = 'indexed')::text AS indexed,
            max(block_number) FILTER (WHERE name = 'node')::text AS head,
            max(halted) FILTER (WHERE name = 'indexed') AS halted FROM ${chainSchema(chain)}.cursors`,
  );
  const { indexed = null, head = null, halted = null } = rows[0] ?? {};
  if (indexed === null || head === null) return undefined;
  return {
    indexed: Number(indexed),
    head: Number(head),
    atMs: clock.now(),
    ...(halted !== null && { halted }),
  };
}

/** One line: how far it is, and how fast since it was first seen; or what an operator can do with an index that is halted. */
export function renderProgress(chain: string, first: IndexPosition, now: IndexPosition): string {
  if (now.halted !== undefined) {
    const ways = `npm start -- --resume ${chain} lets it go on, --rebuild ${chain} makes it anew`;
    return `${chain} is halted at block ${now.indexed}: ${now.halted}. ${ways}`;
  }
  if (now.indexed >= now.head) return `${chain} is indexed up to block ${Math.max(0, now.indexed)}`;
  const seconds = (now.atMs - first.atMs) / MILLISECONDS_PER_SECOND;
  const perSecond = seconds > 0 ? (now.indexed - first.indexed) / seconds : 0;
  const left = now.head - now.indexed;
  const rate =
    perSecond > 0 ? `, ${Math.round(perSecond)} blocks/s, ${Math.ceil(left / perSecond)} s left` : '';
  return `${chain}: indexed block ${Math.max(0, now.indexed)} of ${now.head}${rate}`;
}
