import { UpstreamError } from '../../http/upstream-error.ts';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { NULL_ID } from '../../jsonrpc/calls.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { REPORTS_OF_A_DROP } from '../head/head-reports.ts';
import { reportedHead } from '../head/reported-head.ts';
import type { Upstream } from '../upstream.ts';
import { limitNotice } from './read-refusal.ts';
import { sendCalls } from './send-calls.ts';

const NO_PARAMS = Buffer.from('[]');
const HEAD_CALL: Call = { id: NULL_ID, method: 'eth_blockNumber', params: NO_PARAMS };
const SYNCING_CALL: Call = { id: NULL_ID, method: 'eth_syncing', params: NO_PARAMS };
const NEWEST_PARAMS = Buffer.from('["latest", false]');
/** Shows the time of the head: it tells an upstream that lags from one that lies. */
const NEWEST_CALL: Call = { id: NULL_ID, method: 'eth_getBlockByNumber', params: NEWEST_PARAMS };
/** The question to an upstream that keeps up: one call. */
const SHORT = [NEWEST_CALL];
/** The question to an upstream that may sync, or that does not show its newest block. */
const WHOLE = [HEAD_CALL, SYNCING_CALL, NEWEST_CALL];
/** An instance that was frozen meanwhile knows of a response only this much too late, in milliseconds. */
const MAX_LATENESS_MS = 1_000;

/**
 * Asks an upstream for its head and records it. If the upstream reports less than it stands by, it is asked until it is
 * clear which is true. Resolves to whether it reported a head. One that is left alone for a limit of its own is not asked.
 * `deadline`: in milliseconds since the epoch.
 */
export async function askHead(node: ChainUpstreams, upstream: Upstream, deadline: number): Promise<boolean> {
  let said = await askOnce(node, upstream, deadline);
  for (let asked = 1; asked < REPORTS_OF_A_DROP && said && node.view.isDoubted(upstream.index); asked++) {
    said = await askOnce(node, upstream, deadline);
  }
  return said;
}

/** Asks as little as it takes. An upstream that shows no new block is asked at once whether it syncs. */
async function askOnce(node: ChainUpstreams, upstream: Upstream, deadline: number): Promise<boolean> {
  const { view, clock } = node;
  if (!view.keepsUp(upstream.index)) return (await send(node, upstream, WHOLE, deadline)) === 'told';
  const outcome = await send(node, upstream, SHORT, deadline);
  const isClear = outcome === 'failed' || (outcome === 'told' && view.keepsUp(upstream.index));
  if (isClear || clock.now() >= deadline) return outcome === 'told';
  return (await send(node, upstream, WHOLE, deadline)) === 'told';
}

/** `unstated`: there is a response without a head. */
async function send(
  node: ChainUpstreams,
  upstream: Upstream,
  calls: readonly Call[],
  deadline: number,
): Promise<'told' | 'unstated' | 'failed'> {
  const { clock } = node;
  const { health, evidence } = upstream;
  const startedAt = clock.now();
  if (health.limitedUntil !== undefined) return 'failed';
  health.probing(deadline);
  try {
    const outcome = await sendCalls(upstream, { calls, deadline });
    if (clock.now() > deadline + MAX_LATENESS_MS) return 'failed';
    const said = takeReport(
      node,
      upstream,
      new Map(calls.map((call, at) => [call, outcome.responses[at]])),
      startedAt,
    );
    const notice = limitNotice(calls, outcome, clock.now());
    if (said || notice !== undefined || calls === WHOLE) evidence.asked(said && notice === undefined);
    if (notice !== undefined) {
      health.limited(notice);
      return said ? 'told' : 'failed';
    }
    if (said) health.succeeded(clock.now() - startedAt, 'light');
    else if (calls === WHOLE) health.failed();
    return said ? 'told' : 'unstated';
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (clock.now() <= deadline + MAX_LATENESS_MS) {
      evidence.asked(false);
      health.failed();
    }
    return 'failed';
  }
}

/** Records an upstream's report of its own state. False if the report has no head. */
function takeReport(
  { view, clock }: ChainUpstreams,
  { index }: Upstream,
  responses: ReadonlyMap<Call, UpstreamResponse | undefined>,
  askedAt: number,
): boolean {
  const [head, syncing, newest] = WHOLE.map((call) => responses.get(call));
  // A node that does not know the method does not sync.
  if (syncing !== undefined && syncing.kind !== 'failed')
    view.reportSyncing(index, saysSyncing(syncing), clock.now());
  const shown = newest === undefined ? undefined : reportedHead(NEWEST_CALL, newest);
  const told = shown ?? (head === undefined ? undefined : reportedHead(HEAD_CALL, head));
  if (told === undefined) return false;
  view.report(index, told, clock.now(), askedAt);
  return true;
}

/** Nodes that sync answer with an object, all others with `false`. */
function saysSyncing(response: UpstreamResponse): boolean {
  return response.kind === 'result' && textOf(response.result).startsWith('{');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
