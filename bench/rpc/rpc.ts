/**
 * What the JSON-RPC gateway costs: load time, CPU, memory and latency, each with what it is compared with in the same run.
 * `npm run bench -- rpc [--group TEXT]`: all groups, or those with the text in their title.
 */
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { measureBundle, measureLoading, measureLocalRun, measureMemory, RESULT_BYTES } from './rpc-bundle.ts';
import { measureManyRequests } from './rpc-many.ts';
import { openStage } from './rpc-stage.ts';
import { startProxy, startStubNode } from './rpc-ways.ts';

await runBenchmark({ group: '' }, async (show, { group }) => {
  const node = await startStubNode({ traceBytes: RESULT_BYTES });
  const proxy = startProxy(node.url);
  const stage = await openStage(node.url);
  try {
    const groups: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
      'Load time, fresh process': () => measureLoading(stage),
      'Deployed bundle': () => measureBundle(stage, proxy),
      'Many requests in one process': () => measureManyRequests(stage),
      'Peak memory of a large result, above idle': () => measureMemory(stage),
      'Through npm start': () => measureLocalRun(node.url),
    };
    for (const [title, measure] of Object.entries(groups))
      if (title.toLowerCase().includes(group.toLowerCase())) show(title, await measure());
  } finally {
    await Promise.all([stage.close(), proxy.close(), node.close()]);
  }
});
