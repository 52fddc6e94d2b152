/**
 * The envelope scanner beside `JSON.parse` on the same bytes, in rounds that take turns. `npm run bench -- scanner`
 */
import { createHash } from 'node:crypto';
import { parseRequest } from '../../lambdas/rpc/request/parse-calls.ts';
import { scanResponses } from '../../lambdas/shared/jsonrpc/match-responses.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, median } from '../figures.ts';

const ROUNDS = 31;
const BATCH_CALLS = 100;
const TRACE_BYTES = 10_000_000;
const METHODS = ['eth_getBlockByNumber', 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt'];

interface Comparison {
  readonly name: string;
  readonly body: Buffer;
  /** Times that a round repeats the work, so that it can be timed. */
  readonly repeats: number;
  readonly scan: (body: Buffer) => unknown;
  /** Most time that the scanner may take, as a share of the time of `JSON.parse`. */
  readonly most: number;
}

/** The scanner's time beside that of `JSON.parse`, in rounds that take turns. */
function compare({ name, body, repeats, scan, most }: Comparison): Figure {
  const parse = (text: Buffer) => JSON.parse(text.toString());
  const parseTimes: number[] = [];
  const scanTimes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    parseTimes.push(timeMicroseconds(parse, body, repeats));
    scanTimes.push(timeMicroseconds(scan, body, repeats));
  }
  return {
    name: `${name} (${body.length} bytes)`,
    value: median(scanTimes),
    unit: 'us',
    baseline: { name: 'JSON.parse', value: median(parseTimes) },
    mostRatio: most,
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

await runBenchmark({}, async (show) => show('Envelope scanner', comparisons().map(compare)));
