/** With `agreement: 2` only what two upstreams return is answered, and who differs is named. */
import { billedCu, UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { serveChain } from '../../lambdas/shared/upstream/routing/serve-chain.ts';
import { answering, type RawResponse, type ReceivedCall } from '../nodes/replies.ts';
import { startScriptedNode } from '../nodes/scripted-node.ts';
import { hex, transactionOf } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { CHAIN } from './cache/cache-world.ts';
import { NO_CACHE } from './cache/no-cache.ts';

const ACCOUNT = `0x${'1'.padStart(40, '0')}`;
const BLOCK = hex(9_000);
const LOGS = 'eth_getLogs';
const WEIGHT = 10;
const balance = (block: string) => call('eth_getBalance', [ACCOUNT, block]);

function world(characters: readonly Character[], seed = 1) {
  const gateway = new SimulatedGateway(characters, seed, 2);
  return {
    gateway,
    ask: (...calls: readonly Call[]): Promise<readonly UpstreamResponse[]> =>
      gateway.clock.until(gateway.start(calls)),
    calls: () => gateway.received().length,
    disagreed: () =>
      gateway.telemetry.metrics().reduce((sum, { UpstreamsDisagree = 0 }) => sum + UpstreamsDisagree, 0),
  };
}

const liar = (...methods: readonly string[]): Character => ({
  respond: ({ method }) => (methods.includes(method) ? { result: '"0xbad"' } : undefined),
});
const refused = { kind: 'failed', error: { reason: 'upstream_unavailable' } };

test('a response that two upstreams give is given in the bytes of the first, for two calls of nodes', async () => {
  const { ask, calls, disagreed } = world([{}, {}, {}]);
  const [response] = await ask(balance(BLOCK));
  expect(told(response as UpstreamResponse)).toMatch(/^"0x2328/);
  expect(calls()).toBe(2);
  expect(disagreed()).toBe(0);
});

test('two that differ: no response, not billed, both names in one line of the log, counted', async () => {
  const { gateway, ask, disagreed } = world([{}, liar('eth_getBalance')]);
  for (let round = 0; round < 20; round += 1) {
    const [response] = await ask(balance(BLOCK));
    expect(response).toMatchObject(refused);
    expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(0);
  }
  expect(gateway.telemetry.logged).toEqual([
    {
      level: 'error',
      event: 'upstreams_disagree',
      chain: 'simulated',
      upstream: 'upstream-1, upstream-2',
      method: 'eth_getBalance',
      count: 1,
    },
  ]);
  await gateway.clock.until(gateway.clock.wait(61_000));
  await ask(balance(BLOCK));
  expect(disagreed()).toBe(21);
});

test('a value that changes with each block: two nodes of different heads are asked for the block that both have', async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { gateway, ask, calls, disagreed } = world([{}, { lag: 3 }], seed);
    await ask(call('eth_chainId'));
    const before = calls();
    const [response] = await ask(balance('latest'));
    expect(response?.kind).toBe('result');
    expect(told(response as UpstreamResponse)).toContain(hex(gateway.chain.head - 3).slice(2));
    expect(response).toMatchObject({ asOf: BigInt(gateway.chain.head - 3) });
    expect(calls() - before).toBe(4);
    expect(disagreed()).toBe(0);
  }
});

test('the newest block is one that both have', async () => {
  const { gateway, ask } = world([{}, { lag: 2 }]);
  const [response] = await ask(call('eth_getBlockByNumber', ['latest', false]));
  expect(JSON.parse(told(response as UpstreamResponse))).toEqual(gateway.chain.block(gateway.chain.head - 2));
});

test('a receipt that only one has is asked for once more, and answered as soon as both have it', async () => {
  const lag = 1;
  const { gateway, ask, disagreed } = world([{}, { lag }]);
  await ask(call('eth_blockNumber'));
  const [response] = await ask(call('eth_getTransactionReceipt', [transactionOf(gateway.chain.head)]));
  expect(response?.kind).toBe('result');
  expect(told(response as UpstreamResponse)).not.toBe('null');
  expect(disagreed()).toBe(0);
  const never = world([{}, { lag: 5 }]);
  await never.ask(call('eth_blockNumber'));
  const hash = transactionOf(never.gateway.chain.head);
  expect((await never.ask(call('eth_getTransactionReceipt', [hash])))[0]).toMatchObject(refused);
});

test('if only one upstream is left, there is no response; a third takes the place of one that is down', async () => {
  const dead: Character = { fate: () => ({ kind: 'failure', error: 'unreachable', sent: false }) };
  const two = world([{}, dead]);
  expect((await two.ask(balance(BLOCK)))[0]).toMatchObject(refused);
  expect(two.disagreed()).toBe(0);
  const three = world([{}, dead, {}]);
  for (let round = 0; round < 10; round += 1) {
    const [response] = await three.ask(balance(BLOCK));
    expect(response?.kind).toBe('result');
  }
});

test('one that is slow is waited for, or another is asked in its place', async () => {
  const slow: Character = { latencyMs: () => 1_000 };
  const two = world([{}, slow]);
  const startedAt = two.gateway.clock.now();
  expect((await two.ask(balance(BLOCK)))[0]?.kind).toBe('result');
  expect(two.gateway.clock.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  const three = world([{}, slow, {}]);
  const begun = three.gateway.clock.now();
  expect((await three.ask(balance(BLOCK)))[0]?.kind).toBe('result');
  expect(three.gateway.clock.now() - begun).toBeLessThan(1_000);
});

test('a transaction is sent once', async () => {
  const { gateway, ask } = world([{}, {}]);
  await ask(call('eth_sendRawTransaction', ['0x01']));
  expect(gateway.received().filter(({ method }) => method === 'eth_sendRawTransaction')).toHaveLength(1);
});

test('what the chain does not fix is asked of one: heads, prices, what is pending', async () => {
  const { gateway, ask } = world([{}, {}]);
  await ask(call('eth_gasPrice'), call('eth_estimateGas', [{}]), balance('pending'));
  const times = (method: string) => gateway.received().filter((one) => one.method === method).length;
  expect([times('eth_getBalance')]).toEqual([1]);
});

const blocksOf = ({ params }: ReceivedCall) => {
  const [{ fromBlock, toBlock }] = params as readonly [{ fromBlock: string; toBlock: string }];
  return Number(toBlock) - Number(fromBlock) + 1;
};
const taking = (blocks: number): Character => ({
  respond: (asked) =>
    asked.method === LOGS && blocksOf(asked) > blocks
      ? { error: `{"code":-32602,"message":"query exceeds max block range ${blocks}"}` }
      : undefined,
});

test('logs of one upstream in parts, of the other at once', async () => {
  const { gateway } = world([taking(100), {}]);
  const drawn: Call[] = [];
  const payAgain = async (calls: readonly Call[]) => drawn.push(...calls) > 0;
  const filter = { fromBlock: hex(10), toBlock: hex(510) };
  for (let round = 0; round < 6; round += 1) {
    drawn.length = 0;
    const [response] = await gateway.clock.until(gateway.start([call(LOGS, [filter])], undefined, payAgain));
    expect(JSON.parse(told(response as UpstreamResponse))).toHaveLength(501);
    // The parts of the second upstream are not the client's.
    expect([0, 5]).toContain(drawn.length);
  }
  expect(gateway.received(1)).toHaveLength(6);
});

test('errors agree if both are, with the same data of a revert', async () => {
  const reverting = (data: string, message = 'execution reverted'): Character => ({
    respond: ({ method }) =>
      method === 'eth_call' ? { error: JSON.stringify({ code: 3, message, data }) } : undefined,
  });
  const asked = call('eth_call', [{ to: ACCOUNT }, BLOCK]);
  const same = world([reverting('0xAB'), reverting('0xab', 'Reverted')]);
  expect((await same.ask(asked))[0]).toMatchObject({ kind: 'error', code: 3 });
  expect((await world([reverting('0xab'), reverting('0xac')]).ask(asked))[0]).toMatchObject(refused);
  expect((await world([reverting('0xab'), {}]).ask(asked))[0]).toMatchObject(refused);
});

test('that two differ is no limit, though the third that could decide has one', async () => {
  const { gateway, ask } = world(
    ['"0x1"', '"0x2"', undefined].map((result, index) => ({
      priority: index + 1,
      fate: ([first]) =>
        result === undefined && first?.method === 'eth_getBalance'
          ? { kind: 'response', status: 429, body: '{}', retryAfter: '30' }
          : { kind: 'answer' },
      respond: ({ method }) => (method === 'eth_getBalance' && result !== undefined ? { result } : undefined),
    })),
  );
  await ask(call('eth_getBlockByNumber', ['latest', false]));
  for (let round = 0; round < 2; round += 1) expect(await ask(balance(BLOCK))).toMatchObject([refused]);
  expect(gateway.pauses).toHaveLength(1);
});

test('from the outside: a chain with the setting, two nodes over HTTP, a request of a client', async () => {
  const clock = systemClock;
  const telemetry = new RecordedTelemetry();
  const answersOf =
    (value: string) =>
    ({ method }: ReceivedCall): RawResponse => ({ result: method === 'eth_chainId' ? '"0x1"' : value });
  let second = '"0x7"';
  const nodes = [
    await startScriptedNode(answering((asked) => answersOf('"0x07"')(asked))),
    await startScriptedNode(answering((asked) => answersOf(second)(asked))),
  ];
  const upstreams = nodes.map(({ url }, index) => ({ url, name: `node-${index}`, priority: index }));
  const settings = { ...CHAIN, privateUpstreams: true, agreement: 2, upstreams } as const;
  const node = serveChain(settings, { clock, telemetry }, async () => '');
  const chain = { settings, node, head: node.head, unbilledErrors: new UnbilledErrors(clock) };
  const ask = async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [ACCOUNT, '0x1'] };
    const request = { holder: { keyId: 'k', account: 'a' }, chain, body: Buffer.from(JSON.stringify(body)) };
    const response = await handleRequest(
      { ...request, deadline: clock.now() + 20_000 },
      admittingMeter(),
      NO_CACHE,
    );
    return [Buffer.concat(response?.body ?? []).toString(), response?.headers['X-CU-Billed']];
  };
  try {
    // Of bytes a zero is one.
    const none =
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"upstream unavailable","data":{"reason":"upstream_unavailable","retryable":true}}}';
    expect(await ask()).toEqual([none, '0']);
    expect(telemetry.logged).toContainEqual(
      expect.objectContaining({
        event: 'upstreams_disagree',
        upstream: 'node-0, node-1',
        method: 'eth_getCode',
      }),
    );
    second = '"0x07" ';
    expect(await ask()).toEqual(['{"jsonrpc":"2.0","id":1,"result":"0x07"}', '10']);
  } finally {
    node.close();
    await Promise.all(nodes.map((one) => one.close()));
  }
});
