/**
 * The response cache by itself, in one process: what a look-up costs, how many calls of a mix are found, and what the
 * shared table adds on dynoxide. `npm run bench -- cache [--calls N]`
 */
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { type CacheStore, createCacheStore } from '../../lambdas/shared/aws/cache-store.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { createCacheTable } from '../../test/emulators/cache-table.ts';
import { startDynoxide } from '../../test/emulators/dynoxide.ts';
import { emulatorClientConfig } from '../../test/emulators/metering-tables.ts';
import { CHAIN } from '../../test/rpc/cache/cache-world.ts';
import { MemoryCacheStore } from '../../test/rpc/cache/memory-cache-store.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, median } from '../figures.ts';
import { blockOfTransaction, mixedCalls } from './cache-mix.ts';

const DEFAULT_CALLS = 20_000;
const ROUNDS = 9;
const CALLS_PER_ROUND = 2_000;
const BLOCK_BYTES = 20_000;
const TRACE_BYTES = 2_000_000;
const TABLE = 'bench-cache';
/** The emulator is never given up: only times count here. */
const PATIENT_MS = 60_000;
const HEAD = 1_000_000n;
const DEADLINE_MS = 60_000;

type Send = (calls: readonly Call[]) => Promise<readonly UpstreamResponse[]>;

function call(method: string, ...params: readonly unknown[]): Call {
  return { id: Buffer.from('1'), method, params: Buffer.from(JSON.stringify(params)) };
}

function result(json: string): UpstreamResponse {
  return { kind: 'result', result: Buffer.from(json) };
}

/** Responds as a node does, with responses of a usual size. */
const send: Send = async (calls) =>
  calls.map(({ method, params }) => {
    const [first] = JSON.parse(Buffer.from(params ?? '[]').toString()) as unknown[];
    switch (method) {
      case 'eth_getBlockByNumber':
        return result(`{"number":"${first}","transactions":"0x${text(BLOCK_BYTES)}"}`);
      case 'eth_getTransactionReceipt': {
        const number = `0x${blockOfTransaction(String(first)).toString(16)}`;
        return result(`{"blockNumber":"${number}","transactionHash":"${first}","logs":"0x${text(800)}"}`);
      }
      case 'debug_traceBlockByNumber':
        return result(`[{"result":"0x${text(TRACE_BYTES)}"}]`);
      case 'eth_getLogs':
        return result(`[{"data":"0x${text(2_000)}"}]`);
      default:
        return result('"0x1"');
    }
  });

const TEXT = Buffer.from(Array.from({ length: TRACE_BYTES }, (_, index) => (index * index) % 251)).toString(
  'hex',
);
function text(length: number): string {
  return TEXT.slice(0, length);
}

/** Upstreams that never contradict each other. */
const NODE = { upstreams: [], onDisagreement: () => {} };

async function ask(cache: ResponseCache, calls: readonly Call[], head = HEAD, through = send) {
  const { responses, share } = await cache.answer({
    chain: { settings: CHAIN, head: { known: head, readMajority: async () => head }, node: NODE },
    calls,
    deadline: systemClock.now() + DEADLINE_MS,
    send: through,
  });
  return { responses, share };
}

/** Puts responses into the shared table: an instance shares what it is asked for a second time. */
async function askTwice(cache: ResponseCache, calls: readonly Call[]): Promise<void> {
  await ask(cache, calls);
  const { share } = await ask(cache, calls);
  await share();
}

/** Median over rounds, in microseconds a call. */
async function medianMicroseconds(work: (round: number) => Promise<void>, calls: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = process.hrtime.bigint();
    await work(round);
    times.push(Number(process.hrtime.bigint() - startedAt) / 1_000 / calls);
  }
  return median(times);
}

async function measureLookUps(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const response = result('"0x1"');
  const instant: Send = async (calls) => calls.map(() => response);
  const cache = new ResponseCache({ clock: systemClock, store: new MemoryCacheStore() });
  const block = call('eth_getBlockByNumber', '0x5', true);
  await ask(cache, [block]);
  const kinds: readonly (readonly [string, Call])[] = [
    ['found in memory, one call', block],
    ['not for the cache (eth_call at latest, 400 bytes)', call('eth_call', { data: text(330) }, 'latest')],
    ['not for the cache (eth_blockNumber)', call('eth_blockNumber')],
  ];
  for (const [label, one] of kinds) {
    const work = async () => {
      for (let index = 0; index < CALLS_PER_ROUND; index++) await ask(cache, [one], HEAD, instant);
    };
    figures.push({ name: label, value: await medianMicroseconds(work, CALLS_PER_ROUND), unit: 'us' });
  }
  const batch = Array.from({ length: 100 }, (_, index) => call('eth_call', { data: index }, 'latest'));
  const batches = async () => {
    for (let index = 0; index < CALLS_PER_ROUND / 100; index++) await ask(cache, batch, HEAD, instant);
  };
  const value = await medianMicroseconds(batches, CALLS_PER_ROUND);
  return [...figures, { name: 'the same in a batch of 100, a call', value, unit: 'us' }];
}

async function measureKeeping(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const cache = new ResponseCache({ clock: systemClock, store: new MemoryCacheStore() });
  const kinds: readonly (readonly [string, string, number])[] = [
    ['kept and shared, compressed: block of 20 kB', 'eth_getBlockByNumber', 50],
    ['kept and shared, compressed: trace of 2 MB', 'debug_traceBlockByNumber', 2],
  ];
  for (const [label, method, count] of kinds) {
    const work = async (round: number) => {
      for (let index = 0; index < count; index++) {
        await askTwice(cache, [call(method, `0x${(round * count + index).toString(16)}`)]);
      }
    };
    figures.push({ name: label, value: await medianMicroseconds(work, count), unit: 'us' });
  }
  return figures;
}

async function measureMix(count: number): Promise<Figure[]> {
  const store = new MemoryCacheStore();
  const mix = mixedCalls(count);
  const instances = [0, 1, 2, 3].map(() => new ResponseCache({ clock: systemClock, store }));
  let hits = 0;
  for (const [index, { call: one, head }] of mix.entries()) {
    const cache = instances[index % instances.length] as ResponseCache;
    const { responses, share } = await ask(cache, [one], BigInt(head));
    await share();
    hits += responses[0]?.cached === true ? 1 : 0;
  }
  return [
    { name: `mix of ${count} calls over 4 instances: found`, value: (100 * hits) / count, unit: '%' },
    { name: '... reads of the shared table, for each call', value: store.reads.length / count, unit: '' },
    { name: '... writes to it, for each call', value: store.writes.length / count, unit: '' },
  ];
}

async function measureTable(store: CacheStore): Promise<Figure[]> {
  const figures: Figure[] = [];
  const writer = new ResponseCache({ clock: systemClock, store });
  const blocks = Array.from({ length: 100 }, (_, index) =>
    call('eth_getBlockByNumber', `0x${index.toString(16)}`, true),
  );
  await askTwice(writer, blocks);
  for (const [label, calls] of [
    ['found in the table (dynoxide): one block of 20 kB', blocks.slice(0, 1)],
    ['found in the table (dynoxide): a batch of 100, all of it', blocks],
  ] as const) {
    const work = async () => {
      const { responses } = await ask(new ResponseCache({ clock: systemClock, store }), calls);
      if (!responses.every(({ cached }) => cached)) throw new Error('not found');
    };
    figures.push({ name: label, value: (await medianMicroseconds(work, 1)) / 1_000, unit: 'ms' });
  }
  return figures;
}

/** The same with the shared table on dynoxide. */
async function measureShared(): Promise<Figure[]> {
  const emulator = await startDynoxide();
  try {
    const clientConfig = emulatorClientConfig(emulator.endpoint);
    await createCacheTable(emulator.endpoint, TABLE);
    const patience = { readTimeoutMs: PATIENT_MS, writeTimeoutMs: PATIENT_MS };
    return await measureTable(createCacheStore({ tableName: TABLE, clientConfig, ...patience }));
  } finally {
    await emulator.close();
  }
}

await runBenchmark({ calls: DEFAULT_CALLS }, async (show, { calls }) => {
  show('Response cache', [
    ...(await measureLookUps()),
    ...(await measureKeeping()),
    ...(await measureMix(calls)),
    ...(await measureShared()),
  ]);
});
