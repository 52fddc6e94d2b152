/** However calls of one key are refused, each costs few calls of nodes and no other key loses a node. */
import { billedCu } from '../../lambdas/rpc/billing/call-usage.ts';
import type { ReceivedCall } from '../nodes/replies.ts';
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import type { Fate } from '../nodes/simulated-upstream.ts';
import { sampled } from '../support/at-length.ts';
import {
  A,
  asked,
  atEither,
  B,
  balance,
  callsOf,
  errorOf,
  execution,
  expectFewCalls,
  expectShares,
  minute,
  on,
  page,
  provoked,
  REFUSALS,
  WEIGHT,
  wording,
} from './provoked-refusals.ts';

const REVERT = { code: 3, message: 'execution reverted: the moon', data: '0x08c379a0' };

describe('a verdict of Besu on a transaction', () => {
  const VERDICTS = [
    [-32009, 'Gas price below current base fee'],
    [-32009, 'Gas price below configured minimum gas price'],
    [-32005, 'Transaction gas limit exceeds block gas limit'],
    [-32007, 'Sender account not authorized to send transactions'],
    [-32004, 'Upfront cost exceeds account balance'],
    [-32003, 'Intrinsic gas exceeds gas limit'],
    [-32009, 'something about the transaction'],
  ] as const;

  test.each(VERDICTS)('%i "%s" is given as it is, and nobody loses a node', async (code, message) => {
    for (const method of ['eth_estimateGas', 'eth_call', 'eth_sendRawTransaction']) {
      const besu = on(method, errorOf({ code, message }));
      const gateway = new SimulatedGateway([besu, besu]);
      for (let number = 0; number < 20; number += 1) {
        const response = await asked(gateway, [call(method, [hex(number)])], A);
        expect(told(response)).toBe(`error ${code} ${JSON.stringify({ code, message })}`);
        expect(billedCu(response, WEIGHT)).toBe(code === -32003 ? 0 : WEIGHT);
        expect((await asked(gateway, [balance(number)], B)).kind).toBe('result');
      }
      expect(callsOf(gateway, method)).toBe(20);
      expect(gateway.pauses).toEqual([]);
    }
  });
});

describe('words that stand in no table', () => {
  const WORDINGS = Array.from({ length: 20 }, (_, number) => wording(number));
  const codes = [-32000, -32602, -32603, -32801, -39_001];
  /** The first node refuses each call in its wording; the call tells which. */
  const refusing = (extra?: Partial<Character>): Character => ({
    ...extra,
    respond: ({ method, params }) => {
      if (method !== 'eth_call') return undefined;
      const [{ to }] = params as readonly [{ readonly to: string }];
      const number = Number(to) % 1_000;
      return errorOf({ code: codes[number % codes.length], message: wording(number) });
    },
  });

  test.each([
    ['the first node is as likely as the other', {}],
    ['the first node is always asked first', { priority: 0 }],
  ])('another node answers, 200 of 200: %s', async (_, first) => {
    for (const [given, expected] of [
      [{ result: '"0x2a"' }, '"0x2a"'],
      [errorOf(REVERT), `error 3 ${JSON.stringify(REVERT)}`],
    ] as const) {
      const gateway = new SimulatedGateway([
        refusing(first),
        { ...on('eth_call', given), priority: Object.keys(first).length },
      ]);
      let right = 0;
      for (let round = 0; round < 10; round += 1)
        for (const number of WORDINGS.keys())
          if (told(await asked(gateway, [execution(number + 1_000 * (round + 1))], A)) === expected)
            right += 1;
      expect(right).toBe(200);
    }
  });

  test('what counts: a result, a known final error, a lack, the first answer', async () => {
    const unknown = errorOf({ code: -32000, message: wording(7) });
    const other = errorOf({ code: -32000, message: wording(8) });
    const lack = errorOf({ code: -32000, message: 'missing trie node 0a' });
    for (const [first, second, counts] of [
      [unknown, { result: '"0x1"' }, '"0x1"'],
      [unknown, errorOf(REVERT), JSON.stringify(REVERT)],
      [unknown, lack, lack.error],
      [unknown, other, unknown.error],
    ] as const) {
      const gateway = new SimulatedGateway([
        { ...on('eth_call', first), priority: 0 },
        { ...on('eth_call', second), priority: 1 },
      ]);
      expect(told(await asked(gateway, [execution(1)], A))).toContain(counts);
      expect(callsOf(gateway, 'eth_call')).toBe(2);
    }
  });

  test('a node that is behind is not asked whether a refusal is final', async () => {
    const gateway = new SimulatedGateway([
      { ...on('eth_call', errorOf({ code: -32000, message: wording(7) })), priority: 0 },
      { priority: 1, lag: 20 },
    ]);
    await gateway.ask([call('eth_blockNumber')], A);
    expect(told(await asked(gateway, [execution(1)], A))).toContain(wording(7));
    expect(gateway.received(1)).toEqual([]);
  });

  test('500 refusals of one key cost at most 1.15 node calls each, and 10 searches of another key all find', () =>
    expectFewCalls(500));

  test('where both nodes refuse alike it is final for that key: 1.1 node calls each', async () => {
    const alike = on('eth_call', errorOf({ code: -32000, message: 'the moon of block 17 is full' }));
    const gateway = new SimulatedGateway([alike, alike]);
    for (let at = 0; at < 1_000; at += 1)
      expect((await asked(gateway, [execution(at)], A)).kind).toBe('error');
    expect(callsOf(gateway, 'eth_call') / 1_000).toBeLessThanOrEqual(1.1);
  });

  test("a client's own tracer is final whatever it says", async () => {
    const traced = on('debug_traceCall', errorOf({ code: -32000, message: wording(3) }));
    const gateway = new SimulatedGateway([traced, traced]);
    await asked(gateway, [call('debug_traceCall', [{}, 'latest', { tracer: '{result(){throw 1}}' }])], A);
    expect(callsOf(gateway, 'debug_traceCall')).toBe(1);
  });
});

describe('methods that one node lacks', () => {
  test('with one account and one node without traces, none is refused', async () => {
    for (const error of [
      { code: -32601, message: 'the method debug_traceTransaction does not exist/is not available' },
      { code: -32600, message: 'debug_traceTransaction is not available on the Free tier' },
    ]) {
      const gateway = new SimulatedGateway([
        on('debug_traceTransaction', errorOf(error)),
        on('debug_traceTransaction', { result: '{"gas":1}' }),
      ]);
      let after = 0;
      for (let at = 0; at < 200; at += 1) {
        if (at === 3) after = callsOf(gateway, 'debug_traceTransaction');
        const response = await asked(
          gateway,
          [call('debug_traceTransaction', [`0x${String(at).padStart(64, '0')}`])],
          A,
        );
        expect(told(response)).toBe('{"gas":1}');
      }
      expect((callsOf(gateway, 'debug_traceTransaction') - after) / 197).toBeLessThanOrEqual(1.05);
    }
  });
});

describe('a size that was learnt', () => {
  test('is no reason to do without a node: it gives the logs in parts while the other is dead', async () => {
    const narrow: Character = {
      respond: ({ method, params }) => {
        if (method !== 'eth_getLogs') return undefined;
        const [{ fromBlock, toBlock }] = params as readonly [{ fromBlock: string; toBlock: string }];
        return Number(toBlock) - Number(fromBlock) < 9
          ? { result: '[]' }
          : errorOf({ code: -32000, message: 'Max range: 10' });
      },
    };
    const wide: Character = {};
    const gateway = new SimulatedGateway([narrow, wide]);
    const logs = call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x14' }]);
    for (let at = 0; at < 10; at += 1) await asked(gateway, [logs], A);
    wide.fate = () => ({ kind: 'failure', error: 'unreachable', sent: false });
    expect(told(await asked(gateway, [logs], A))).toBe('[]');
  });
});

describe('what a client provokes', () => {
  test.each(sampled(REFUSALS))(
    '%s, at one node and at both, 200 times: no node is left alone, for 1.3 node calls each where it is free',
    async (_, way) => {
      for (const ways of atEither([way]))
        expect((await minute(ways, 200, 0)).perRefusal).toBeLessThanOrEqual(1.3);
    },
  );

  test('all of them, 20 times each: another key keeps its share of each node', () => expectShares(20, 10));

  test('20 large bodies that a node refuses cost at most two node calls each, and then one', async () => {
    const gateway = new SimulatedGateway([provoked([page(413)]), provoked([page(413)])]);
    for (let at = 0; at < 20; at += 1) await asked(gateway, [execution(at)], A);
    expect(callsOf(gateway, 'eth_call')).toBeLessThanOrEqual(40);
    const before = callsOf(gateway, 'eth_call');
    for (let at = 0; at < 100; at += 1) await asked(gateway, [execution(at)], A);
    expect(callsOf(gateway, 'eth_call') - before).toBeLessThanOrEqual(120);
  });
});

describe('a node that is unwell', () => {
  const broken = (fate: Fate): Character => ({ fate: () => fate });

  test.each([
    ['503 to everything', page(503)],
    ['a page to everything', page(200)],
  ])('%s is out of use within seconds, by the own question of the gateway', async (_, fate) => {
    const gateway = new SimulatedGateway([{ ...broken(fate) }, {}]);
    for (let at = 0; at < 200; at += 1) {
      await asked(gateway, [balance(at)], A);
      await gateway.clock.until(gateway.clock.wait(50));
    }
    expect(gateway.breakers[0]).toBe('upstream-1 open');
  });

  test.each([
    ['upstream_unavailable', { code: -32099, message: 'Authentication failed' }],
    ['upstream_unavailable', { code: -32600, message: 'debug_traceCall is not available on the Free tier' }],
    ['gateway_overloaded', { code: -32005, message: 'Too many requests' }],
  ])('is no response to one account either (%s): %j', async (reason, error) => {
    const refusing = on('eth_call', errorOf(error));
    for (const characters of [[refusing], [refusing, refusing]])
      expect(told(await asked(new SimulatedGateway(characters), [execution(1)], A))).toBe(reason);
  });

  test('the same refusal to two accounts counts against it', async () => {
    const refusing = {
      ...broken(page(503)),
      fate: ([first]: readonly ReceivedCall[]): Fate =>
        first?.method === 'eth_call' ? page(503) : { kind: 'answer' },
    };
    const gateway = new SimulatedGateway([refusing]);
    for (let at = 0; at < 20; at += 1) await asked(gateway, [execution(at)], A);
    expect(gateway.breakers).toEqual([]);
    for (let at = 0; at < 20; at += 1) await asked(gateway, [execution(at)], at % 2 === 0 ? A : B);
    expect(gateway.breakers[0]).toBe('upstream-1 open');
  });

  test.each([402, 429])('%i to one account alone is a limit of the provider', async (status) => {
    const gateway = new SimulatedGateway([
      { fate: ([first]) => (first?.method === 'eth_call' ? page(status) : { kind: 'answer' }) },
    ]);
    await asked(gateway, [execution(1)], A);
    expect(gateway.pauses).toHaveLength(1);
  });
});

describe('transactions', () => {
  const send = call('eth_sendRawTransaction', ['0x02f86b01']);
  const saying = (message: string) => on('eth_sendRawTransaction', errorOf({ code: -32000, message }));

  test('for which one node has no room go to another', async () => {
    const taking = on('eth_sendRawTransaction', { result: '"0xab"' });
    const gateway = new SimulatedGateway([
      { ...saying('txpool is full'), priority: 0 },
      { ...taking, priority: 1 },
    ]);
    expect(told(await asked(gateway, [send], A))).toBe('"0xab"');
    const full = new SimulatedGateway([saying('txpool is full'), saying('txpool is full')]);
    expect(told(await asked(full, [send], A))).toContain('txpool is full');
  });

  test.each(['replacement transaction underpriced', wording(5)])(
    'that a node refuses ("%s") are not sent twice',
    async (message) => {
      const gateway = new SimulatedGateway([saying(message), saying(message)]);
      expect(told(await asked(gateway, [send], A))).toContain(message);
      expect(callsOf(gateway, 'eth_sendRawTransaction')).toBe(1);
    },
  );
});
