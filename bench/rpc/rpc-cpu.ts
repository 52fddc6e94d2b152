import type { Meter } from '../../lambdas/access/contract/metering.ts';
import { type Figure, median } from '../figures.ts';
import type { ProcessState } from '../process-state.ts';
import type { Drive, Driven } from './rpc-function.ts';
import { sendLoad } from './rpc-load.ts';
import type { Worker } from './rpc-processes.ts';
import { BATCH, SINGLE_CALL } from './rpc-requests.ts';
import { EACH_STORED, GROUPS_AHEAD, type MeteringMode } from './rpc-stage.ts';

/** Rounds in which the function and the proxy take turns; a figure is the median of its rounds. */
const ROUNDS = 3;
const ROUND_MS = 700;
const WARM_UP_MS = 500;

/** The requests to the function, and how many are sent at once. */
interface Workload {
  readonly name: string;
  readonly body: string;
  readonly atOnce: number;
  /** Least requests per second by metering mode, as a share of the bare proxy's. */
  readonly leastShare?: ReadonlyMap<MeteringMode, number>;
}

const BUSY_KEY: Workload['leastShare'] = new Map([
  [EACH_STORED, 0.2],
  [GROUPS_AHEAD, 0.4],
]);
const WORKLOADS: readonly Workload[] = [
  { name: 'single call, 1 at a time', body: SINGLE_CALL, atOnce: 1 },
  { name: 'single call, 16 at a time', body: SINGLE_CALL, atOnce: 16, leastShare: BUSY_KEY },
  { name: '100-call batch, 1 at a time', body: BATCH, atOnce: 1 },
  { name: '100-call batch, 16 at a time', body: BATCH, atOnce: 16 },
];
const COST_CU = 10;
const USAGE = [{ chain: 'bench', method: 'eth_getBalance', calls: 1, cu: COST_CU, cached: 0, errors: 0 }];

/** The function in one metering mode. */
export interface Contestant {
  readonly mode: MeteringMode;
  readonly lambda: Worker<Drive, Driven>;
}

/** What is measured beside each other. */
interface Contestants {
  readonly functions: readonly Contestant[];
  readonly proxy: Worker<object, ProcessState>;
  readonly meter: Meter;
  readonly apiKey: string;
}

interface Cost {
  /** CPU time of the process per request, in milliseconds. */
  readonly cpuMs: number;
  readonly perSecond: number;
}

/** CPU time per request and requests per second, of the function's bundle and of a proxy that only passes on. */
export async function measureCpu(contestants: Contestants): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const workload of WORKLOADS) figures.push(...(await compare(contestants, workload)));
  const cpuMs = await meterAlone(contestants);
  return [...figures, { name: 'admission and charge alone: CPU', value: cpuMs, unit: 'ms' }];
}

async function compare(
  { functions, proxy, apiKey }: Contestants,
  { name, body, atOnce, leastShare }: Workload,
): Promise<Figure[]> {
  const contestants = functions.map(({ mode, lambda }) => ({
    mode,
    drive: (durationMs: number) => driveFunction(lambda, { body, apiKey, atOnce, durationMs }),
    costs: [] as Cost[],
  }));
  const proxyLoad = {
    drive: (durationMs: number) => driveProxy(proxy, body, atOnce, durationMs),
    costs: [] as Cost[],
  };
  for (const { drive } of [...contestants, proxyLoad]) await drive(WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { drive, costs } of [...contestants, proxyLoad]) costs.push(await drive(ROUND_MS));
  }
  return contestants.flatMap(({ mode, costs }) => {
    const figure = (label: string, key: keyof Cost, unit: string): Figure => ({
      name: `${name}, ${mode.name}: ${label}`,
      value: median(costs.map((cost) => cost[key])),
      unit,
      baseline: { name: 'bare proxy', value: median(proxyLoad.costs.map((cost) => cost[key])) },
    });
    const leastRatio = leastShare?.get(mode);
    return [
      figure('CPU', 'cpuMs', 'ms'),
      { ...figure('requests', 'perSecond', '/s'), ...(leastRatio !== undefined && { leastRatio }) },
    ];
  });
}

async function driveFunction(
  lambda: Worker<Drive, Driven>,
  {
    body,
    apiKey,
    atOnce,
    durationMs,
  }: {
    readonly body: string;
    readonly apiKey: string;
    readonly atOnce: number;
    readonly durationMs: number;
  },
): Promise<Cost> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const mostRequests = Number.MAX_SAFE_INTEGER;
  const { requests, cpuMs, wallMs } = await lambda.ask({ body, headers, atOnce, mostRequests, durationMs });
  return { cpuMs: cpuMs / requests, perSecond: requests / (wallMs / 1_000) };
}

async function driveProxy(
  proxy: Worker<object, ProcessState>,
  body: string,
  clients: number,
  durationMs: number,
): Promise<Cost> {
  const before = await proxy.ask({});
  const { wallMs, latenciesMs } = await sendLoad({ url: before.url, headers: {}, body, clients, durationMs });
  const after = await proxy.ask({});
  const requests = latenciesMs.length;
  return { cpuMs: (after.cpuMs - before.cpuMs) / requests, perSecond: requests / (wallMs / 1_000) };
}

/** CPU time of admitting and charging in this process: what the requests to DynamoDB take by themselves. */
async function meterAlone({ meter, apiKey }: Contestants): Promise<number> {
  const holder = await meter.authenticate(apiKey);
  if (holder === undefined) throw new Error('the key is not active');
  const work = async (durationMs: number) => {
    const before = process.cpuUsage();
    const startedMs = performance.now();
    let requests = 0;
    for (; performance.now() - startedMs < durationMs; requests += 1) {
      await meter.admit(holder, { cu: COST_CU });
      await meter.charge(holder, COST_CU, USAGE);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / requests;
  };
  await work(WARM_UP_MS);
  return work(ROUND_MS);
}
