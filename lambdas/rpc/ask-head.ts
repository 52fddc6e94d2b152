import type { ChainUpstreams } from '../upstream/chain-upstreams.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { UpstreamError } from '../upstream/upstream-error.ts';
import { readQuantity } from './cache/quantity.ts';
import type { Call, NodeAnswer } from './calls.ts';
import { NULL_ID } from './calls.ts';
import { exchange } from './exchange.ts';

const NO_PARAMS = Buffer.from('[]');
const HEAD_CALL: Call = { id: NULL_ID, method: 'eth_blockNumber', params: NO_PARAMS };
const SYNCING_CALL: Call = { id: NULL_ID, method: 'eth_syncing', params: NO_PARAMS };
/** An instance that was frozen meanwhile knows of an answer only this much too late, in milliseconds. */
const MAX_LATENESS_MS = 1_000;

/**
 * Asks an upstream where it is, and takes note of it. Resolves to whether it said so.
 * `deadline`: in milliseconds since the epoch.
 */
export async function askHead(node: ChainUpstreams, upstream: Upstream, deadline: number): Promise<boolean> {
  const { clock } = node;
  const startedAt = clock.now();
  upstream.health.probing(deadline);
  try {
    const { answers } = await exchange(upstream, { calls: [HEAD_CALL, SYNCING_CALL], deadline });
    if (clock.now() > deadline + MAX_LATENESS_MS) return false;
    const said = takeReport(node, upstream, answers);
    if (said) upstream.health.succeeded(clock.now() - startedAt, 'light');
    else upstream.health.failed();
    return said;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (clock.now() <= deadline + MAX_LATENESS_MS) upstream.health.failed();
    return false;
  }
}

/** Takes note of what an upstream says of itself. False if it does not say where it is. */
function takeReport(
  { view, clock }: ChainUpstreams,
  { index }: Upstream,
  [head, syncing]: readonly NodeAnswer[],
): boolean {
  const number = head?.kind === 'result' ? readQuantity(textOf(head.result)) : undefined;
  // A node that does not know the method does not sync.
  if (syncing !== undefined && syncing.kind !== 'failed') view.reportSyncing(index, saysSyncing(syncing));
  if (number === undefined) return false;
  view.report(index, number, clock.now());
  return true;
}

/** Nodes that sync answer with an object, all others with `false`. */
function saysSyncing(answer: NodeAnswer): boolean {
  return answer.kind === 'result' && textOf(answer.result).startsWith('{');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
