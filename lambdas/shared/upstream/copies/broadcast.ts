import { UpstreamError } from '../../http/upstream-error.ts';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { type ChainUpstreams, PRIVATE_MEMPOOL, PUBLIC_MEMPOOL } from '../chain-upstreams.ts';
import { chooseSome, hasMethod } from '../routing/able-upstreams.ts';
import { SEND_METHOD } from '../routing/own-transactions.ts';
import { sendCalls } from '../routing/send-calls.ts';
import type { Upstream } from '../upstream.ts';

/** Longest time that the copies of a transaction take, in milliseconds. */
const COPY_MS = 500;

/** A call with its response. */
export interface Answered {
  readonly call: Call;
  readonly response: UpstreamResponse;
}

/**
 * Sends transactions that an upstream took to further ones of its mempool, `count` in all. Nothing depends on what becomes of
 * the copies: they count for no budget and against no upstream. What a private mempool took goes nowhere else. Never rejects
 * but for a defect.
 */
export async function broadcast(
  node: ChainUpstreams,
  count: number,
  answered: readonly Answered[],
): Promise<void> {
  const taken = Map.groupBy(answered.filter(isTaken), ({ response }) => takerOf(node, response));
  await Promise.all(
    [...taken].flatMap(([taker, sent]) => {
      const calls = sent.map(({ call }) => call);
      return taker === undefined ? [] : othersOf(taker, node, count).map((one) => copyTo(one, calls, node));
    }),
  );
}

function isTaken({ call, response }: Answered): boolean {
  return call.method === SEND_METHOD && response.kind === 'result';
}

/** The upstream that took a transaction; undefined where another client had sent it before. */
function takerOf({ upstreams }: ChainUpstreams, response: UpstreamResponse): Upstream | undefined {
  return response.kind === 'result' && response.from !== undefined ? upstreams[response.from] : undefined;
}

/** Further upstreams of the mempool, as calls choose theirs. */
function othersOf(
  taker: Upstream,
  { upstreams, random }: ChainUpstreams,
  count: number,
): readonly Upstream[] {
  const mempool = mempoolOf(taker);
  if (mempool === PRIVATE_MEMPOOL) return [];
  const others = upstreams.filter(
    (one) => one !== taker && mempoolOf(one) === mempool && one.health.usable && hasMethod(one, SEND_METHOD),
  );
  return chooseSome(others, count - 1, random);
}

function mempoolOf({ abilities: { mempool = PUBLIC_MEMPOOL } }: Upstream): string {
  return mempool;
}

async function copyTo(upstream: Upstream, calls: readonly Call[], { clock }: ChainUpstreams): Promise<void> {
  try {
    if ((await upstream.pace?.admits(calls.length)) === false) return;
    await sendCalls(upstream, { calls, deadline: clock.now() + COPY_MS, maySplit: () => false });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
  }
}
