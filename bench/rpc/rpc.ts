/**
 * What the JSON-RPC gateway costs: sizes, load time, DynamoDB work, CPU, memory and latency, each with what it is
 * compared with in the same run. `npm run bench -- rpc [--group TEXT]`: all groups, or those with the text in their title;
 * exit code 1 if a target is missed.
 */
import { MAX_GRANTED_CU } from '../../lambdas/accounts/account-records.ts';
import { runBenchmark, type Show } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import type { ProcessState } from '../process-state.ts';
import { WIDE_PLAN } from '../stage.ts';
import { measureLargeResults } from './large/large-results.ts';
import { measureLoading, measureSizes } from './rpc-bundles.ts';
import { type Contestant, measureCpu } from './rpc-cpu.ts';
import { measureLatency } from './rpc-latency.ts';
import { measureManyRequests } from './rpc-many.ts';
import { measureMemory, RESULT_BYTES } from './rpc-memory.ts';
import { startFunction, startStubNode, startWorker, type Worker } from './rpc-processes.ts';
import { measureMemorySizes } from './rpc-sizes.ts';
import { EACH_STORED, GROUPS_AHEAD, openStage, type Stage } from './rpc-stage.ts';
import { measureStoreWork } from './rpc-store-work.ts';

/** What is measured, the node behind it, and what it is compared with. */
interface Parts {
  readonly stage: Stage;
  readonly nodeUrl: string;
  readonly proxy: Worker<object, ProcessState>;
}

/** Shows each group of figures when it is there: those with this text in their titles. */
async function measureAll({ stage, nodeUrl, proxy }: Parts, group: string, show: Show): Promise<void> {
  const apiKey = await stage.newKey('bench', WIDE_PLAN, MAX_GRANTED_CU);
  const environment = await stage.environment();
  const groups: readonly (readonly [string, () => Promise<readonly Figure[]>])[] = [
    ['Bundles', () => measureSizes(stage)],
    ['Load time, fresh process', () => measureLoading(stage, environment)],
    ['DynamoDB work per request, in capacity units', () => measureStoreWork(stage)],
    ['Deployed bundle', () => measureBundle(stage, proxy, apiKey)],
    ['Many requests in one process', () => measureManyRequests(stage, apiKey)],
    ['60 clients of 30 MB in one process', () => measureLargeResults(stage, apiKey)],
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
  for (const [title, measure] of groups)
    if (title.toLowerCase().includes(group.toLowerCase())) show(title, await measure());
}

async function measureBundle(stage: Stage, proxy: Worker<object, ProcessState>, apiKey: string) {
  const functions: Contestant[] = [];
  for (const mode of [EACH_STORED, GROUPS_AHEAD])
    functions.push({ mode, lambda: startFunction(stage, await stage.environment({ mode })) });
  try {
    return await measureCpu({ functions, proxy, meter: stage.newMeter(), apiKey });
  } finally {
    await Promise.all(functions.map(({ lambda }) => lambda.close()));
  }
}

await runBenchmark({ group: '' }, async (show, { group }) => {
  const node = await startStubNode({ traceBytes: RESULT_BYTES });
  const proxy = startWorker<object, ProcessState>('rpc-proxy.ts', { scriptArguments: [node.url] });
  const stage = await openStage(node.url);
  try {
    await measureAll({ stage, nodeUrl: node.url, proxy }, group, show);
  } finally {
    await Promise.all([stage.close(), proxy.close(), node.close()]);
  }
});
