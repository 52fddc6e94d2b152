import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { readInteger, readObject } from '../blocks/json-shape.ts';
import { askAside } from '../fetch/other-nodes.ts';
import { blockCall, type NodeCall, type NodeResponse, resultOf } from '../fetch/send-batch.ts';
import type { SteadyUpstream, StickyUpstream } from '../fetch/sticky-upstream.ts';
import type { ReadDeadline } from './chain-reader.ts';

/** For how long every answer must be that a block is gone, in milliseconds, where the upstream that reported it takes it back. */
export const VANISHED_MS = 4_000;
/** The same where that upstream is silent, and more than half of all upstreams do not have it. */
export const LAPSED_MS = 60_000;
/** For how long nothing is believed gone after it was missing and there again, in milliseconds: a URL has several nodes. */
export const POOLED_MS = 60_000;
/** Time between two questions to all upstreams while the node is behind, in milliseconds. */
const ASK_INTERVAL_MS = 1_000;
/** Time that several upstreams have for an answer, in milliseconds. */
export const OTHERS_ANSWER_MS = 1_000;

/** What an upstream says of a block. One that syncs does not know yet, so it says as little as one that is silent. */
type Testimony = 'has' | 'lacks' | 'silent';

/**
 * Tells a chain that became shorter from a node that lags. A block is gone if the node that is read does not have it, no other
 * upstream has it, and one that reported it takes it back, for a few seconds without exception. An upstream is known to have
 * reported a block if its head was as high; if all upstreams lack the block, one of them reported it.
 */
export function createVanishedWatch(node: StickyUpstream, clock: Clock) {
  /** The highest head of each upstream that was read. */
  const told = new Map<string, number>();
  let missing: { readonly number: number; readonly since: number } | undefined;
  let pooledUntil = -Infinity;
  let askAt = -Infinity;

  return {
    /** Learns the head of the node that is read. */
    note(head: Pick<BlockId, 'number'>): void {
      const { name } = node.current();
      told.set(name, Math.max(head.number, told.get(name) ?? 0));
      if (missing !== undefined && head.number >= missing.number) {
        missing = undefined;
        pooledUntil = clock.now() + POOLED_MS;
      }
    },
    /** Whether a block above that head is gone. */
    async isGone(block: Pick<BlockId, 'number' | 'hash'>, options: ReadDeadline): Promise<boolean> {
      if (clock.now() < pooledUntil) {
        // That it is there again once more prolongs the time.
        missing = { number: block.number, since: Infinity };
        return false;
      }
      if (clock.now() < askAt) return false;
      askAt = clock.now() + ASK_INTERVAL_MS;
      const deadline = Math.min(options.deadline, clock.now() + OTHERS_ANSWER_MS);
      const calls = [{ method: 'eth_syncing', params: [] }, blockCall('latest'), blockCall(block.number)];
      const upstreams = [node.current(), ...node.others()];
      const answers = await askEach(upstreams, calls, deadline, (said) => testimonyOf(block, said));
      const needed = timeToBelieve(block.number, answers, told);
      if (needed === Infinity) {
        missing = undefined;
        return false;
      }
      if (missing?.number !== block.number || missing.since > clock.now())
        missing = { number: block.number, since: clock.now() };
      if (clock.now() - missing.since < needed) return false;
      // What was reported of the longer chain says nothing of the shorter one.
      told.clear();
      missing = undefined;
      return true;
    },
  };
}

/** What each of some upstreams says, in their order; nothing where it does not answer, or not what can be read. */
export function askEach<T>(
  upstreams: readonly SteadyUpstream[],
  calls: readonly NodeCall[],
  deadline: number,
  read: (answers: readonly NodeResponse[]) => T,
): Promise<readonly { readonly upstream: SteadyUpstream; readonly said?: T }[]> {
  return Promise.all(
    upstreams.map(async (upstream) => {
      try {
        return {
          upstream,
          said: read(await askAside(upstream, calls, { deadline })),
        };
      } catch {
        return { upstream };
      }
    }),
  );
}

/**
 * How long a block must be missing by these answers until it is gone, in milliseconds.
 * @param answers of each upstream, the one that is read first
 * @param heads the highest one of each upstream that was read
 */
function timeToBelieve(
  number: number,
  answers: Awaited<ReturnType<typeof askEach<Testimony>>>,
  heads: ReadonlyMap<string, number>,
): number {
  const lacking = answers.filter(({ said }) => said === 'lacks');
  const [read] = answers;
  if (read?.said !== 'lacks' || answers.some(({ said }) => said === 'has')) return Infinity;
  const isTakenBack = lacking.some(({ upstream }) => (heads.get(upstream.name) ?? -1) >= number);
  if (isTakenBack || lacking.length === answers.length) return VANISHED_MS;
  return lacking.length > answers.length / 2 ? LAPSED_MS : Infinity;
}

/** Throws where the upstream does not say. */
function testimonyOf(
  { number, hash }: Pick<BlockId, 'number' | 'hash'>,
  [syncing, newest, block]: readonly NodeResponse[],
): Testimony {
  const found = resultOf(block);
  if (found !== null && readObject(found, 'block').hash === hash) return 'has';
  // A node that does not know the method does not sync.
  const isSyncing = syncing !== undefined && 'result' in syncing && syncing.result !== false;
  const head = blockNumberOf(newest);
  // Without the block, and with a head that is not below it, it contradicts itself.
  return isSyncing || (found === null && head >= number) ? 'silent' : 'lacks';
}

/** Number of the block that a node sent. @throws {NodeError} where it sent none, or ShapeError */
export function blockNumberOf(answer: NodeResponse | undefined): number {
  return readInteger(readObject(resultOf(answer), 'block').number, 'block.number');
}
