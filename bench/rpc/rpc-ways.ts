import { join } from 'node:path';
import { REQUESTS_PER_ENVIRONMENT_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { requestsAtATime } from '../../lambdas/shared/runtime/process-bounds.ts';
import { SHARED_ENVIRONMENT_VARIABLES } from '../../lib/config/function-config.ts';
import { type Figure, median, quantile } from '../figures.ts';
import { type ProcessState, startWorker, type Worker } from '../worker.ts';
import { sendLoad } from './rpc-load.ts';
import type { FunctionChanges, Stage } from './rpc-stage.ts';

/** Requests that a process of many may have at a time. */
export const REQUESTS = 64;
/** The heap of a process of 2 GB, which an environment has. */
const HEAP_OF_ENVIRONMENT = ['--max-old-space-size=1843'];
/** Share of a function's memory that the Lambda runtime gives to the heap. */
const HEAP_SHARE = 0.9;
/** The same before each load, which may run code that the last one did not. */
const WARM_UP_OF_LOAD_MS = 3_000;

/** A server in a process of its own. */
export type ServerProcess = Worker<object, ProcessState>;

/** Function and bare proxy before the same node. */
export interface Ways {
  readonly lambda: ServerProcess;
  readonly proxy: ServerProcess;
  readonly apiKey: string;
}

export type Way = 'lambda' | 'proxy';

/** What is sent to both. */
interface Load {
  readonly body: string;
  readonly clients: number;
  /** A client that reads large results all the while. @default none */
  readonly besideBody?: string;
}

/** The figures of a load: processor time of a request, requests a second, and quantiles of the time that one takes in milliseconds. */
interface Round {
  readonly cpuMs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** How often both take turns, and for how long each. */
interface Turns {
  readonly rounds: number;
  readonly roundMs: number;
}

/** How a stub node answers. */
interface StubNodeOptions {
  /** Bytes of a trace, about. @default 10,000,000 */
  readonly traceBytes?: number;
  /** Time that each response takes, in milliseconds. @default 0 */
  readonly delayMs?: number;
}

/** Starts `stub-node.ts`. */
export async function startStubNode({ traceBytes = 10_000_000, delayMs = 0 }: StubNodeOptions = {}) {
  const node = startServer('stub-node.ts', { scriptArguments: [String(traceBytes), String(delayMs)] });
  return { url: (await node.ask({})).url, close: node.close };
}

/** Starts the bare proxy before a node. */
export function startProxy(nodeUrl: string): ServerProcess {
  return startServer('rpc-proxy.ts', { scriptArguments: [nodeUrl] });
}

/** Starts the deployed function of a stage, with the heap that Lambda would give it. */
export async function startFunction(stage: Stage, changes?: FunctionChanges): Promise<ServerProcess> {
  return startServer('rpc-server.ts', {
    environment: await stage.environment(changes),
    nodeOptions: [`--max-old-space-size=${Math.floor(stage.rpc.memoryMb * HEAP_SHARE)}`],
  });
}

/** Starts the function as an environment of many requests has it. */
export async function startSharedFunction(stage: Stage, changes: FunctionChanges): Promise<ServerProcess> {
  const environment = {
    ...(await stage.environment(changes)),
    ...SHARED_ENVIRONMENT_VARIABLES,
    [REQUESTS_PER_ENVIRONMENT_VARIABLE]: String(REQUESTS),
  };
  if (requestsAtATime(environment) !== REQUESTS) throw new Error('the function has one request at a time');
  return startServer('rpc-server.ts', { environment, nodeOptions: HEAP_OF_ENVIRONMENT });
}

function startServer(script: string, options: Parameters<typeof startWorker>[1]): ServerProcess {
  return startWorker(join(import.meta.dirname, script), options);
}

/** Sends both the same in turns; each figure is the median of its rounds. Rejects at the first response without a result. */
export async function compare(
  ways: Ways,
  load: Load,
  { rounds, roundMs }: Turns,
): Promise<Record<Way, Round>> {
  await sendBoth(ways, load, WARM_UP_OF_LOAD_MS);
  const sent: Record<Way, Round>[] = [];
  for (let round = 0; round < rounds; round += 1) sent.push(await sendBoth(ways, load, roundMs));
  const of = (way: Way) => {
    const middle = (key: keyof Round) => median(sent.map((round) => round[way][key]));
    return { cpuMs: middle('cpuMs'), perSecond: middle('perSecond'), p50: middle('p50'), p99: middle('p99') };
  };
  return { lambda: of('lambda'), proxy: of('proxy') };
}

/** Sends to one after the other: each has the machine for itself. */
export async function sendBoth(ways: Ways, load: Load, durationMs: number): Promise<Record<Way, Round>> {
  const lambda = await send(ways.lambda, ways.apiKey, load, durationMs);
  return { lambda, proxy: await send(ways.proxy, ways.apiKey, load, durationMs) };
}

async function send(
  server: ServerProcess,
  apiKey: string,
  { body, clients, besideBody }: Load,
  durationMs: number,
): Promise<Round> {
  const before = await server.ask({});
  const one = { url: `${before.url}/v1/`, headers: { 'x-api-key': apiKey }, durationMs };
  const [{ wallMs, latenciesMs }] = await Promise.all([
    sendLoad({ ...one, body, clients }),
    ...(besideBody === undefined ? [] : [sendLoad({ ...one, body: besideBody, clients: 1 })]),
  ]);
  const after = await server.ask({});
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / latenciesMs.length,
    perSecond: latenciesMs.length / (wallMs / 1_000),
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
  };
}

/** A figure of the function with the proxy's as its baseline. */
export function beside(
  name: string,
  { lambda, proxy }: Readonly<Record<Way, Round>>,
  key: keyof Round,
  unit: string,
): Figure {
  return { name, value: lambda[key], unit, baseline: { name: 'bare proxy', value: proxy[key] } };
}
