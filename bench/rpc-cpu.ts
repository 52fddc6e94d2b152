import type { Meter } from '../lambdas/access/metering.ts';
import { type Figure, median } from './rpc-figures.ts';
import type { Drive, Driven } from './rpc-function.ts';
import { sendLoad } from './rpc-load.ts';
import type { Worker } from './rpc-processes.ts';
import type { ProxyState } from './rpc-proxy.ts';
import { BATCH, SINGLE_CALL } from './rpc-requests.ts';

/** Rounds in which the function and the proxy take turns; a figure is the median of its rounds. */
const ROUNDS = 3;
const ROUND_MS = 700;
const WARM_UP_MS = 500;
const WORKLOADS = [
  { name: 'single call', body: SINGLE_CALL },
  { name: '100-call batch', body: BATCH },
];
const CONCURRENCIES = [1, 16];
const COST_CU = 10;
const USAGE = [{ chain: 'bench', method: 'eth_getBalance', calls: 1, cu: COST_CU, cached: 0, errors: 0 }];

/** What is measured beside each other. */
export interface Contestants {
  readonly lambda: Worker<Drive, Driven>;
  readonly proxy: Worker<object, ProxyState>;
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
  for (const { name, body } of WORKLOADS) {
    for (const atOnce of CONCURRENCIES) {
      figures.push(...(await compare(contestants, `${name}, ${atOnce} at a time`, body, atOnce)));
    }
  }
  const cpuMs = await meterAlone(contestants);
  return [...figures, { name: 'admission and charge alone: CPU', value: cpuMs, unit: 'ms' }];
}

async function compare(
  { lambda, proxy, apiKey }: Contestants,
  name: string,
  body: string,
  atOnce: number,
): Promise<Figure[]> {
  const ours = (durationMs: number) => driveFunction(lambda, body, apiKey, atOnce, durationMs);
  const theirs = (durationMs: number) => driveProxy(proxy, body, atOnce, durationMs);
  await ours(WARM_UP_MS);
  await theirs(WARM_UP_MS);
  const costs: { lambda: Cost[]; proxy: Cost[] } = { lambda: [], proxy: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.lambda.push(await ours(ROUND_MS));
    costs.proxy.push(await theirs(ROUND_MS));
  }
  const figure = (label: string, key: keyof Cost, unit: string): Figure => ({
    name: `${name}: ${label}`,
    value: median(costs.lambda.map((cost) => cost[key])),
    unit,
    baseline: { name: 'bare proxy', value: median(costs.proxy.map((cost) => cost[key])) },
  });
  return [figure('CPU per request', 'cpuMs', 'ms'), figure('requests', 'perSecond', '/s')];
}

async function driveFunction(
  lambda: Worker<Drive, Driven>,
  body: string,
  apiKey: string,
  atOnce: number,
  durationMs: number,
): Promise<Cost> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const mostRequests = Number.MAX_SAFE_INTEGER;
  const { requests, cpuMs, wallMs } = await lambda.ask({ body, headers, atOnce, mostRequests, durationMs });
  return { cpuMs: cpuMs / requests, perSecond: requests / (wallMs / 1_000) };
}

async function driveProxy(
  proxy: Worker<object, ProxyState>,
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
