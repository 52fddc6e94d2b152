/**
 * The envelope scanner beside `JSON.parse` on the same bytes, and the look at whether a result is of what was asked for beside the
 * scan of its response, in rounds that take turns. `npm run bench -- scanner`
 */
import { createHash } from 'node:crypto';
import { parseRequest } from '../../lambdas/rpc/request/parse-calls.ts';
import { scanResponses } from '../../lambdas/shared/jsonrpc/match-responses.ts';
import { isOfAnother } from '../../lambdas/shared/upstream/agreement/of-another.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, median } from '../figures.ts';

const ROUNDS = 31;
const BATCH_CALLS = 100;
const TRACE_BYTES = 10_000_000;
const LOGS = 10_000;
const METHODS = ['eth_getBlockByNumber', 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt'];

interface Comparison {
  readonly name: string;
  readonly body: Buffer;
  /** Times that a round repeats the work, so that it can be timed. */
  readonly repeats: number;
  readonly scan: (body: Buffer) => unknown;
  /** What its time is compared with. @default JSON.parse */
  readonly baseline?: { readonly name: string; readonly work: (body: Buffer) => unknown };
  /** Most time that it may take, as a share of the baseline's. @default any */
  readonly most?: number;
}

const PARSE = { name: 'JSON.parse', work: (text: Buffer) => JSON.parse(text.toString()) };

/** Its time beside that of the baseline, in rounds that take turns. */
function compare({ name, body, repeats, scan, baseline = PARSE, most }: Comparison): Figure {
  const baselineTimes: number[] = [];
  const scanTimes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    baselineTimes.push(timeMicroseconds(baseline.work, body, repeats));
    scanTimes.push(timeMicroseconds(scan, body, repeats));
  }
  return {
    name: `${name} (${body.length} bytes)`,
    value: median(scanTimes),
    unit: 'us',
    baseline: { name: baseline.name, value: median(baselineTimes) },
    ...(most !== undefined && { mostRatio: most }),
  };
}

function comparisons(): Comparison[] {
  const calls = Array.from({ length: BATCH_CALLS }, (_, index) => renderCall(index));
  const response = `{"jsonrpc":"2.0","id":1,"result":[${renderTraces().join(',')}]}`;
  return [
    { name: 'one call', body: Buffer.from(renderCall(1)), repeats: 20_000, scan: parseRequest, most: 3 },
    {
      name: '100-call batch',
      body: Buffer.from(`[${calls.join(',')}]`),
      repeats: 300,
      scan: parseRequest,
      most: 1,
    },
    { name: 'call traces', body: Buffer.from(response), repeats: 1, scan: scanResponses, most: 1 / 3 },
  ];
}

/** A result is looked at beside the scan of its response. */
function identities(): Comparison[] {
  const hash = hex(1, 32);
  const log = { address: hex(1, 20), topics: [hex(2, 32), hex(3, 32)], data: hex(4, 32), blockNumber: '0x9' };
  const logs = Array.from({ length: LOGS }, (_, index) => ({
    ...{ ...log, blockHash: hash, transactionHash: hex(index % 9, 32), logIndex: `0x${index.toString(16)}` },
    ...{ transactionIndex: '0x1', removed: false },
  }));
  const receipt = {
    ...{ blockHash: hex(5, 32), blockNumber: '0x9', cumulativeGasUsed: '0x5208', gasUsed: '0x5208' },
    ...{ from: hex(6, 20), to: hex(7, 20), logs: logs.slice(0, 1), logsBloom: hex(8, 256), status: '0x1' },
    ...{ transactionHash: hash, transactionIndex: '0x1', type: '0x2', effectiveGasPrice: '0x9' },
  };
  const filter = { fromBlock: '0x1', toBlock: '0x20', address: log.address, topics: [log.topics[0]] };
  return [
    identity('a receipt', {
      method: 'eth_getTransactionReceipt',
      asked: hash,
      told: receipt,
      repeats: 2_000,
    }),
    identity(`${LOGS} logs`, { method: 'eth_getLogs', asked: filter, told: logs, repeats: 5, most: 1 / 3 }),
  ];
}

interface Asked extends Pick<Comparison, 'repeats' | 'most'> {
  readonly method: string;
  /** The one parameter. */
  readonly asked: unknown;
  readonly told: unknown;
}

function identity(name: string, { method, asked, told, ...bounds }: Asked): Comparison {
  const result = Buffer.from(JSON.stringify(told));
  const call = { method, params: Buffer.from(JSON.stringify([asked])) };
  if (isOfAnother(call, result)) throw new Error(`${name} is of another call`);
  return {
    ...{ name: `${name}: of what was asked for`, ...bounds },
    body: Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`),
    scan: () => isOfAnother(call, result),
    baseline: { name: 'scan of its response', work: scanResponses },
  };
}

function renderCall(id: number): string {
  const params = [{ to: hex(id, 20), data: hex(id, 36) }, 'latest'];
  return JSON.stringify({ jsonrpc: '2.0', id, method: METHODS[id % METHODS.length], params });
}

/** Traces of a block's transactions as `callTracer` gives them. */
function renderTraces(): string[] {
  const traces: string[] = [];
  for (let size = 0, seed = 0; size < TRACE_BYTES; seed++) {
    const trace = JSON.stringify({ txHash: hex(seed, 32), result: frame(seed, 4) });
    traces.push(trace);
    size += trace.length + 1;
  }
  return traces;
}

function frame(seed: number, depth: number): object {
  const calls = Array.from({ length: depth === 0 ? 0 : 1 + (seed % 3) }, (_, index) =>
    frame(seed * 3 + index, depth - 1),
  );
  return {
    from: hex(seed, 20),
    gas: hex(seed, 3),
    gasUsed: hex(seed, 2),
    to: hex(seed + 1, 20),
    input: hex(seed, 4 + 32 * (seed % 8)),
    output: hex(seed, 32),
    value: '0x0',
    type: 'CALL',
    ...(calls.length === 0 ? {} : { calls }),
  };
}

/** Bytes that look random and are the same in every run. */
function hex(seed: number, bytes: number): string {
  return `0x${createHash('shake256', { outputLength: bytes }).update(`${seed}`).digest('hex')}`;
}

function timeMicroseconds(work: (body: Buffer) => unknown, body: Buffer, repeats: number): number {
  const start = process.hrtime.bigint();
  for (let repeat = 0; repeat < repeats; repeat++) work(body);
  return Number(process.hrtime.bigint() - start) / 1_000 / repeats;
}

await runBenchmark({}, async (show) => {
  show('Envelope scanner', comparisons().map(compare));
  show('Identity of results', identities().map(compare));
});
