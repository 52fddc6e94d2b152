/** What one upstream cannot do another does, in bounded attempts, and a transaction is sent once. */
import { keccak256 } from 'viem';
import { callUsage } from '../../lambdas/rpc/billing/call-usage.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { isKept } from '../../lambdas/shared/jsonrpc/match-responses.ts';
import { MIN_STAND_MS } from '../../lambdas/shared/upstream/head/head-reports.ts';
import type { Sender } from '../../lambdas/shared/upstream/routing/terms.ts';
import type { ReceivedCall } from '../nodes/replies.ts';
import { hex, transactionOf } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import { type Fate, MAX_RESPONSE_BYTES } from '../nodes/simulated-upstream.ts';
import { OWN_TRACER, TRACER_ERRORS } from './tracer-errors.ts';

const CHAIN_ID = '"0x1"';
const responses = { kind: 'answer' } as const;

function respond(status: number, body: string): Fate {
  return { kind: 'response', status, body };
}

function fails(error: Extract<Fate, { kind: 'failure' }>['error'], sent = true): Fate {
  return { kind: 'failure', error, sent };
}

/** The first responses by its fate; the second always well, and is asked only if the first is not enough. */
function pair(fate: Fate): { gateway: SimulatedGateway; first: Character } {
  const first: Character = { priority: 0, fate: () => fate };
  return { gateway: new SimulatedGateway([first, { priority: 1 }]), first };
}

function error(code: number, message: string) {
  return { error: JSON.stringify({ code, message }) };
}

describe('what the first upstream cannot do, the second does', () => {
  test.each<[string, Fate]>([
    ['is not there', fails('unreachable', false)],
    ['closes the connection', fails('closed')],
    ['breaks off its response', fails('malformed')],
    ['is rate-limited', respond(429, 'slow down')],
    [
      'is rate-limited and says so in JSON',
      respond(429, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}'),
    ],
    ['answers 500', respond(500, 'oops')],
    ['answers 503', respond(503, '')],
    ['answers HTML', respond(200, '<html>')],
    ['answers another call', respond(200, '{"jsonrpc":"2.0","id":999999,"result":1}')],
    ['answers nothing', respond(200, '[]')],
  ])('when it %s', async (_name, fate) => {
    const { gateway } = pair(fate);
    expect(await gateway.send([call('eth_chainId')])).toEqual([CHAIN_ID]);
    expect(gateway.received().length).toBe(2);
  });

  test.each([
    ['has no such header', error(-32000, 'header not found')],
    ['has dropped the state', error(-32000, 'missing trie node ab')],
    ['has pruned it', error(4444, 'pruned history unavailable')],
    ['does not know the method', error(-32601, 'method not found')],
    ['is limited', error(-32005, 'too many requests')],
    ['is broken', error(-32603, 'internal error')],
  ])('when it %s', async (_name, response) => {
    const gateway = new SimulatedGateway([{ priority: 0, respond: () => response }, { priority: 1 }]);
    expect(await gateway.send([call('eth_chainId')])).toEqual([CHAIN_ID]);
  });

  test('when it says null for a block that there is', async () => {
    const { gateway, first } = pair(responses);
    first.respond = ({ method }) => (method === 'eth_getBlockByNumber' ? { result: 'null' } : undefined);
    const [response] = await gateway.send([call('eth_getBlockByNumber', [hex(gateway.chain.head), false])]);
    expect(JSON.parse(response ?? '')).toEqual(gateway.chain.block(gateway.chain.head));
  });

  test('for those calls of a batch that need it, and only those', async () => {
    const { gateway, first } = pair(responses);
    first.respond = ({ params }) => (params?.[0] === '0x2' ? error(-32000, 'header not found') : undefined);
    const calls = ['0x1', '0x2', '0x3'].map((block) => call('eth_getBlockByNumber', [block, false]));
    const numbers = (await gateway.send(calls)).map((response) => JSON.parse(response).number);
    expect(numbers).toEqual(['0x1', '0x2', '0x3']);
    expect(gateway.received(1).map(({ params }) => params?.[0])).toEqual(['0x2']);
  });
});

describe('the caller has to live with', () => {
  test.each([
    ['a revert', error(3, 'execution reverted')],
    ['invalid params', error(-32602, 'invalid params')],
    ['a rejected transaction', error(-32003, 'transaction rejected')],
    ['a low nonce', error(-32000, 'nonce too low')],
    ['null', { result: 'null' }],
  ])('%s: no other upstream is asked', async (_name, response) => {
    const gateway = new SimulatedGateway([
      { priority: 0, respond: ({ method }) => (method === 'eth_gasPrice' ? response : undefined) },
      { priority: 1 },
    ]);
    await gateway.send([call('eth_gasPrice')]);
    expect(gateway.received(1)).toEqual([]);
  });

  test('a result that is too large: it is so everywhere', async () => {
    const { gateway } = pair(fails('too_large'));
    expect(await gateway.send([call('eth_chainId')])).toEqual(['upstream_response_too_large']);
    expect(gateway.received(1)).toEqual([]);
  });
});

describe('client-caused errors do not count against upstream health', () => {
  const named = call('debug_traceCall', [{}, 'latest', { tracer: 'callTracer' }]);

  test.each(TRACER_ERRORS)('by code of its own: %s', async (message) => {
    for (const asked of [OWN_TRACER, named]) {
      const response = error(-32000, message);
      const other = ({ method }: ReceivedCall) => (method === asked.method ? response : undefined);
      const gateway = new SimulatedGateway([{ respond: other }, { respond: other }]);
      for (let request = 0; request < 10; request++) {
        expect(await gateway.send([asked])).toEqual([`error -32000 ${response.error}`]);
      }
      expect(gateway.received().length).toBe(10);
      expect(gateway.breakers).toEqual([]);
      expect(gateway.node.upstreams.map(({ health }) => health.errorRate)).toEqual([0, 0]);
    }
  });
});

describe('words of a client that would blame a node', () => {
  test.each(['quota', 'rate limit', 'timed out', 'missing trie node', 'header not found'])(
    'cost one call of a node each, and take no upstream out: %s',
    async (words) => {
      const echoing: Character['respond'] = ({ method, params }) =>
        method === 'debug_traceCall'
          ? error(-32000, `time: invalid duration in ${JSON.stringify(params?.[2])}`)
          : undefined;
      const gateway = new SimulatedGateway([{ respond: echoing }, { respond: echoing }]);
      const calls = 100;
      for (let asked = 0; asked < calls; asked++) {
        await gateway.send([call('debug_traceCall', [{ asked }, 'latest', { timeout: words }])]);
      }
      const perCall = gateway.received().length / calls;
      console.log(`node calls for each client call, with the words "${words}": ${perCall}`);
      expect(perCall).toBeLessThanOrEqual(1.2);
      expect(gateway.breakers).toEqual([]);
      expect(gateway.node.upstreams.map(({ health }) => health.errorRate)).toEqual([0, 0]);
    },
  );
});

describe('a batch that is too large for one response', () => {
  const HUGE = '0xff';
  /** First of a hundred blocks, of which the huge one is in the middle. */
  const FIRST_OF_HUNDRED = 0xff - 50;
  const blocks = (...numbers: readonly string[]) =>
    numbers.map((number) => call('eth_getBlockByNumber', [number, true]));
  const isHuge = ({ params }: ReceivedCall) => params?.[0] === HUGE;
  const small: Character['respond'] = ({ method, params }) =>
    method === 'eth_getBlockByNumber' ? { result: JSON.stringify(params?.[0]) } : undefined;
  const choking: Character = {
    respond: small,
    fate: (calls) => (calls.some(isHuge) ? fails('too_large') : responses),
  };
  const TOO_LARGE = 'upstream_response_too_large';

  test.each([1, 2])(
    'is sent in parts: only what is too large by itself fails (%d upstreams)',
    async (count) => {
      const gateway = new SimulatedGateway(Array.from({ length: count }, () => choking));
      expect(await gateway.send(blocks('0x1', HUGE))).toEqual(['"0x1"', TOO_LARGE]);
      expect(await gateway.send(blocks('0x1', '0x2', '0x3', HUGE, '0x5', '0x6', '0x7'))).toEqual([
        '"0x1"',
        '"0x2"',
        '"0x3"',
        TOO_LARGE,
        '"0x5"',
        '"0x6"',
        '"0x7"',
      ]);
      expect(gateway.breakers).toEqual([]);
    },
  );

  test('is sent in parts as far as the budget goes, of which it leaves enough for failures', async () => {
    const gateway = new SimulatedGateway([choking]);
    const numbers = Array.from({ length: 100 }, (_, index) => hex(index + FIRST_OF_HUNDRED));
    const told = await gateway.send(blocks(...numbers));
    expect(told[numbers.indexOf(HUGE)]).toBe(TOO_LARGE);
    expect(told.filter((one) => one !== TOO_LARGE).length).toBeGreaterThanOrEqual(50);
    expect(gateway.received().length).toBeLessThanOrEqual(100 * 1.18 + 100 - 50);
    expect(gateway.node.budget.take(50)).toBe(true);
  });

  test('costs a node little more than it costs the caller, who pays for what is sent again', async () => {
    const trace = JSON.stringify('x'.repeat(100_000));
    const traces = Array.from({ length: 25 }, (_, id) => call('debug_traceTransaction', [`0x${id}`]));
    const large: Character = {
      respond: ({ method }) => (method === 'debug_traceTransaction' ? { result: trace } : undefined),
      fate: (calls) => (calls.length > 10 ? fails('too_large') : responses),
    };
    const gateway = new SimulatedGateway([large, large]);
    const requests = 200;
    let paidAgain = 0;
    for (let request = 0; request < requests; request++) {
      await gateway.send(traces, undefined, async (calls) => {
        paidAgain += calls.length;
        return true;
      });
    }
    const asked = gateway.received().length;
    const perCall = asked / (requests * traces.length);
    console.log(`node calls for each call of a batch that is too large: ${perCall}`);
    expect(perCall).toBeLessThanOrEqual(1.2);
    expect(paidAgain).toBeGreaterThan(0);
    expect(asked - requests * traces.length).toBe(paidAgain);
  });

  test('of which every part is too large ends', async () => {
    const gateway = new SimulatedGateway([
      { fate: () => fails('too_large') },
      { fate: () => fails('too_large') },
    ]);
    gateway.node.budget.earn(10_000);
    const told = await gateway.send(blocks(...Array.from({ length: 100 }, (_, index) => hex(index))));
    expect(new Set(told)).toEqual(new Set([TOO_LARGE]));
    expect(gateway.received().length).toBe(100 * 2);
  });

  test('costs one further round: 25 traces of 3 MB are not traced three times for 10 answers', async () => {
    const trace = JSON.stringify('x'.repeat(0.09 * MAX_RESPONSE_BYTES));
    const gateway = new SimulatedGateway([
      {
        respond: ({ method }) => (method === 'debug_traceTransaction' ? { result: trace } : undefined),
        fate: (calls) => (calls.length * trace.length > MAX_RESPONSE_BYTES ? fails('too_large') : responses),
      },
    ]);
    const hashes = Array.from({ length: 25 }, (_, index) => transactionOf(index));
    const told = await gateway.send(hashes.map((hash) => call('debug_traceTransaction', [hash])));
    expect(told.filter((one) => one === trace)).toHaveLength(11);
    expect(new Set(told)).toEqual(new Set([trace, TOO_LARGE]));
    expect(gateway.received().length).toBe(2 * 25);
  });

  test('does not add up to more than one response may be, and keeps the small ones', async () => {
    const large = JSON.stringify('x'.repeat(0.6 * MAX_RESPONSE_BYTES));
    const gateway = new SimulatedGateway([
      {
        respond: (asked) => (isHuge(asked) ? { result: large } : small(asked)),
        fate: (calls) => (calls.some(isHuge) && calls.length > 1 ? fails('too_large') : responses),
      },
    ]);
    const [first, ...others] = await gateway.send(blocks(HUGE, '0x1', '0x2'));
    expect([first?.length, ...others]).toEqual([large.length, '"0x1"', '"0x2"']);
    const asked = [call('eth_getBlockByNumber', [HUGE, true]), call('eth_getBlockByNumber', [HUGE, false])];
    const both = await gateway.send([...asked, ...blocks('0x1')]);
    expect(both.map((one) => one === large)).toEqual([true, false, false]);
    expect(both.slice(1)).toEqual([TOO_LARGE, '"0x1"']);
  });

  test('does not send a transaction again', async () => {
    const gateway = new SimulatedGateway([choking]);
    const raw = call('eth_sendRawTransaction', ['0x01']);
    expect(await gateway.send([raw, ...blocks('0x1', HUGE)])).toEqual([TOO_LARGE, '"0x1"', TOO_LARGE]);
    expect(gateway.received().filter(({ method }) => method === raw.method).length).toBe(1);
  });
});

describe('an empty trace of a transaction', () => {
  const EMPTY = '{"failed":false,"gas":0,"returnValue":"0x","structLogs":[]}';
  const HASHES = [1, 2].map((number) => transactionOf(number));
  const traces = HASHES.map((hash) => call('debug_traceTransaction', [hash]));

  /** A node that traces without a step, and knows of transactions what is said. */
  function tracing(known: (hash: unknown) => ReturnType<NonNullable<Character['respond']>>): Character {
    return {
      respond: ({ method, params }) => {
        if (method === 'debug_traceTransaction') return { result: EMPTY };
        return method === 'eth_getTransactionByHash' ? known(params?.[0]) : undefined;
      },
    };
  }

  test('that the node has is the response; one that it does not know is not found', async () => {
    const gateway = new SimulatedGateway([
      tracing((hash) => ({ result: hash === HASHES[0] ? JSON.stringify({ hash }) : 'null' })),
    ]);
    expect(await gateway.send(traces)).toEqual([EMPTY, 'transaction_not_found']);
    expect(gateway.received().length).toBe(4);
  });

  test('is looked for where it was traced', async () => {
    const gateway = new SimulatedGateway([
      { ...tracing(() => ({ result: 'null' })), priority: 0 },
      { ...tracing((hash) => ({ result: JSON.stringify({ hash }) })), priority: 1 },
    ]);
    expect(await gateway.send(traces.slice(1))).toEqual(['transaction_not_found']);
    expect(gateway.received(1)).toEqual([]);
  });

  test('is believed if no upstream says whether there is one', async () => {
    const silent = new SimulatedGateway([
      {
        ...tracing(() => undefined),
        fate: (calls) => (calls[0]?.method === 'eth_getTransactionByHash' ? { kind: 'stall' } : responses),
      },
    ]);
    const startedAt = silent.clock.now();
    expect(await silent.send(traces)).toEqual([EMPTY, EMPTY]);
    expect(silent.clock.now() - startedAt).toBeLessThanOrEqual(2_000);
    const poor = new SimulatedGateway([tracing(() => ({ result: 'null' }))]);
    poor.node.budget.take(60);
    expect(await poor.send(traces)).toEqual([EMPTY, EMPTY]);
    expect(poor.received().length).toBe(2);
  });
});

describe('when all fail', () => {
  test('a node that says why is worth more than the gateway that does not know', async () => {
    const pruned = error(4444, 'pruned history unavailable');
    const gateway = new SimulatedGateway([
      { priority: 0, respond: ({ method }) => (method === 'eth_getBalance' ? pruned : undefined) },
      { priority: 1, fate: () => fails('closed') },
    ]);
    expect(await gateway.send([call('eth_getBalance', ['0x1', '0x1'])])).toEqual([
      `error 4444 ${pruned.error}`,
    ]);
    expect(gateway.received(1).length).toBe(1);
  });

  test.each<[string, Fate]>([
    ['upstream_unavailable', fails('unreachable', false)],
    ['upstream_unavailable', fails('closed')],
    ['no_upstream_response', { kind: 'stall' }],
    ['malformed_upstream_response', respond(200, '<html>')],
    ['upstream_response_too_large', fails('too_large')],
  ])('it is said how: %s', async (reason, fate) => {
    const gateway = new SimulatedGateway([{ fate: () => fate }, { fate: () => fate }]);
    expect(await gateway.send([call('eth_chainId')])).toEqual([reason]);
  });

  test('a single upstream is asked once', async () => {
    const gateway = new SimulatedGateway([{ fate: () => fails('closed') }]);
    expect(await gateway.send([call('eth_chainId')])).toEqual(['upstream_unavailable']);
    expect(gateway.received().length).toBe(1);
  });

  test('a dead chain is not flooded: further attempts are bounded, whatever comes', async () => {
    const gateway = new SimulatedGateway([{}, {}, {}].map(() => ({ fate: () => fails('closed') })));
    const requests = 1_000;
    for (let request = 0; request < requests; request++) await gateway.send([call('eth_chainId')]);
    expect(gateway.received().length).toBeLessThanOrEqual(requests * 1.18 + 100);
  });
});

describe('a transaction', () => {
  const RAW = '0x02f86c018080';
  const send = call('eth_sendRawTransaction', [RAW]);
  const hash = keccak256(RAW);
  const accepting: Character['respond'] = ({ method }) =>
    method === 'eth_sendRawTransaction' ? { result: JSON.stringify(hash) } : undefined;
  const knowing: Character['respond'] = ({ method }) =>
    method === 'eth_sendRawTransaction' ? error(-32000, 'already known') : undefined;

  const sent = (gateway: SimulatedGateway) =>
    gateway.upstreams.map(({ received }) => received.filter(({ method }) => method === send.method).length);

  test.each<[string, Fate]>([
    ['connection broke', fails('closed')],
    ['response broke off', fails('malformed')],
    ['node answered 500', respond(500, '')],
    ['node stalled', { kind: 'stall' }],
    ['node answered HTML', respond(200, '<html>')],
  ])('may have arrived when the %s: it is not sent again', async (_name, fate) => {
    const gateway = new SimulatedGateway([
      { priority: 0, fate: () => fate },
      { priority: 1, respond: accepting },
    ]);
    await gateway.send([send]);
    expect(sent(gateway)).toEqual([1, 0]);
  });

  test('that a limited node refuses is sent to the next: it has done nothing', async () => {
    const limited: readonly Character[] = [
      { fate: ([first]) => (first?.method === send.method ? respond(429, '') : responses) },
      { respond: ({ method }) => (method === send.method ? error(-32005, 'too many requests') : undefined) },
    ];
    for (const first of limited) {
      const gateway = new SimulatedGateway([
        { priority: 0, ...first },
        { priority: 1, respond: accepting },
      ]);
      expect(await gateway.send([send])).toEqual([JSON.stringify(hash)]);
      expect(sent(gateway)).toEqual([1, 1]);
      const alone = new SimulatedGateway([first]);
      expect(await alone.send([send])).toEqual(['gateway_overloaded']);
      expect(sent(alone)).toEqual([1]);
    }
  });

  test('that cannot have left is sent to the next', async () => {
    const gateway = new SimulatedGateway([
      { priority: 0, fate: () => fails('unreachable', false) },
      { priority: 1, respond: accepting },
    ]);
    expect(await gateway.send([send])).toEqual([JSON.stringify(hash)]);
    expect(sent(gateway)).toEqual([1, 1]);
  });

  test('that was sent before and is known by now has succeeded', async () => {
    const gateway = new SimulatedGateway([
      { priority: 0, fate: () => fails('unreachable', false) },
      { priority: 1, respond: knowing },
    ]);
    expect(await gateway.send([send])).toEqual([JSON.stringify(hash)]);
  });

  test('that a client sends again after no response came has succeeded', async () => {
    const character: Character = { fate: () => fails('closed'), respond: knowing };
    const gateway = new SimulatedGateway([character]);
    expect(await gateway.send([send])).toEqual(['upstream_unavailable']);
    character.fate = undefined;
    expect(await gateway.send([send])).toEqual([JSON.stringify(hash)]);
  });

  test.each([
    ['is in a block', '{"blockNumber":"0x1"}', JSON.stringify(hash)],
    ['is nowhere', 'null', expect.stringMatching(/nonce too low/)],
  ])('whose nonce is too low and that %s', async (_, found, expected) => {
    const late: Character['respond'] = ({ method, params }) => {
      if (method === 'eth_sendRawTransaction')
        return error(-32000, 'nonce too low: next nonce 5, tx nonce 4');
      if (method === 'eth_getTransactionByHash') expect(params).toEqual([hash]);
      return method === 'eth_getTransactionByHash' ? { result: found } : undefined;
    };
    expect(await new SimulatedGateway([{ respond: late }]).send([send])).toEqual([expected]);
  });

  test('in a batch leaves the others free to be asked again', async () => {
    const gateway = new SimulatedGateway([{ priority: 0, fate: () => fails('closed') }, { priority: 1 }]);
    expect(await gateway.send([send, call('eth_chainId')])).toEqual(['upstream_unavailable', CHAIN_ID]);
    expect(sent(gateway)).toEqual([1, 0]);
  });
});

describe('an upstream that is behind', () => {
  const LAG = 50;
  const recent = (gateway: SimulatedGateway) => hex(gateway.chain.head - LAG + 10);

  function lagging(other: Character = {}, lag = LAG): SimulatedGateway {
    return new SimulatedGateway([{ priority: 0, lag }, Object.assign(other, { priority: 1 })]);
  }

  test.each<[string, (gateway: SimulatedGateway) => Call]>([
    ['the newest block', () => call('eth_getBlockByNumber', ['latest', false])],
    ['the newest state', () => call('eth_getBalance', ['0x1', 'latest'])],
    ['a block that it lacks', (gateway) => call('eth_getBlockByNumber', [recent(gateway), false])],
    ['state that it lacks', (gateway) => call('eth_getBalance', ['0x1', recent(gateway)])],
    [
      'logs that it lacks',
      (gateway) => call('eth_getLogs', [{ fromBlock: '0x1', toBlock: recent(gateway) }]),
    ],
    [
      'a new transaction',
      (gateway) => call('eth_getTransactionReceipt', [transactionOf(gateway.chain.head)]),
    ],
  ])('is not asked for %s, from the first request on', async (_name, make) => {
    const gateway = lagging();
    await gateway.send([make(gateway)]);
    expect(gateway.upstreams.map(({ received }) => received.length)).toEqual([0, 1]);
  });

  test.each<[string, Call]>([
    ['a block that it has', call('eth_getBlockByNumber', ['0x10', false])],
    ['logs that it has', call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x10' }])],
    ['a constant', call('eth_chainId')],
  ])('is asked for %s', async (_name, asked) => {
    const gateway = lagging();
    await gateway.send([call('eth_chainId')]);
    await gateway.send([asked]);
    expect(gateway.received(1)).toEqual([]);
  });

  test('is not believed when it does not know a hash', async () => {
    const gateway = lagging({ fate: (calls) => (calls.length === 1 ? fails('closed') : responses) });
    const receipt = call('eth_getTransactionReceipt', [transactionOf(gateway.chain.head)]);
    expect(await gateway.send([receipt])).toEqual(['node_syncing']);
    expect(gateway.received(0).length).toBe(1);
  });

  test('does not speak for the newest blocks when it is the only one left', async () => {
    const other: Character = {};
    const gateway = lagging(other, 2 * LAG);
    await gateway.send([call('eth_chainId'), call('eth_getBlockByNumber', ['0x1', false])]);
    other.fate = () => fails('unreachable', false);
    const newest = call('eth_getBalance', ['0x1', 'latest']);
    const heardAt = gateway.clock.now();
    while (gateway.clock.now() - heardAt < MIN_STAND_MS - 1_000) {
      await gateway.clock.pass(100);
      await gateway.send([newest]);
    }
    // As long as the head of the one that is dead stands, the other is known to be behind.
    expect(gateway.breakers.filter((news) => !news.endsWith('still_open'))).toEqual(['upstream-2 open']);
    expect(gateway.received(0).filter(({ method }) => method === newest.method)).toEqual([]);
    expect(await gateway.send([call('eth_chainId')])).toEqual([CHAIN_ID]);
    await gateway.clock.pass(2_000);
    await gateway.send([newest]);
    await gateway.clock.pass(1_000);
    expect((await gateway.send([newest]))[0]).toMatch(/^"0x/);
  });
});

describe('the head that clients see goes back with the chain', () => {
  const number = call('eth_blockNumber');
  const newest = call('eth_getBlockByNumber', ['latest', false]);

  test('by the first response that says so, whatever was asked, for one call of the client', async () => {
    for (const asked of [number, newest]) {
      const character: Character = {};
      const gateway = new SimulatedGateway([character]);
      await gateway.send([asked]);
      character.lag = 20;
      const [response] = await gateway.clock.until(gateway.start([asked]));
      expect(told(response as UpstreamResponse)).toContain(hex(gateway.chain.head - 20));
      expect(isKept(response as UpstreamResponse)).toBe(false);
      expect(gateway.received().length).toBe(2);
    }
  });
});

describe('the head that clients see does not go back because a node lags', () => {
  test('in the newest block, for which the other node is asked', async () => {
    const characters: Character[] = [{ priority: 0 }, { priority: 1 }];
    const gateway = new SimulatedGateway(characters);
    const newest = call('eth_getBlockByNumber', ['latest', false]);
    const ask = async () => JSON.parse((await gateway.send([newest]))[0] ?? '').number;
    const first = await ask();
    (characters[0] as Character).lag = 3;
    expect(await ask()).toBe(first);
    expect(gateway.received(1).length).toBe(1);
  });

  test('in the newest block, of which the last is given again while the one that has it is not heard of', async () => {
    const characters: Character[] = [{ priority: 0 }, { priority: 1, lag: 3 }];
    const gateway = new SimulatedGateway(characters);
    const newest = call('eth_getBlockByNumber', ['latest', false]);
    const [first] = await gateway.send([newest]);
    (characters[0] as Character).fate = () => fails('closed');
    const [again] = await gateway.clock.until(gateway.start([newest]));
    expect(told(again as UpstreamResponse)).toBe(first);
    expect(isKept(again as UpstreamResponse)).toBe(true);
    const answered = { call: newest, response: again as UpstreamResponse, cached: true };
    expect(callUsage('one', answered)).toMatchObject({ cu: 1 });
    // With transactions it was never given: there is nothing to give again, and the older one is true.
    const whole = call('eth_getBlockByNumber', ['latest', true]);
    expect(await gateway.send([whole])).toEqual([
      JSON.stringify(gateway.chain.block(gateway.chain.head - 3)),
    ]);
    await gateway.clock.pass(1_000);
    expect(JSON.parse((await gateway.send([newest]))[0] ?? '').number).toBe(hex(gateway.chain.head - 3));
  });
});

describe('time and room', () => {
  test('a request without time is not begun', async () => {
    const gateway = new SimulatedGateway([{}]);
    expect(await gateway.send([call('eth_chainId')], 5)).toEqual(['gateway_overloaded']);
    expect(gateway.received()).toEqual([]);
  });

  test('more requests than there are slots are refused, and the slots come back', async () => {
    const gateway = new SimulatedGateway([{ latencyMs: () => 100 }]);
    const all = Promise.all(
      Array.from({ length: 33 }, (_, index) => gateway.start([call('eth_call', [index])])),
    );
    const reasons = (await gateway.clock.until(all)).map(([response]) =>
      response?.kind === 'failed' ? response.error.reason : 'sent',
    );
    expect(reasons.filter((reason) => reason === 'gateway_overloaded')).toHaveLength(1);
    expect(await gateway.send([call('eth_chainId')])).toEqual([CHAIN_ID]);
  });

  test('everything ends by the deadline', async () => {
    const gateway = new SimulatedGateway([
      { fate: () => ({ kind: 'stall' }) },
      { fate: () => fails('closed') },
    ]);
    const startedAt = gateway.clock.now();
    await gateway.send([call('eth_chainId'), call('eth_call', [{}, 'latest'])], 3_000);
    expect(gateway.clock.now() - startedAt).toBeLessThanOrEqual(3_000);
  });
});

describe('hedging', () => {
  /** The first responses fast until it is told not to. */
  async function warmed(fate: () => Fate): Promise<SimulatedGateway> {
    let warm = false;
    const gateway = new SimulatedGateway([
      { priority: 0, latencyMs: () => 20, fate: () => (warm ? fate() : responses) },
      { priority: 1, latencyMs: () => 30 },
    ]);
    for (let request = 0; request < 20; request++) await gateway.send([call('eth_call', [request])]);
    warm = true;
    return gateway;
  }

  test('a read that takes longer than usual is also sent to another, and the first response wins', async () => {
    const gateway = await warmed(() => ({ kind: 'stall' }));
    const startedAt = gateway.clock.now();
    expect(await gateway.send([call('eth_chainId')])).toEqual([CHAIN_ID]);
    expect(gateway.clock.now() - startedAt).toBe(20 + 30);
    expect(gateway.received(1).length).toBe(1);
  });

  test('a transaction is not', async () => {
    const gateway = await warmed(() => ({ kind: 'stall' }));
    await gateway.send([call('eth_sendRawTransaction', ['0x01'])]);
    expect(gateway.received(1)).toEqual([]);
  });

  test('a fault of the gateway itself at the first is told once, and ends no process', async () => {
    let late = false;
    const respond = () => {
      if (late) throw new TypeError('a fault');
      return undefined;
    };
    const gateway = new SimulatedGateway([
      { priority: 0, latencyMs: () => (late ? 300 : 20), respond },
      { priority: 1, lag: 3, latencyMs: () => 5_000, fate: () => (late ? fails('closed') : responses) },
    ]);
    await gateway.send([call('eth_blockNumber')]);
    late = true;
    const state = gateway.node.view.head;
    const sent = gateway.ask([call('eth_call', [{}, 'latest'])], { given: { state } as Sender['given'] });
    await expect(sent).rejects.toThrow('a fault');
    expect(gateway.received(1).length).toBe(1);
    // A rejection that nothing handles ends the run of this test.
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('leaves the budget enough for failures', async () => {
    const gateway = await warmed(() => ({ kind: 'stall' }));
    gateway.node.budget.take(60);
    await gateway.send([call('eth_chainId')], 500);
    expect(gateway.received(1)).toEqual([]);
  });
});
