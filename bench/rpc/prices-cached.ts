/**
 * What a CU of a JSON-RPC call costs that the gateway answers itself: from the memory of its cache. Such a call is 1 CU by
 * the specification, whatever its method and size, so that nothing is judged here: the largest result that is kept
 * bounds what 1 CU can cost.
 */
import { MAX_KEPT_BYTES } from '../../lambdas/rpc/cache/cache-rules.ts';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { parseRequest } from '../../lambdas/rpc/request/parse-calls.ts';
import { renderResponses } from '../../lambdas/rpc/response/render-response.ts';
import { encodeBody } from '../../lambdas/shared/http/compress.ts';
import { methodFacts } from '../../lambdas/shared/methods/method-facts.ts';
import { CHAIN } from '../../test/rpc/cache/cache-world.ts';
import { MemoryCacheStore } from '../../test/rpc/cache/memory-cache-store.ts';
import { type Figure, median } from '../figures.ts';

const ROUNDS = 5;
const ROUND_MS = 150;
const NOW = 1_000_000_000_000;
const HEAD = 100_000n;
const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'cd'.repeat(20)}`;
const BLOCK = '0x5';
const ENVELOPE_BYTES = 200;
/** Room for the members around what fills a result. */
const LARGEST = MAX_KEPT_BYTES - ENVELOPE_BYTES;

/** Parameters of a call, and bytes of a usual result on a busy chain; no more than is kept. */
const CALLS: Readonly<Record<string, readonly [parameters: readonly unknown[], bytes: number]>> = {
  eth_chainId: [[], 5],
  net_version: [[], 3],
  eth_getBlockByNumber: [[BLOCK, true], 200_000],
  eth_getBlockByHash: [[HASH, false], 15_000],
  eth_getBlockReceipts: [[BLOCK], LARGEST],
  eth_getBlockTransactionCountByNumber: [[BLOCK], 6],
  eth_getTransactionByHash: [[HASH], 1_000],
  eth_getTransactionReceipt: [[HASH], 3_000],
  eth_getLogs: [[{ fromBlock: BLOCK, toBlock: '0x6' }], 100_000],
  eth_getBalance: [[ADDRESS, BLOCK], 20],
  eth_getCode: [[ADDRESS, BLOCK], 30_000],
  eth_getStorageAt: [[ADDRESS, '0x0', BLOCK], 68],
  eth_getProof: [[ADDRESS, ['0x0'], BLOCK], 8_000],
  eth_call: [[{ to: ADDRESS, data: '0x' }, BLOCK], 66],
  debug_traceBlockByNumber: [[BLOCK, { tracer: 'callTracer' }], LARGEST],
};

interface Row {
  readonly method: string;
  readonly bytes: number;
  readonly cpuMs: number;
}

async function measure(method: string, params: readonly unknown[], bytes: number): Promise<Row> {
  const ask = openGateway(resultOf(method, bytes));
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  await ask(body);
  if (!(await ask(body))) throw new Error(`${method} was not answered from the cache`);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await cpuOf(() => ask(body)));
  return { method, bytes, cpuMs: median(rounds) };
}

/** CPU time of one run, in milliseconds: those of all threads, as a compressor has its own. */
async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let runs = 0;
  for (; performance.now() - startedMs < ROUND_MS; runs += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / runs;
}

/** All that is between the body of a request and the bytes of its response, without metering; tells whether it was kept. */
function openGateway(result: string): (body: Buffer) => Promise<boolean> {
  const cache = new ResponseCache({ clock: { now: () => NOW }, store: new MemoryCacheStore() });
  const node = { upstreams: [], onDisagreement: () => {} };
  const chain = { settings: CHAIN, head: { known: HEAD, readMajority: async () => HEAD }, node };
  const send = async () => [{ kind: 'result' as const, result: Buffer.from(result) }];
  return async (body) => {
    const parsed = parseRequest(body);
    const first = 'calls' in parsed ? parsed.calls[0] : undefined;
    if (first === undefined || !('call' in first)) throw new Error('no call');
    const { call } = first;
    const { responses, share } = await cache.answer({ chain, calls: [call], deadline: NOW + 20_000, send });
    const [answered] = responses;
    if (answered === undefined) throw new Error('no answer');
    await encodeBody(renderResponses(false, [answered]), 'br, gzip');
    await share();
    return answered.cached;
  };
}

/** A result of about so many bytes that shows its block, as those of nodes do. */
function resultOf(method: string, bytes: number): string {
  if (bytes <= 68) return `"0x${'1'.repeat(Math.max(bytes - 4, 1))}"`;
  const fill = `"0x${Array.from({ length: Math.ceil(bytes / 8) }, (_, index) =>
    ((index * 2_654_435_761) >>> 0).toString(16).padStart(8, '0'),
  )
    .join('')
    .slice(0, Math.max(bytes - ENVELOPE_BYTES, 2))}"`;
  const shown = `"blockHash":"${HASH}","hash":"${HASH}","transactionHash":"${HASH}"`;
  if (method === 'debug_traceBlockByNumber') return `[{"txHash":"${HASH}","result":{"output":${fill}}}]`;
  if (method === 'eth_getBlockReceipts' || method === 'eth_getLogs')
    return `[{"blockNumber":"${BLOCK}",${shown},"data":${fill}}]`;
  if (method === 'eth_getCode') return fill;
  return `{"number":"${BLOCK}","blockNumber":"${BLOCK}",${shown},"input":${fill}}`;
}

/** What each call costs beside the median, the dearest first. */
function figuresOf(rows: readonly Row[]): Figure[] {
  const middle = median(rows.map(({ cpuMs }) => cpuMs));
  return rows
    .toSorted((one, other) => other.cpuMs - one.cpuMs)
    .map(({ method, bytes, cpuMs }) => ({
      name: `${method}, ${bytes} bytes`,
      value: cpuMs,
      unit: 'ms',
      baseline: { name: 'median', value: middle },
    }));
}

/** Processor time of each call that is answered from the memory of the cache, the dearest first. */
export async function measureCached(): Promise<Figure[]> {
  const rows: Row[] = [];
  for (const [method, [params, bytes]] of Object.entries(CALLS)) {
    if (methodFacts(method).cache === undefined) throw new Error(`${method} is not answered from the cache`);
    rows.push(await measure(method, params, bytes));
  }
  return figuresOf(rows);
}
