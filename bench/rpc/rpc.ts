/**
 * What the JSON-RPC gateway costs: sizes, load time, DynamoDB work, CPU, memory and latency, each with what it is
 * compared with in the same run. `npm run bench -- rpc [--group TEXT]`: all groups, or those with the text in their title;
 * exit code 1 if a target is missed.
 */
import { parseArgs } from 'node:util';
import { MAX_GRANTED_CU } from '../../lambdas/accounts/account-records.ts';
import { type Figure, printFigures, printMachine } from '../rpc-figures.ts';
import { measureLoading, measureSizes } from './rpc-bundles.ts';
import { type Contestant, measureCpu } from './rpc-cpu.ts';
import { measureLatency } from './rpc-latency.ts';
import { measureMemory, RESULT_BYTES } from './rpc-memory.ts';
import { startFunction, startStubNode, startWorker, type Worker } from './rpc-processes.ts';
import type { ProxyState } from './rpc-proxy.ts';
import { measureMemorySizes } from './rpc-sizes.ts';
import { EACH_STORED, GROUPS_AHEAD, openStage, type Stage, WIDE_PLAN } from './rpc-stage.ts';
import { measureStoreWork } from './rpc-store-work.ts';

/** Prints each group of figures when it is there; returns what misses its target. */
async function measureAll(
  stage: Stage,
  nodeUrl: string,
  proxy: Worker<object, ProxyState>,
): Promise<string[]> {
  const apiKey = await stage.newKey('bench', WIDE_PLAN, MAX_GRANTED_CU);
  const environment = await stage.environment();
  const groups: readonly (readonly [string, () => Promise<readonly Figure[]>])[] = [
    ['Bundles', () => measureSizes(stage)],
    ['Load time, fresh process', () => measureLoading(stage, environment)],
    ['DynamoDB work per request, in capacity units', () => measureStoreWork(stage)],
    ['Deployed bundle', () => measureBundle(stage, proxy, apiKey)],
    [
      'Peak memory of a large result, above idle',
      () => measureMemory(() => startFunction(stage, environment), apiKey),
    ],
    [
      'Sizes of the function',
      () => measureMemorySizes((memoryMb) => startFunction(stage, environment, memoryMb), apiKey),
    ],
    ['Latency through npm start', () => measureLatency(nodeUrl)],
  ];
  const { values } = parseArgs({ options: { group: { type: 'string', default: '' } } });
  const missed: string[] = [];
  for (const [title, measure] of groups) {
    if (title.toLowerCase().includes(values.group.toLowerCase()))
      missed.push(...printFigures(title, await measure()));
  }
  return missed;
}

async function measureBundle(stage: Stage, proxy: Worker<object, ProxyState>, apiKey: string) {
  const functions: Contestant[] = [];
  for (const mode of [EACH_STORED, GROUPS_AHEAD])
    functions.push({ mode, lambda: startFunction(stage, await stage.environment({ mode })) });
  try {
    return await measureCpu({ functions, proxy, meter: stage.newMeter(), apiKey });
  } finally {
    await Promise.all(functions.map(({ lambda }) => lambda.close()));
  }
}

async function main(): Promise<void> {
  const startedMs = performance.now();
  printMachine();
  const node = await startStubNode({ traceBytes: RESULT_BYTES });
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
