/** An upstream gets only what the stage file says that it has. */
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway } from '../nodes/simulated-gateway.ts';

const ACCOUNT = `0x${'1'.padStart(40, '0')}`;

function world(...upstreams: readonly Character[]) {
  const gateway = new SimulatedGateway(upstreams);
  return {
    gateway,
    receivedBy: (upstream: number) => gateway.received(upstream).map(({ method }) => method),
  };
}

describe('an upstream of which the stage file says', () => {
  test('which methods it has gets no others', async () => {
    const { gateway, receivedBy } = world({ abilities: { methods: { deny: ['eth_getBalance'] } } }, {});
    for (let round = 0; round < 20; round += 1) {
      await gateway.send([call('eth_chainId')]);
      await gateway.send([call('eth_getBalance', [ACCOUNT, 'latest'])]);
    }
    expect(new Set(receivedBy(0))).toEqual(new Set(['eth_chainId']));
    expect(receivedBy(1).filter((method) => method === 'eth_getBalance')).toHaveLength(20);
  });

  test('that it keeps the state of some blocks gets no calls on older state, but for older blocks', async () => {
    const { gateway, receivedBy } = world({ abilities: { stateBlocks: 128 } }, { priority: 1 });
    await gateway.send([call('eth_blockNumber')]);
    const old = hex(gateway.chain.head - 128);
    const recent = hex(gateway.chain.head - 100);
    await gateway.send([call('eth_getBalance', [ACCOUNT, old])]);
    expect(receivedBy(1)).toEqual(['eth_getBalance']);
    await gateway.send([
      call('eth_getBalance', [ACCOUNT, recent]),
      call('eth_getBlockByNumber', [old, false]),
    ]);
    expect(receivedBy(1)).toEqual(['eth_getBalance']);
  });

  test('that it keeps the history of some blocks gets no older logs: its empty list would look like none', async () => {
    const { gateway, receivedBy } = world({ abilities: { historyBlocks: 200 } }, { priority: 1 });
    await gateway.send([call('eth_blockNumber')]);
    const { head } = gateway.chain;
    const logs = (from: number) => call('eth_getLogs', [{ fromBlock: hex(from), toBlock: hex(from + 9) }]);
    await gateway.send([logs(head - 300)]);
    expect(receivedBy(1)).toEqual(['eth_getLogs']);
    await gateway.send([logs(head - 150)]);
    expect(receivedBy(1)).toEqual(['eth_getLogs']);
  });

  test('how many calls a second it takes gets no more; without another the client is told when', async () => {
    const { gateway } = world({ callsPerSecond: 5 });
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => gateway.send([call('eth_chainId')])),
    );
    expect(gateway.received().length).toBeLessThanOrEqual(6);
    expect(
      responses.flat().filter((response) => response === 'gateway_overloaded').length,
    ).toBeGreaterThanOrEqual(30);
    const shared = world({ callsPerSecond: 5 }, { priority: 1 });
    for (let round = 0; round < 20; round += 1) await shared.gateway.send([call('eth_chainId')]);
    expect(shared.receivedBy(0).length).toBeLessThanOrEqual(6);
    expect(shared.receivedBy(0).length + shared.receivedBy(1).length).toBe(20);
  });
});

test('what no upstream has by the stage file is refused, and nothing is sent', async () => {
  const { gateway } = world({
    abilities: { methods: { allow: ['eth_blockNumber', 'eth_getBalance'] }, stateBlocks: 128 },
  });
  await gateway.send([call('eth_blockNumber')]);
  const before = gateway.received().length;
  const old = hex(gateway.chain.head - 500);
  expect(await gateway.send([call('eth_chainId'), call('eth_getBalance', [ACCOUNT, old])])).toEqual([
    'method_not_allowed',
    'state_not_available',
  ]);
  expect(gateway.received().length).toBe(before);
});
