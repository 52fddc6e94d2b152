import type { Figure } from '../figures.ts';
import { CACHED_CALL, SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';
import { GROUPS_AHEAD, type Stage } from './rpc-stage.ts';
import {
  beside,
  compare,
  REQUESTS,
  sendBoth,
  startProxy,
  startSharedFunction,
  startStubNode,
  type Way,
  type Ways,
} from './rpc-ways.ts';

const SLOW_NODE_MS = 30;
/** Bytes of a large result. */
const LARGE_BYTES = 10_000_000;
const TURNS = { rounds: 7, roundMs: 800 };
/**
 * Some 60,000 calls: until then threads beside the main one compile the function's code again, for a tenth to a quarter
 * of the processor time. Once for each pair of processes.
 */
const WARM_UP_MS = 25_000;
const BYTES_PER_MB = 1_000_000;

/** One process with many requests at a time, each with other calls, beside the bare proxy. */
export async function measureManyRequests(stage: Stage): Promise<Figure[]> {
  return [
    ...(await withWays(stage, 0, measureQuickNode)),
    ...(await withWays(stage, SLOW_NODE_MS, measureSlowNode)),
    ...(await withWays(stage, 0, measureLargeResults)),
  ];
}

async function withWays(
  stage: Stage,
  delayMs: number,
  measure: (ways: Ways) => Promise<Figure[]>,
): Promise<Figure[]> {
  const node = await startStubNode({ traceBytes: LARGE_BYTES, delayMs });
  const lambda = await startSharedFunction(stage, { mode: GROUPS_AHEAD, nodeUrl: node.url });
  const proxy = startProxy(node.url);
  try {
    return await measure({ lambda, proxy, apiKey: stage.apiKey });
  } finally {
    await Promise.all([lambda.close(), proxy.close(), node.close()]);
  }
}

async function measureQuickNode(ways: Ways): Promise<Figure[]> {
  const load = { body: SINGLE_CALL, clients: 16 };
  const first = await sendBoth(ways, load, TURNS.roundMs);
  await warmUp(ways);
  const busy = await compare(ways, load, TURNS);
  const single = await compare(ways, { body: SINGLE_CALL, clients: 1 }, TURNS);
  const cached = await compare(ways, { body: CACHED_CALL, clients: 16 }, TURNS);
  const resident = await memoryOf(ways, 'residentBytes');
  return [
    { ...beside('16 at a time: CPU', busy, 'cpuMs', 'ms'), mostRatio: 1.5 },
    beside('the same, first second of new processes', first, 'cpuMs', 'ms'),
    { ...beside('16 at a time: requests', busy, 'perSecond', '/s'), leastRatio: 0.7 },
    { ...beside('1 at a time: CPU', single, 'cpuMs', 'ms'), mostRatio: 1.7 },
    {
      ...beside('cached call, 16 at a time: CPU', { ...cached, proxy: busy.proxy }, 'cpuMs', 'ms'),
      mostRatio: 1,
    },
    {
      name: 'memory after this load',
      value: resident.lambda,
      unit: 'MB',
      baseline: { name: 'bare proxy', value: resident.proxy },
      most: 160,
      mostRatio: 1.6,
    },
  ];
}

async function measureSlowNode(ways: Ways): Promise<Figure[]> {
  await warmUp(ways);
  const all = await compare(ways, { body: SINGLE_CALL, clients: REQUESTS }, TURNS);
  const one = await compare(ways, { body: SINGLE_CALL, clients: 1 }, TURNS);
  const named = `node of ${SLOW_NODE_MS} ms`;
  return [
    {
      ...beside(`${REQUESTS} at a time, ${named}, none refused: requests`, all, 'perSecond', '/s'),
      leastRatio: 0.8,
    },
    { ...beside(`1 at a time, ${named}: p50`, one, 'p50', 'ms'), mostAbove: 0.6 },
  ];
}

async function measureLargeResults(ways: Ways): Promise<Figure[]> {
  await warmUp(ways);
  const idle = await memoryOf(ways, 'residentBytes');
  const large = await compare(ways, { body: TRACE_CALL, clients: 1 }, TURNS);
  const peak = await memoryOf(ways, 'peakBytes');
  const quick = { body: SINGLE_CALL, clients: REQUESTS - 1, besideBody: TRACE_CALL };
  const beside63 = await compare(ways, quick, TURNS);
  return [
    { ...beside('result of 10 MB: p50', large, 'p50', 'ms'), mostRatio: 1.6 },
    {
      name: 'the same in a row: peak memory above idle',
      value: peak.lambda - idle.lambda,
      unit: 'MB',
      baseline: { name: 'bare proxy', value: peak.proxy - idle.proxy },
      most: 60,
    },
    { ...beside('63 quick beside a reader of 10 MB: p99', beside63, 'p99', 'ms'), mostRatio: 1.5 },
  ];
}

/** Memory of both, in megabytes. */
async function memoryOf(
  { lambda, proxy }: Ways,
  figure: 'residentBytes' | 'peakBytes',
): Promise<Record<Way, number>> {
  const [ofLambda, ofProxy] = await Promise.all([lambda.ask({}), proxy.ask({})]);
  return { lambda: ofLambda[figure] / BYTES_PER_MB, proxy: ofProxy[figure] / BYTES_PER_MB };
}

/** Both do what they do all day, until their code is compiled for it. */
async function warmUp(ways: Ways): Promise<void> {
  await sendBoth(ways, { body: SINGLE_CALL, clients: REQUESTS }, WARM_UP_MS);
}
