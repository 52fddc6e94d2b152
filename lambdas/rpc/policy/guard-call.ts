import type { Call } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import {
  exceedsRange,
  type LogsRange,
  type MovingBlock,
  movingBlocks,
  readLogsRange,
} from '../../shared/jsonrpc/logs-range.ts';
import { requiredBlock } from '../../shared/jsonrpc/required-block.ts';
import { isIdempotent, readsState } from '../../shared/methods/method-facts.ts';
import { LOGS_METHOD } from '../../shared/methods/method-table.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { type Soon, whenThere } from '../../shared/runtime/soon.ts';
import { ROUGH_HEAD_MAX_AGE_MS } from '../../shared/upstream/routing/ask-head.ts';
import {
  type HeadBounds,
  type HeadTracker,
  isBeyondSyncing,
} from '../../shared/upstream/routing/head-tracker.ts';

/** What the guards look at beside the call. */
interface Guarded {
  readonly chain: Pick<ChainSettings, 'maxLogsBlockRange' | 'stateWindowBlocks'>;
  readonly view: HeadTracker;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Why a call must not be sent to a node, if it must not; at once where what is known of the head will do. */
export function guardCall(call: Call, guarded: Guarded): Soon<CataloguedError | undefined> {
  return call.method === LOGS_METHOD ? guardLogs(call, guarded) : guardBlock(call, guarded);
}

async function guardLogs(call: Call, guarded: Guarded): Promise<CataloguedError | undefined> {
  return (await guardLogsRange(call, guarded)) ?? (await guardBlock(call, guarded));
}

/** Logs of at most so many blocks at once. */
async function guardLogsRange(
  call: Call,
  { chain, view, deadline }: Guarded,
): Promise<CataloguedError | undefined> {
  const range = readLogsRange(call.params);
  if (range.kind === 'ambiguous') return { reason: 'ambiguous_member' };
  if (range.kind !== 'range') return undefined;
  const known = exceedsKnown(range, view.bounds(), chain.maxLogsBlockRange);
  if (known !== undefined)
    return known ? tooManyBlocks('logs_range_too_large', chain.maxLogsBlockRange) : undefined;
  const numbers = new Map<MovingBlock, bigint>();
  for (const block of movingBlocks(range)) {
    const number = block === 'latest' ? await view.read(deadline) : await view.tagged(block, deadline);
    if (number === undefined) return view.whyUnknown();
    numbers.set(block, number);
  }
  return exceedsRange(range, numbers, chain.maxLogsBlockRange)
    ? tooManyBlocks('logs_range_too_large', chain.maxLogsBlockRange)
    : undefined;
}

/** Whether a range is too large wherever the head is by now; undefined if that depends on where, or on another block. */
function exceedsKnown(
  range: Extract<LogsRange, { kind: 'range' }>,
  bounds: HeadBounds | undefined,
  maxBlocks: number,
): boolean | undefined {
  if (bounds === undefined || [...movingBlocks(range)].some((block) => block !== 'latest')) return undefined;
  const [least, most] = [bounds.least, bounds.most].map((latest) =>
    exceedsRange(range, new Map([['latest', latest]]), maxBlocks),
  );
  return least === most ? least : undefined;
}

/** No state that nodes have dropped, and nothing that depends on the newest block from a chain that is not there yet. */
function guardBlock(call: Call, { chain, view, deadline }: Guarded): Soon<CataloguedError | undefined> {
  // What acts is not kept waiting, nor refused: the node knows best whether it takes it.
  if (!isIdempotent(call.method)) return undefined;
  const need = requiredBlock(call);
  if (need.kind === 'block') return guardNumber(call, need.number, { chain, view, deadline });
  if (need.kind !== 'head') return undefined;
  return whenThere(view.glance(deadline), () => (view.isSyncing() ? { reason: 'node_syncing' } : undefined));
}

async function guardNumber(
  call: Call,
  number: bigint,
  { chain, view, deadline }: Guarded,
): Promise<CataloguedError | undefined> {
  const head = readsState(call.method) ? await view.glance(deadline, ROUGH_HEAD_MAX_AGE_MS) : undefined;
  // What was heard long ago refuses no call.
  if (isBeyondSyncing(number, view)) await view.peek(deadline);
  if (isBeyondSyncing(number, view)) return { reason: 'node_syncing' };
  return head === undefined ? undefined : guardState(call, head, chain.stateWindowBlocks);
}

/** No state beyond the most recent so many blocks, which are the head and those before it. */
export function guardState(call: Call, head: bigint, windowBlocks: number): CataloguedError | undefined {
  if (!readsState(call.method)) return undefined;
  const need = requiredBlock(call);
  return need.kind === 'block' && need.number <= head - BigInt(windowBlocks)
    ? tooManyBlocks('state_not_available', windowBlocks)
    : undefined;
}

function tooManyBlocks(reason: 'logs_range_too_large' | 'state_not_available', max: number): CataloguedError {
  return { reason, parameters: { max }, details: { max_blocks: max } };
}
