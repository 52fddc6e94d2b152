import { UpstreamError } from '../../http/upstream-error.ts';
import { type Call, ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { jsonOf } from '../../jsonrpc/json-values.ts';
import { within } from '../../runtime/sleep.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { reportedHead } from '../head/answered-head.ts';
import { REPORTS_OF_A_DROP } from '../head/head-reports.ts';
import type { Upstream } from '../upstream.ts';
import { limitNotice } from './classify-response.ts';
import { type SendOutcome, sendCalls } from './send-calls.ts';

/** Time that an upstream has to say its head while no request waits for it, in milliseconds. */
const POLL_TIMEOUT_MS = 2_000;
/** A head up to this age will do where it does little harm to take the chain for shorter than it is, in milliseconds. */
export const ROUGH_HEAD_MAX_AGE_MS = 30_000;
/** Time that the other upstreams have to say their heads after the first has, in milliseconds. */
const OTHERS_WAIT_MS = 200;

const HEAD_CALL = ownCall('eth_blockNumber', []);
const SYNCING_CALL = ownCall('eth_syncing', []);
/** Shows the time of the head: it tells an upstream that lags from one that lies. */
const NEWEST_CALL: Call = {
  ...HEAD_CALL,
  method: 'eth_getBlockByNumber',
  params: Buffer.from('["latest", false]'),
};
/** The question to an upstream that keeps up: one call. */
const SHORT = [NEWEST_CALL];
/** The question to an upstream that may sync, or that does not show its newest block. */
const WHOLE = [HEAD_CALL, SYNCING_CALL, NEWEST_CALL];
/** An instance that was frozen meanwhile knows of a response only this much too late, in milliseconds. */
const MAX_LATENESS_MS = 1_000;

/**
 * Asks an upstream for its head and records it. If the upstream reports less than it stands by, it is asked until it is
 * clear which is true. Resolves to whether it reported a head. One that is left alone for a limit of its own, or held, is not asked.
 * `deadline`: in milliseconds since the epoch. @default two seconds from now
 */
export async function askHead(
  node: ChainUpstreams,
  upstream: Upstream,
  deadline = node.clock.now() + POLL_TIMEOUT_MS,
): Promise<boolean> {
  if (upstream.health.isHeld) return false;
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
  const { health } = upstream;
  const startedAt = node.clock.now();
  if (health.limitedUntil !== undefined) return 'failed';
  health.probing(deadline);
  let isTold = false;
  const outcome = await askOwn(node, { upstream, calls, deadline }, ({ responses }) => {
    const byCall = new Map(calls.map((call, at) => [call, responses[at]]));
    isTold = takeReport(node, upstream, byCall, startedAt);
    return isTold || (calls === WHOLE ? false : undefined);
  });
  if (isTold) return 'told';
  return outcome === undefined ? 'failed' : 'unstated';
}

/** A question of the gateway's own. */
interface OwnQuestion {
  readonly upstream: Upstream;
  readonly calls: readonly Call[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * Asks an upstream, and notes how well it is. Resolves to what it answers; undefined if that is nothing, or comes too late to
 * count.
 * @param isWell whether the responses say that it is; undefined: they say nothing of that
 */
export async function askOwn(
  { clock }: Pick<ChainUpstreams, 'clock'>,
  { upstream, calls, deadline }: OwnQuestion,
  isWell: (outcome: SendOutcome) => boolean | undefined,
): Promise<SendOutcome | undefined> {
  const { health, evidence } = upstream;
  const startedAt = clock.now();
  const isLate = () => clock.now() > deadline + MAX_LATENESS_MS;
  try {
    const outcome = await sendCalls(upstream, { calls, deadline });
    if (isLate()) return undefined;
    const well = isWell(outcome);
    const notice = limitNotice(calls, outcome, clock.now());
    if (well !== undefined || notice !== undefined) evidence.asked(well === true && notice === undefined);
    if (notice !== undefined) health.limited(notice);
    else if (well === true) health.succeeded(clock.now() - startedAt, 'light');
    else if (well === false) health.failed();
    return outcome;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (isLate()) return undefined;
    evidence.asked(false);
    health.failed();
    return undefined;
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
  return response.kind === 'result' && jsonOf(response.result, 'latin1').startsWith('{');
}

/**
 * Those whose breaker may close again first: no call of a client is risked to find that out. Then one after the
 * other by their last reports to any instance, without those whose breaker is open.
 */
export function chooseNext({ upstreams, view }: ChainUpstreams, previous: number): Upstream {
  const inTurn = upstreams.map(
    (_, place) => upstreams[(previous + 1 + place) % upstreams.length] as Upstream,
  );
  const due = inTurn.find(({ health }) => health.mayProbe);
  const toldAt = ({ index }: Upstream) => view.reportedAt(index) ?? Number.NEGATIVE_INFINITY;
  const [longest] = inTurn
    .filter(({ health }) => health.usable)
    .toSorted((one, other) => (toldAt(one) < toldAt(other) ? -1 : Number(toldAt(one) > toldAt(other))));
  return due ?? longest ?? (inTurn[0] as Upstream);
}

/**
 * Asks every upstream, and waits for the first that says its head; if nothing is known of the others, also a little
 * for them.
 */
export async function askAllHeads(node: ChainUpstreams, deadline: number, unknown: boolean): Promise<void> {
  const asked = node.upstreams.map((upstream) => askHead(node, upstream, deadline));
  const all = Promise.all(asked);
  await Promise.race([all, ...asked.map(async (said) => ((await said) ? undefined : all))]);
  if (unknown) await endsBy(node.clock.now() + OTHERS_WAIT_MS, node, all);
}

/** Waits for something, but not beyond a time in milliseconds since the epoch. */
export async function endsBy(
  time: number,
  node: ChainUpstreams,
  promise: Promise<unknown> | undefined,
): Promise<void> {
  if (promise !== undefined) await within(Math.max(0, time - node.clock.now()), promise, node.wait);
}
