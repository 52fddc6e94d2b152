import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import { readObject } from '../blocks/json-shape.ts';
import { blockCall, resultOf, sendBatch } from '../fetch/send-batch.ts';
import type { SteadyUpstream } from '../fetch/sticky-upstream.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';
import { blockNumberOf, type OfSeveralNodes } from './with-best-head.ts';

/** For how long every answer must be that a block is gone, in milliseconds, where the upstream that reported it takes it back. */
export const VANISHED_MS = 4_000;
/** The same where that upstream is silent, and more than half of all upstreams do not have it. */
export const LAPSED_MS = 60_000;
/** For how long nothing is believed gone after it was missing and there again, in milliseconds: a URL has several nodes. */
export const POOLED_MS = 60_000;
/** Time between two questions to all upstreams while the node is behind, in milliseconds, and time for their answers. */
const ASK_INTERVAL_MS = 1_000;
const ANSWER_MS = 1_000;

/** What an upstream says of a block. One that syncs does not know yet, so it says as little as one that is silent. */
type Testimony = 'has' | 'lacks' | 'silent';

/**
 * A reader that tells a chain that became shorter from a node that lags. A block is gone if the node that is read does not
 * have it, no other upstream has it, and one that reported it takes it back, for a few seconds without exception. An upstream
 * is known to have reported a block if its head was as high; if all upstreams lack the block, one of them reported it.
 */
export function withVanishedBlocks({ reader, node, clock }: OfSeveralNodes): ChainReader {
  /** The highest head of each upstream that was read. */
  const told = new Map<string, number>();
  let missing: { readonly number: number; readonly since: number } | undefined;
  let pooledUntil = -Infinity;
  let askAt = -Infinity;

  const ask = async (block: Pick<BlockId, 'number' | 'hash'>, { deadline }: ReadDeadline) => {
    const limit = Math.min(deadline, clock.now() + ANSWER_MS);
    const upstreams = [node.current(), ...node.others()];
    return Promise.all(
      upstreams.map(async (upstream): Promise<Statement> => {
        const says = await testimonyOf(upstream, block, limit).catch((): Testimony => 'silent');
        return { upstream, says };
      }),
    );
  };

  return {
    ...reader,
    async head(options) {
      const head = await reader.head(options);
      const { name } = node.current();
      told.set(name, Math.max(head.number, told.get(name) ?? 0));
      if (missing !== undefined && head.number >= missing.number) {
        missing = undefined;
        pooledUntil = clock.now() + POOLED_MS;
      }
      return head;
    },
    async isGone(block, options) {
      if (clock.now() < pooledUntil) {
        // That it is there again once more prolongs the time.
        missing = { number: block.number, since: Infinity };
        return false;
      }
      if (clock.now() < askAt) return false;
      askAt = clock.now() + ASK_INTERVAL_MS;
      const answers = await ask(block, options);
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

/** What each upstream says, the one that is read first. */
interface Statement {
  readonly upstream: SteadyUpstream;
  readonly says: Testimony;
}

/**
 * How long a block must be missing by these answers until it is gone, in milliseconds.
 * @param heads the highest one of each upstream that was read
 */
function timeToBelieve(
  number: number,
  answers: readonly Statement[],
  heads: ReadonlyMap<string, number>,
): number {
  const lacking = answers.filter(({ says }) => says === 'lacks');
  const [read] = answers;
  if (read?.says !== 'lacks' || answers.some(({ says }) => says === 'has')) return Infinity;
  const isTakenBack = lacking.some(({ upstream }) => (heads.get(upstream.name) ?? -1) >= number);
  if (isTakenBack || lacking.length === answers.length) return VANISHED_MS;
  return lacking.length > answers.length / 2 ? LAPSED_MS : Infinity;
}

/** Rejects where the upstream does not say. */
async function testimonyOf(
  { connection }: SteadyUpstream,
  { number, hash }: Pick<BlockId, 'number' | 'hash'>,
  deadline: number,
): Promise<Testimony> {
  const calls = [{ method: 'eth_syncing', params: [] }, blockCall('latest'), blockCall(number)];
  const [syncing, newest, block] = (await sendBatch(connection, calls, { deadline })).responses;
  const found = resultOf(block);
  if (found !== null && readObject(found, 'block').hash === hash) return 'has';
  // A node that does not know the method does not sync.
  const isSyncing = syncing !== undefined && 'result' in syncing && syncing.result !== false;
  const head = blockNumberOf(newest);
  // Without the block, and with a head that is not below it, it contradicts itself.
  return isSyncing || (found === null && head >= number) ? 'silent' : 'lacks';
}
