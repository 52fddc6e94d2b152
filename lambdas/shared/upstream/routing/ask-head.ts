import { UpstreamError } from '../../http/upstream-error.ts';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { NULL_ID } from '../../jsonrpc/calls.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { DROP_TELLINGS } from '../head/head-reports.ts';
import { toldHead } from '../head/told-head.ts';
import type { Upstream } from '../upstream.ts';
import { limitNotice } from './read-refusal.ts';
import { sendCalls } from './send-calls.ts';

const NO_PARAMS = Buffer.from('[]');
const HEAD_CALL: Call = { id: NULL_ID, method: 'eth_blockNumber', params: NO_PARAMS };
const SYNCING_CALL: Call = { id: NULL_ID, method: 'eth_syncing', params: NO_PARAMS };
const NEWEST_PARAMS = Buffer.from('["latest",false]');
/** Shows the time of the head: by it one tells who lags from who lies. */
const NEWEST_CALL: Call = { id: NULL_ID, method: 'eth_getBlockByNumber', params: NEWEST_PARAMS };
const CALLS = [HEAD_CALL, SYNCING_CALL, NEWEST_CALL];
/** An instance that was frozen meanwhile knows of an answer only this much too late, in milliseconds. */
const MAX_LATENESS_MS = 1_000;

/**
 * Asks an upstream for its head and records it. If the upstream reports less than it stands by, it is asked until it is
 * clear which is true. Resolves to whether it reported a head. One that is left alone for a limit of its own is not asked.
 * `deadline`: in milliseconds since the epoch.
 */
export async function askHead(node: ChainUpstreams, upstream: Upstream, deadline: number): Promise<boolean> {
  let said = await askOnce(node, upstream, deadline);
  for (let asked = 1; asked < DROP_TELLINGS && said && node.view.isDoubted(upstream.index); asked++) {
    said = await askOnce(node, upstream, deadline);
  }
  return said;
}

async function askOnce(node: ChainUpstreams, upstream: Upstream, deadline: number): Promise<boolean> {
  const { clock } = node;
  const startedAt = clock.now();
  if (upstream.health.limitedUntil !== undefined) return false;
  upstream.health.probing(deadline);
  try {
    const outcome = await sendCalls(upstream, { calls: CALLS, deadline });
    if (clock.now() > deadline + MAX_LATENESS_MS) return false;
    const said = takeReport(node, upstream, outcome.answers, startedAt);
    const notice = limitNotice(CALLS, outcome, clock.now());
    if (notice !== undefined) upstream.health.limited(notice);
    else if (said) upstream.health.succeeded(clock.now() - startedAt, 'light');
    else upstream.health.failed();
    return said;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (clock.now() <= deadline + MAX_LATENESS_MS) upstream.health.failed();
    return false;
  }
}

/** Records an upstream's report of its own state. False if the report has no head. */
function takeReport(
  { view, clock }: ChainUpstreams,
  { index }: Upstream,
  [head, syncing, newest]: readonly UpstreamResponse[],
  askedAt: number,
): boolean {
  // A node that does not know the method does not sync.
  if (syncing !== undefined && syncing.kind !== 'failed')
    view.reportSyncing(index, saysSyncing(syncing), clock.now());
  const shown = newest === undefined ? undefined : toldHead(NEWEST_CALL, newest);
  const told = shown ?? (head === undefined ? undefined : toldHead(HEAD_CALL, head));
  if (told === undefined) return false;
  view.report(index, told, clock.now(), askedAt);
  return true;
}

/** Nodes that sync answer with an object, all others with `false`. */
function saysSyncing(answer: UpstreamResponse): boolean {
  return answer.kind === 'result' && textOf(answer.result).startsWith('{');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
