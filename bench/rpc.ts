/**
 * What the JSON-RPC gateway costs: sizes, load time, DynamoDB work, CPU, memory and latency, each with what it is
 * compared with in the same run. `node bench/rpc.ts`; exit code 1 if a target is missed.
 */
import { MAX_GRANTED_CU } from '../lambdas/access/accounts/account-records.ts';
import { measureLoading, measureSizes } from './rpc-bundles.ts';
import { measureCpu } from './rpc-cpu.ts';
import { type Figure, printFigures, printMachine } from './rpc-figures.ts';
import type { Drive, Driven } from './rpc-function.ts';
import { measureLatency } from './rpc-latency.ts';
import { measureMemory, RESULT_BYTES } from './rpc-memory.ts';
import { startStubNode, startWorker, type Worker } from './rpc-processes.ts';
import type { ProxyState } from './rpc-proxy.ts';
import { openStage, type Stage, WIDE_PLAN } from './rpc-stage.ts';
import { measureCharges, measureStoreWork } from './rpc-store-work.ts';

/** Share of a function's memory that the Lambda runtime gives to the heap. */
const HEAP_SHARE = 0.9;

/** Prints each group of figures when it is there; returns what misses its target. */
async function measureAll(
  stage: Stage,
  nodeUrl: string,
  proxy: Worker<object, ProxyState>,
): Promise<string[]> {
  const apiKey = await stage.newKey('bench', WIDE_PLAN, MAX_GRANTED_CU);
  const startFunction = () => startBundle(stage);
  const groups: readonly (readonly [string, () => Promise<readonly Figure[]>])[] = [
    ['Bundles', () => measureSizes(stage)],
    ['Load time, fresh process', () => measureLoading(stage)],
    ['DynamoDB work per request, in capacity units', () => measureStoreWork(stage)],
    ['A further charge, by the instances that charge its account', () => measureCharges(stage)],
    ['Deployed bundle', () => measureBundle(stage, proxy, apiKey)],
    ['Peak memory of a large result, above idle', () => measureMemory(startFunction, apiKey)],
    ['Latency through npm start', async () => measureLatency(nodeUrl, (await proxy.ask({})).url)],
  ];
  const missed: string[] = [];
  for (const [title, measure] of groups) missed.push(...printFigures(title, await measure()));
  return missed;
}

async function measureBundle(stage: Stage, proxy: Worker<object, ProxyState>, apiKey: string) {
  const lambda = startBundle(stage);
  try {
    return await measureCpu({ lambda, proxy, meter: stage.newMeter(), apiKey });
  } finally {
    await lambda.close();
  }
}

function startBundle({ rpc, environment }: Stage): Worker<Drive, Driven> {
  return startWorker('rpc-function.ts', {
    environment,
    nodeOptions: [`--max-old-space-size=${Math.floor(rpc.memoryMb * HEAP_SHARE)}`],
  });
}

async function main(): Promise<void> {
  const startedMs = performance.now();
  printMachine();
  const node = await startStubNode(RESULT_BYTES);
  const proxy = startWorker<object, ProxyState>('rpc-proxy.ts', { scriptArguments: [node.url] });
  const stage = await openStage(node.url);
  try {
    const missed = await measureAll(stage, node.url, proxy);
    console.log(`\n${((performance.now() - startedMs) / 1_000).toFixed(0)} s in all`);
    if (missed.length === 0) return;
    console.log(`targets missed: ${missed.join('; ')}`);
    process.exitCode = 1;
  } finally {
    await Promise.all([stage.close(), proxy.close(), node.close()]);
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
