/** The head is known by one question a second, and a chain that syncs says so. */
import { serveChain } from '../../../../lambdas/shared/upstream/routing/serve-chain.ts';
import { type Character, call, SimulatedGateway } from '../../../nodes/simulated-gateway.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';
import { CHAIN } from '../../../rpc/cache/cache-world.ts';

const STALL: Character['fate'] = () => ({ kind: 'stall' });

async function read(gateway: SimulatedGateway, timeoutMs = 10_000): Promise<number | undefined> {
  const head = await gateway.clock.until(gateway.node.head.tagged('latest', gateway.clock.now() + timeoutMs));
  return head === undefined ? undefined : Number(head);
}

function polls(gateway: SimulatedGateway): number[] {
  return gateway.upstreams.map((upstream) => upstream.polls());
}

test('the first request learns where every upstream is', async () => {
  const gateway = new SimulatedGateway([{}, { lag: 50 }, {}]);
  expect(await read(gateway)).toBe(gateway.chain.head);
  expect(polls(gateway)).toEqual([1, 1, 1]);
  expect([0, 1, 2].map((index) => gateway.node.view.isBehind(index))).toEqual([false, true, false]);
});

test('the first to report its head can be behind: requests that come meanwhile wait for the others, too', async () => {
  const gateway = new SimulatedGateway([
    { priority: 1, latencyMs: () => 30 },
    { priority: 0, lag: 50, latencyMs: () => 5 },
  ]);
  const newest = call('eth_getBalance', ['0x1', 'latest']);
  const first = gateway.start([newest]);
  await gateway.clock.pass(10);
  await gateway.clock.until(Promise.all([first, gateway.start([newest])]));
  expect(gateway.received(1)).toEqual([]);
});

test('while requests come there is one poll a second, of one upstream after the other', async () => {
  const gateway = new SimulatedGateway([{}, {}, {}]);
  await read(gateway);
  for (let request = 0; request < 300; request++) {
    await gateway.clock.pass(100);
    await read(gateway);
  }
  expect(polls(gateway)).toEqual([11, 11, 11]);
});

test('without requests there is no poll', async () => {
  const gateway = new SimulatedGateway([{}]);
  await read(gateway);
  await gateway.clock.pass(60_000);
  expect(polls(gateway)).toEqual([1]);
  expect(await read(gateway)).toBe(gateway.chain.head);
});

test('no request waits for a poll while the head is known well enough', async () => {
  const character: Character = {};
  const gateway = new SimulatedGateway([character]);
  const first = await read(gateway);
  await gateway.clock.pass(1_500);
  character.fate = STALL;
  const startedAt = gateway.clock.now();
  expect(await read(gateway)).toBe(first);
  expect(gateway.clock.now()).toBe(startedAt);
});

test('answers to clients tell the head, too', async () => {
  const gateway = new SimulatedGateway([{ lag: 0 }]);
  await read(gateway);
  await gateway.clock.pass(1_900);
  await gateway.send([call('eth_getBlockByNumber', ['latest', false])]);
  await gateway.clock.pass(500);
  expect(await read(gateway)).toBe(gateway.chain.head - 2);
});

test('one that stalls delays the first request a little, and no other', async () => {
  const gateway = new SimulatedGateway([{}, { fate: STALL }]);
  const startedAt = gateway.clock.now();
  expect(await read(gateway)).toBe(gateway.chain.head);
  expect(gateway.clock.now() - startedAt).toBe(200);
});

test('where no node reports a head, a reader that can do without one learns so after a second', async () => {
  const gateway = new SimulatedGateway([{ fate: STALL }]);
  const startedAt = gateway.clock.now();
  const peek = gateway.node.head.peek(startedAt + 10_000);
  expect(await gateway.clock.until(peek)).toBeUndefined();
  expect(gateway.clock.now() - startedAt).toBe(1_000);
  expect(await read(gateway, 3_000)).toBeUndefined();
  expect(gateway.clock.now() - startedAt).toBeLessThanOrEqual(4_000);
});

test('a poll that was lost while the instance was frozen is made again', async () => {
  const character: Character = {};
  const gateway = new SimulatedGateway([character]);
  await read(gateway);
  await gateway.clock.pass(1_500);
  character.fate = STALL;
  await read(gateway);
  character.fate = undefined;
  await gateway.clock.pass(1_999);
  expect(await read(gateway)).toBe(gateway.chain.head);
});

test('an upstream that failed is taken back by a poll, without a client that pays for the try', async () => {
  const dying: Character = { fate: () => ({ kind: 'failure', error: 'closed' }) };
  const gateway = new SimulatedGateway([dying, {}]);
  for (let request = 0; request < 100; request++) await gateway.send([call('eth_call', [request])]);
  expect(gateway.breakers).toEqual([]);
  for (let failure = 0; failure < 8; failure++) gateway.node.upstreams[0]?.health.failed();
  expect(gateway.breakers).toEqual(['upstream-1 open']);
  const before = gateway.received(0).length;
  dying.fate = undefined;
  for (let request = 0; request < 50 && gateway.breakers.length === 1; request++) {
    expect(gateway.received(0).length).toBe(before);
    await gateway.send([call('eth_call', [request])]);
    await gateway.clock.pass(100);
  }
  expect(gateway.breakers).toEqual(['upstream-1 open', 'upstream-1 closed']);
});

describe('a chain syncs', () => {
  const syncing: Character['respond'] = ({ method }) =>
    method === 'eth_syncing' ? { result: '{"currentBlock":"0x1","highestBlock":"0x100"}' } : undefined;

  test('when its only upstream does, until it no longer does', async () => {
    const character: Character = { respond: syncing };
    const gateway = new SimulatedGateway([character]);
    await read(gateway);
    expect(gateway.node.head.isSyncing()).toBe(true);
    expect(await gateway.send([call('eth_getBalance', ['0x1', 'latest'])])).toEqual(['node_syncing']);
    expect(gateway.received()).toEqual([]);
    character.respond = undefined;
    await gateway.clock.pass(2_500);
    await read(gateway);
    expect(gateway.node.head.isSyncing()).toBe(false);
  });

  test('not while one upstream does not', async () => {
    const gateway = new SimulatedGateway([{ respond: syncing }, {}]);
    await read(gateway);
    expect(gateway.node.head.isSyncing()).toBe(false);
    await gateway.send([call('eth_getBalance', ['0x1', 'latest'])]);
    expect(gateway.received(0)).toEqual([]);
  });

  test('and says so of a block above what it has, to the first that asks', async () => {
    const gateway = new SimulatedGateway([{ respond: syncing }]);
    const above = call('eth_getBlockByNumber', [`0x${(gateway.chain.head + 50).toString(16)}`, false]);
    expect(await gateway.send([above])).toEqual(['node_syncing']);
    const synced = new SimulatedGateway([{}]);
    expect(await synced.send([above])).toEqual(['null']);
  });

  const HASH = `0x${'5'.repeat(64)}`;
  const NOT_FOUND = { error: '{"code":-32000,"message":"transaction not found"}' };
  test.each<[string, readonly unknown[], { result: string } | { error: string }]>([
    ['eth_getTransactionReceipt', [HASH], { result: 'null' }],
    ['eth_getTransactionByHash', [HASH], { result: 'null' }],
    ['eth_getBlockByHash', [HASH, false], { result: 'null' }],
    ['eth_getBlockReceipts', [HASH], { result: 'null' }],
    ['eth_getBlockByNumber', ['0x20', false], { result: 'null' }],
    ['debug_traceTransaction', [HASH], NOT_FOUND],
    ['debug_traceBlockByHash', [HASH], { error: '{"code":-32000,"message":"block not found"}' }],
  ])(
    'and says so of what it does not know, at the first question and until it no longer does: %s',
    async (method, params, unknown) => {
      let syncs = true;
      const gateway = new SimulatedGateway([
        {
          respond: (asked) =>
            asked.method === method && asked.params?.[0] === params[0]
              ? unknown
              : syncs
                ? syncing(asked)
                : undefined,
        },
      ]);
      const ask = async () => (await gateway.send([call(method, params)]))[0];
      for (let asked = 0; asked < 15; asked += 1) {
        expect(await ask()).toBe('node_syncing');
        await gateway.clock.pass(400);
      }
      syncs = false;
      const response = await ask();
      expect(response).toBe(
        'result' in unknown ? 'null' : `${method.includes('Block') ? 'block' : 'transaction'}_not_found`,
      );
    },
  );

  test('and is asked no more often than four times a second whether it still does', async () => {
    let polls = 0;
    const gateway = new SimulatedGateway([
      {
        respond: (asked) => {
          if (asked.method === 'eth_syncing') polls += 1;
          return asked.method === 'eth_getTransactionReceipt' ? { result: 'null' } : syncing(asked);
        },
      },
    ]);
    for (let asked = 0; asked < 100; asked += 1) {
      expect(await gateway.send([call('eth_getTransactionReceipt', [HASH])])).toEqual(['node_syncing']);
      await gateway.clock.pass(10);
    }
    expect(polls).toBeLessThanOrEqual(6);
  });

  test('and what another node of it knows passes', async () => {
    const unknown: Character['respond'] = (asked) =>
      asked.method === 'eth_getTransactionReceipt' ? { result: 'null' } : syncing(asked);
    const gateway = new SimulatedGateway([{ respond: unknown }, {}]);
    const receipt = call('eth_getTransactionReceipt', [`0x${'1'.padStart(64, '0')}`]);
    for (let asked = 0; asked < 5; asked += 1)
      expect(await gateway.send([receipt])).not.toEqual(['node_syncing']);
  });

  test('and a call that a healthy node answers with null gets it, at the first question', async () => {
    const gateway = new SimulatedGateway([
      { respond: ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: 'null' } : undefined) },
    ]);
    for (let asked = 0; asked < 5; asked += 1)
      expect(await gateway.send([call('eth_getTransactionReceipt', [HASH])])).toEqual(['null']);
    expect(gateway.received()).toHaveLength(5);
  });

  test('and still answers for what it has', async () => {
    const gateway = new SimulatedGateway([{ respond: syncing }]);
    const [block] = await gateway.send([call('eth_getBlockByNumber', ['0x10', false])]);
    expect(JSON.parse(block ?? '').number).toBe('0x10');
  });
});

test('a function without a bulkhead, such as the Data API, learns what an operator holds before its first call', async () => {
  let reads = 0;
  const share = () => ({
    read: async () => {
      reads += 1;
    },
    publish: async () => {},
  });
  const observer = { clock: new VirtualClock(), telemetry: { log: () => {}, emit: () => {} } };
  const settings = { ...CHAIN, upstreams: ['http://127.0.0.1:1'] };
  const node = serveChain(settings, observer, async () => '', { share });
  await node.head.watch();
  expect(reads).toBe(1);
  node.close();
});
