import { join } from 'node:path';
import { type Figure, quantile } from '../../figures.ts';
import { WIDE_PLAN } from '../../stage.ts';
import { startWorker, type Worker } from '../../worker.ts';
import { sendLoad } from '../rpc-load.ts';
import { SINGLE_CALL } from '../rpc-requests.ts';
import { GROUPS_AHEAD, type Stage } from '../rpc-stage.ts';
import { REQUESTS, type ServerProcess, startSharedFunction, startStubNode } from '../rpc-ways.ts';
import type { Read, Reading } from './readers.ts';

/** Bytes of a result, and how many clients ask for one at a time; half of them read as fast as Lambda streams. */
const RESULT_BYTES = 30_000_000;
const READERS = 60;
const SLOW_BYTES_PER_SECOND = 2_000_000;
/** Clients of small results beside them: with these, the environment has as many requests as it takes. */
const NEIGHBOURS = REQUESTS - READERS;
const WARM_UP_MS = 10_000;
const ALONE_MS = 5_000;
const ATTACK_MS = 30_000;
const BYTES_PER_MB = 1_000_000;
const MOST_MB = 1_200;
const MOST_MEDIAN_MS = 50;
const GRANTED_CU = 1_000_000_000;

/** One process with many requests at a time, most of which ask for large results: what it takes, and what the others feel. */
export async function measureLargeResults(stage: Stage, apiKey: string): Promise<Figure[]> {
  const node = await startStubNode({ traceBytes: RESULT_BYTES });
  const lambda = await startSharedFunction(stage, { mode: GROUPS_AHEAD, nodeUrl: node.url });
  const readers = startWorker<Reading, Read>(join(import.meta.dirname, 'readers.ts'));
  try {
    const apiKeys = [
      await stage.newKey('reader-1', WIDE_PLAN, GRANTED_CU),
      await stage.newKey('reader-2', WIDE_PLAN, GRANTED_CU),
    ];
    return await measure({ lambda, readers, apiKey, apiKeys });
  } finally {
    await Promise.all([lambda.close(), readers.close(), node.close()]);
  }
}

interface Parts {
  readonly lambda: ServerProcess;
  readonly readers: Worker<Reading, Read>;
  readonly apiKey: string;
  /** Of the readers: one key alone has its own bound. */
  readonly apiKeys: readonly string[];
}

async function measure({ lambda, readers, apiKey, apiKeys }: Parts): Promise<Figure[]> {
  const { url: origin } = await lambda.ask({});
  const url = `${origin}/v1/`;
  const headers = { 'x-api-key': apiKey };
  const neighbours = async (durationMs: number) => {
    const load = { url, headers, body: SINGLE_CALL, clients: NEIGHBOURS, durationMs };
    return (await sendLoad(load)).latenciesMs;
  };
  await neighbours(WARM_UP_MS);
  const alone = await neighbours(ALONE_MS);
  const before = await lambda.ask({});
  const [read, beside] = await Promise.all([
    readers.ask({
      url,
      apiKeys,
      clients: READERS,
      slowBytesPerSecond: SLOW_BYTES_PER_SECOND,
      durationMs: ATTACK_MS,
    }),
    neighbours(ATTACK_MS),
  ]);
  const { peakBytes, cpuMs } = await lambda.ask({});
  const named = (quarter: number) => ({
    value: quantile(beside, quarter),
    unit: 'ms',
    baseline: { name: 'without them', value: quantile(alone, quarter) },
  });
  return [
    { name: 'memory at its peak', value: peakBytes / BYTES_PER_MB, unit: 'MB', most: MOST_MB },
    { name: `${NEIGHBOURS} neighbours, none refused: p50`, ...named(0.5), most: MOST_MEDIAN_MS },
    { name: 'the same: p99', ...named(0.99) },
    { name: `processor time in ${ATTACK_MS / 1_000} s`, value: cpuMs - before.cpuMs, unit: 'ms' },
    { name: 'the same: calls', value: beside.length, unit: '' },
    { name: 'large results that are whole', value: read.answered, unit: '' },
    { name: 'large results that are refused with -32005', value: read.refused, unit: '' },
    { name: 'large results that are neither', value: read.others, unit: '', most: 0 },
  ];
}
