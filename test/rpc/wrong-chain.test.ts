/** No response and no transaction comes from, or goes to, a node of another chain. */
import type { KeyHolder } from '../../lambdas/access/contract/metering.ts';
import { UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import { ASK_AGAIN_MS } from '../../lambdas/shared/upstream/connection/verify-chain.ts';
import type { ChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { serveChain } from '../../lambdas/shared/upstream/routing/serve-chain.ts';
import { answering, callsOf, type RawResponse, type ReceivedCall } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { CHAIN } from './cache/cache-world.ts';
import { NO_CACHE } from './cache/no-cache.ts';

const HOLDER: KeyHolder = { keyId: 'k', account: 'a' };
const HASH = `0x${'ab'.repeat(32)}`;
const HEAD = 1_000;
/** A node of another chain can be far ahead: if it were believed, the others would be behind. */
const OTHER_HEAD = 900_000;
const REQUEST_MS = 20_000;
const NO_METHOD = '{"code":-32601,"message":"method not found"}';

/** The chain of a node, if it tells that, and the node's head. */
interface World {
  readonly chainId?: number;
  readonly head: number;
}

const right: World = { chainId: CHAIN.chainId, head: HEAD };
const wrong: World = { chainId: 11_155_111, head: OTHER_HEAD };

let worlds: [World, World];
let nodes: readonly ScriptedNode[];
let passedMs: number;
let chain: ChainClient;
let charged: number;
let telemetry: RecordedTelemetry;

const clock: Clock = { now: () => Date.now() + passedMs };

function answerOf({ chainId, head }: World, { method, params = [] }: ReceivedCall): RawResponse {
  const hex = (number: number) => `"0x${number.toString(16)}"`;
  switch (method) {
    case 'eth_chainId':
      return chainId === undefined ? { error: NO_METHOD } : { result: hex(chainId) };
    case 'eth_blockNumber':
      return { result: hex(head) };
    case 'eth_syncing':
      return { result: 'false' };
    case 'eth_getBlockByNumber':
      return { result: `{"number":${params[0] === 'latest' ? hex(head) : hex(head - 500)}}` };
    default:
      return { result: JSON.stringify(`of chain ${chainId}`) };
  }
}

beforeEach(async () => {
  worlds = [wrong, right];
  passedMs = 0;
  charged = 0;
  telemetry = new RecordedTelemetry();
  nodes = await Promise.all(
    [0, 1].map((index) => startScriptedNode(answering((call) => answerOf(worlds[index] as World, call)))),
  );
});

afterEach(async () => {
  chain.close();
  await Promise.all(nodes.map((node) => node.close()));
});

/** The chain over the first `count` nodes. */
function serve(count: number): void {
  const upstreams = nodes
    .slice(0, count)
    .map(({ url }, index) => ({ url, name: `upstream-${index + 1}`, priority: index }));
  chain = serveChain({ ...CHAIN, privateUpstreams: true, upstreams }, { clock, telemetry }, async () => '');
}

const unbilledErrors = new UnbilledErrors(clock);
const meter = admittingMeter((cu) => {
  charged += cu;
});

type Asked = readonly [method: string, ...params: unknown[]];

/** Results of the calls, or the reasons why there are none. */
async function ask(...calls: readonly Asked[]): Promise<unknown[]> {
  const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const response = await handleRequest(
    {
      holder: HOLDER,
      chain: { settings: CHAIN, node: chain, head: chain.head, unbilledErrors },
      body: Buffer.from(JSON.stringify(body)),
      deadline: clock.now() + REQUEST_MS,
    },
    meter,
    NO_CACHE,
  );
  await response?.conclude?.();
  const responses = JSON.parse(Buffer.concat(response?.body ?? []).toString()) as {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  }[];
  return responses.map(({ result, error }) => result ?? `${error?.code} ${error?.message}`);
}

const received = (node: number) => nodes[node]?.requests.flatMap(({ body }) => callsOf(body)) ?? [];
const told = (event: string) => telemetry.logged.filter((line) => line.event === event);

/** Calls that need the chain in every way that there is. */
const CALLS: readonly Asked[] = [
  ['eth_chainId'],
  ['eth_call', {}, 'latest'],
  ['eth_getBalance', HASH, '0x3d0'],
  ['eth_getTransactionReceipt', HASH],
  ['eth_getLogs', { fromBlock: 'safe', toBlock: 'safe' }],
  ['eth_blockNumber'],
  ['eth_getBlockByNumber', 'latest', false],
  ['debug_traceTransaction', HASH],
  ['eth_sendRawTransaction', '0x00'],
];
const OWN = 'of chain 1';
const UNAVAILABLE = '-32000 upstream unavailable';

describe('a node of another chain beside one of the right chain', () => {
  const responses = ['0x1', OWN, OWN, OWN, OWN, '0x3e8', { number: '0x3e8' }, OWN, OWN];

  test.each(CALLS.map((asked, index) => [asked, responses[index]] as const))(
    'gives no response to a first %j',
    async (asked, expected) => {
      serve(2);
      expect(await ask(asked)).toEqual([expected]);
      expect(await ask(asked)).toEqual([expected]);
      // A call that acts is not sent to a node before the node has told its chain.
      const sent = received(0).map(({ method }) => method);
      expect(sent.length).toBeLessThanOrEqual(1);
      expect(sent).not.toContain('eth_sendRawTransaction');
    },
  );

  test('gives none in a batch, nor later, and is asked nothing more', async () => {
    serve(2);
    expect(await ask(...CALLS)).toEqual(responses);
    const sent = received(0).length;
    for (let request = 0; request < 20; request++) {
      passedMs += 100;
      expect(await ask(...CALLS)).toEqual(responses);
    }
    expect(received(0)).toHaveLength(sent);
    expect(nodes[0]?.polls).toHaveLength(1);
    expect(nodes.map(({ chainQuestions }) => chainQuestions.length)).toEqual([1, 1]);
  });

  test('has no say in where the head is', async () => {
    serve(2);
    await ask(...CALLS);
    expect(chain.view.head).toBe(BigInt(HEAD));
    expect(chain.view.headOf(0)).toBeUndefined();
  });

  test('is told of once, by its name and both chains, and counted as taken out', async () => {
    serve(2);
    for (let request = 0; request < 3; request++) await ask(...CALLS);
    expect(told('upstream_wrong_chain')).toEqual([
      expect.objectContaining({
        level: 'error',
        chain: CHAIN.chain,
        upstream: 'upstream-1',
        error: 'the node has chain id 11155111, not 1',
      }),
    ]);
    expect(told('upstream_taken_out')).toHaveLength(1);
    expect(telemetry.metrics().filter(({ UpstreamsTakenOut }) => UpstreamsTakenOut === 1)).toHaveLength(1);
    expect(JSON.stringify(telemetry.logged)).not.toContain(nodes[0]?.url);
  });

  test('comes back once it is of the right chain, without a call that is risked', async () => {
    serve(2);
    await ask(...CALLS);
    const sent = received(0).length;
    worlds[0] = right;
    for (let second = 0; second < 60 && told('upstream_taken_back').length === 0; second++) {
      passedMs += 1_000;
      expect(await ask(['eth_call', {}, 'latest'])).toEqual([OWN]);
    }
    expect(passedMs).toBeGreaterThanOrEqual(ASK_AGAIN_MS);
    expect(told('upstream_taken_back')).toHaveLength(1);
    await ask(['eth_call', {}, 'latest']);
    expect(received(0).length).toBeGreaterThan(sent);
  });
});

describe('a chain that has none but nodes of another', () => {
  beforeEach(() => {
    worlds = [wrong, wrong];
  });

  test.each([1, 2].flatMap((count) => CALLS.map((asked) => [asked, count] as const)))(
    'says to %j that no upstream of %d is there, unbilled',
    async (asked, count) => {
      serve(count);
      expect(await ask(asked)).toEqual([UNAVAILABLE]);
      expect(await ask(asked)).toEqual([UNAVAILABLE]);
      passedMs += 1_500;
      expect(await ask(asked, ...CALLS)).toEqual([asked, ...CALLS].map(() => UNAVAILABLE));
      expect(charged).toBe(0);
      for (const node of [0, 1]) expect(received(node).length).toBeLessThanOrEqual(1);
    },
  );

  test('asks them again after a while, and is served once one is of the right chain', async () => {
    serve(1);
    await ask(...CALLS);
    const sent = received(0).length;
    worlds[0] = right;
    expect(await ask(['eth_chainId'])).toEqual([UNAVAILABLE]);
    passedMs += ASK_AGAIN_MS;
    expect(await ask(['eth_chainId'], ['eth_call', {}, 'latest'])).toEqual(['0x1', OWN]);
    expect(received(0)).toHaveLength(sent + 2);
    expect(charged).toBe(21);
  });

  test('asks them once in a while, however many calls come', async () => {
    serve(2);
    for (let request = 0; request < 50; request++) await ask(...CALLS);
    expect(nodes.map(({ chainQuestions }) => chainQuestions.length)).toEqual([1, 1]);
    passedMs += ASK_AGAIN_MS;
    await ask(['eth_call', {}, 'latest']);
    expect(nodes.map(({ chainQuestions }) => chainQuestions.length)).toEqual([2, 2]);
    expect(told('upstream_wrong_chain')).toHaveLength(2);
  });
});

test('nodes that do not tell their chain serve as ever', async () => {
  worlds = [{ head: HEAD }, right];
  serve(1);
  expect(await ask(['eth_call', {}, 'latest'])).toEqual(['of chain undefined']);
  expect(told('upstream_wrong_chain')).toEqual([]);
});
