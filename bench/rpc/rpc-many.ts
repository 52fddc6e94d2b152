import { REQUESTS_PER_ENVIRONMENT_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { requestsAtATime } from '../../lambdas/shared/runtime/process-bounds.ts';
import { SHARED_ENVIRONMENT_NODE_OPTIONS } from '../../lib/config/function-config.ts';
import { type Figure, median, quantile } from '../figures.ts';
import type { ProcessState } from '../process-state.ts';
import { sendLoad } from './rpc-load.ts';
import { startStubNode, startWorker, type Worker } from './rpc-processes.ts';
import { CACHED_CALL, SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';
import { GROUPS_AHEAD, type Stage } from './rpc-stage.ts';

/** Requests that the process may have at a time. */
export const REQUESTS = 64;
const SLOW_NODE_MS = 30;
/** Bytes of a large result. */
const LARGE_BYTES = 10_000_000;
/** The heap of a process of 2 GB, which an environment has, and what the stage gives it by its environment variables. */
export const HEAP_OF_ENVIRONMENT = ['--max-old-space-size=1843', SHARED_ENVIRONMENT_NODE_OPTIONS];
/** Rounds in which function and proxy take turns; a figure is the median of its rounds. */
const ROUNDS = 7;
const ROUND_MS = 800;
/**
 * Some 60,000 calls: until then threads beside the main one compile the function's code again, for a tenth to a quarter
 * of the processor time. Once for each pair of processes.
 */
const WARM_UP_MS = 25_000;
/** The same before each load, which may run code that the last one did not. */
const WARM_UP_OF_LOAD_MS = 3_000;
const BYTES_PER_MB = 1_000_000;

/** Function and proxy before the same node. */
interface Ways {
  readonly lambda: Worker<object, ProcessState>;
  readonly proxy: Worker<object, ProcessState>;
  readonly apiKey: string;
}

type Way = 'lambda' | 'proxy';

interface Load {
  readonly body: string;
  readonly clients: number;
  /** A client that reads large results all the while. @default none */
  readonly besideBody?: string;
}

/** The figures of a load. */
interface Round {
  readonly cpuMs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** One process with many requests at a time, each with other calls, beside the bare proxy. */
export async function measureManyRequests(stage: Stage, apiKey: string): Promise<Figure[]> {
  return [
    ...(await withWays(stage, apiKey, 0, measureQuickNode)),
    ...(await withWays(stage, apiKey, SLOW_NODE_MS, measureSlowNode)),
    ...(await withWays(stage, apiKey, 0, measureLargeResults)),
  ];
}

async function withWays(
  stage: Stage,
  apiKey: string,
  delayMs: number,
  measure: (ways: Ways) => Promise<Figure[]>,
): Promise<Figure[]> {
  const node = await startStubNode({ traceBytes: LARGE_BYTES, delayMs });
  const environment = await stage.environment({ mode: GROUPS_AHEAD, nodeUrl: node.url });
  const many = { ...environment, [REQUESTS_PER_ENVIRONMENT_VARIABLE]: String(REQUESTS) };
  if (requestsAtATime(many) !== REQUESTS) throw new Error('the function has one request at a time');
  const ways: Ways = {
    lambda: startWorker('rpc-server.ts', { environment: many, nodeOptions: HEAP_OF_ENVIRONMENT }),
    proxy: startWorker('rpc-proxy.ts', { scriptArguments: [node.url] }),
    apiKey,
  };
  try {
    return await measure(ways);
  } finally {
    await Promise.all([ways.lambda.close(), ways.proxy.close(), node.close()]);
  }
}

async function measureQuickNode(ways: Ways): Promise<Figure[]> {
  const load = { body: SINGLE_CALL, clients: 16 };
  const first = await sendBoth(ways, load, ROUND_MS);
  await warmUp(ways);
  const busy = await compare(ways, load);
  const single = await compare(ways, { body: SINGLE_CALL, clients: 1 });
  const cached = await compare(ways, { body: CACHED_CALL, clients: 16 });
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
      most: 220,
      mostRatio: 1.6,
    },
  ];
}

async function measureSlowNode(ways: Ways): Promise<Figure[]> {
  await warmUp(ways);
  const all = await compare(ways, { body: SINGLE_CALL, clients: REQUESTS });
  const one = await compare(ways, { body: SINGLE_CALL, clients: 1 });
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
  const large = await compare(ways, { body: TRACE_CALL, clients: 1 });
  const peak = await memoryOf(ways, 'peakBytes');
  const beside63 = await compare(ways, { body: SINGLE_CALL, clients: REQUESTS - 1, besideBody: TRACE_CALL });
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

function beside(
  name: string,
  { lambda, proxy }: Readonly<Record<Way, Round>>,
  key: keyof Round,
  unit: string,
): Figure {
  return { name, value: lambda[key], unit, baseline: { name: 'bare proxy', value: proxy[key] } };
}

/** Has both do what they do all day, until their code is compiled for it. */
async function warmUp(ways: Ways): Promise<void> {
  await sendBoth(ways, { body: SINGLE_CALL, clients: REQUESTS }, WARM_UP_MS);
}

/** Sends both the same in turns. Rejects at the first response without a result. */
async function compare(ways: Ways, load: Load): Promise<Record<Way, Round>> {
  await sendBoth(ways, load, WARM_UP_OF_LOAD_MS);
  const rounds: Record<Way, Round>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await sendBoth(ways, load, ROUND_MS));
  const of = (way: Way) => medianOf(rounds.map((round) => round[way]));
  return { lambda: of('lambda'), proxy: of('proxy') };
}

/** Sends to one after the other: each has the machine for itself. */
async function sendBoth(ways: Ways, load: Load, durationMs: number): Promise<Record<Way, Round>> {
  const lambda = await send(ways, 'lambda', load, durationMs);
  return { lambda, proxy: await send(ways, 'proxy', load, durationMs) };
}

async function send(ways: Ways, way: Way, load: Load, durationMs: number): Promise<Round> {
  const before = await ways[way].ask({});
  const headers = { 'x-api-key': ways.apiKey };
  const clientOf = (body: string, clients: number) =>
    sendLoad({ url: `${before.url}/v1/`, headers, body, clients, durationMs });
  const [{ wallMs, latenciesMs }] = await Promise.all([
    clientOf(load.body, load.clients),
    ...(load.besideBody === undefined ? [] : [clientOf(load.besideBody, 1)]),
  ]);
  const after = await ways[way].ask({});
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / latenciesMs.length,
    perSecond: latenciesMs.length / (wallMs / 1_000),
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
  };
}

function medianOf(rounds: readonly Round[]): Round {
  const of = (key: keyof Round) => median(rounds.map((round) => round[key]));
  return { cpuMs: of('cpuMs'), perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') };
}
