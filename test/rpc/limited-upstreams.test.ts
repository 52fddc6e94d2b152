/** A node that refuses for a limit of its own has not answered, and is left alone for a bounded time. */
import { billedCu } from '../../lambdas/rpc/billing/call-usage.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { renderError } from '../../lambdas/shared/jsonrpc/render-error.ts';
import { HOLD_RULES, MAX_TOLD_PAUSE_MS } from '../../lambdas/shared/upstream/health/holds.ts';
import type { ReceivedCall } from '../nodes/replies.ts';
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import type { Fate } from '../nodes/simulated-upstream.ts';

const { firstMs: FIRST_PAUSE_MS, mostMs: MAX_PAUSE_MS } = HOLD_RULES.rate;
/** A pause is longer by up to this factor. */
const JITTER = 1.25;
const WEIGHT = 10;

interface Told {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const TOO_MANY = '{"error":{"code":429,"message":"Too Many Requests"}}';
const refusing = (status: number, body = TOO_MANY, retryAfter?: string): Fate => {
  return { kind: 'response', status, body, retryAfter };
};
const error = (code: number, message: string, data?: unknown) => {
  return { error: JSON.stringify({ code, message, ...(data !== undefined && { data }) }) };
};
/** A node that refuses all calls of clients, and tells its head. */
const saying = (response: ReturnType<typeof error>): Character => ({
  respond: ({ method }) => (method === 'eth_chainId' ? response : undefined),
});

/** The gateway's refusal, as a client reads it. */
function read(response: UpstreamResponse | undefined): Told {
  if (response?.kind !== 'failed') throw new Error(`no refusal: ${response && told(response)}`);
  return JSON.parse(renderError(response.error).toString()) as Told;
}

const CHAIN_ID = call('eth_chainId');
const BALANCE = call('eth_getBalance', [`0x${'1'.padStart(40, '0')}`, 'latest']);

async function ask(gateway: SimulatedGateway, ...calls: readonly Call[]) {
  return gateway.clock.until(gateway.start(calls));
}

/** Every way in which a provider says that its subscriber has had enough. */
const WAYS: readonly (readonly [string, Character])[] = [
  ['429 with an error', { fate: () => refusing(429) }],
  ['429 without a body', { fate: () => refusing(429, '') }],
  ['429 as HTML', { fate: () => refusing(429, '<html>slow down</html>') }],
  ['402 without a body', { fate: () => refusing(402, '') }],
  [
    '403 for its capacity',
    { fate: () => refusing(403, '{"error":{"code":-32098,"message":"Capacity exceeded"}}') },
  ],
  ['200 with code 429', saying(error(429, 'Too Many Requests'))],
  ['200 with -32005', saying(error(-32005, 'daily request count exceeded, request rate limited'))],
  ['200 with -32007', saying(error(-32007, '50/second request limit reached'))],
  ['200 with words alone', saying(error(-32000, 'rate limit exceeded'))],
  [
    '200 with words of a plan',
    saying(error(-32001, "You've reached the usage limit for your current plan.")),
  ],
];

describe('a node that refuses for a limit of its own has not answered', () => {
  test.each(WAYS)('%s: another is asked', async (_name, limited) => {
    const gateway = new SimulatedGateway([{ priority: 0, ...limited }, { priority: 1 }]);
    expect((await ask(gateway, CHAIN_ID)).map(told)).toEqual(['"0x1"']);
    const [response] = await ask(gateway, CHAIN_ID);
    expect(response?.kind).toBe('result');
    expect(gateway.received(0).length).toBeLessThanOrEqual(1);
    expect(gateway.pauses).toHaveLength(1);
    expect(gateway.breakers).toEqual([]);
  });

  test.each(WAYS)(
    '%s by all: the gateway is overloaded, unbilled, and says until when',
    async (_name, limited) => {
      const gateway = new SimulatedGateway([limited, limited, limited]);
      for (let asked = 0; asked < 5; asked++) {
        const [response] = await ask(gateway, CHAIN_ID);
        const { code, message, data } = read(response);
        expect([code, message]).toEqual([-32005, 'gateway overloaded, retry later']);
        expect(data).toEqual({
          reason: 'gateway_overloaded',
          retryable: true,
          rule: 'upstreams_limited',
          retry_after_ms: expect.any(Number),
        });
        expect(data.retry_after_ms).toBeGreaterThan(0);
        expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(0);
      }
      // Each is asked once, and then left alone.
      expect(gateway.received().length).toBeLessThanOrEqual(3);
    },
  );

  test.each([
    ['a range', -32005, 'eth_getLogs block range too large, range: 855077, max: 3500', 5],
    ['a number of results', -32005, 'query returned more than 10000 results', 5],
    ['a number of logs', -32005, 'Too many logs requested. Max logs per response is 20000.', 5],
    ['a range, in other words', -32005, 'Requested range exceeds maximum RPC range limit', 5],
  ])(
    'but %s is the response to the call, once each has said so, and of each block',
    async (_name, code, message, nodeCalls) => {
      const strict: Character = {
        respond: ({ method }) => (method === 'eth_getLogs' ? error(code, message) : undefined),
      };
      const gateway = new SimulatedGateway([strict, strict, strict]);
      const [response] = await ask(gateway, call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]));
      expect(response).toMatchObject({ kind: 'error', code });
      expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(WEIGHT);
      expect(gateway.received().length).toBe(nodeCalls);
      expect(gateway.pauses).toEqual([]);
    },
  );
});

describe('a limited upstream is left alone', () => {
  const NOW = new SimulatedGateway([{}]).clock.now();
  const date = (ms: number) => new Date(NOW + ms).toUTCString();

  test.each<[string, Fate, number]>([
    ['without a time', refusing(429), FIRST_PAUSE_MS],
    ['for seconds in a header', refusing(429, TOO_MANY, '30'), 30_000],
    ['until a date in a header', refusing(429, TOO_MANY, date(30_000)), 30_000],
    ['for 3 years', refusing(429, TOO_MANY, '94608000'), MAX_TOLD_PAUSE_MS],
    ['until a date in 3 years', refusing(429, TOO_MANY, date(94_608_000_000)), MAX_TOLD_PAUSE_MS],
    ['for less than no time', refusing(429, TOO_MANY, '-5'), FIRST_PAUSE_MS],
    ['until a date that is past', refusing(429, TOO_MANY, date(-30_000)), FIRST_PAUSE_MS],
    ['for a word', refusing(429, TOO_MANY, 'soon'), FIRST_PAUSE_MS],
    ['for seconds in its body', refusing(429, '{"message":"slow down","retry_after":7}'), 7_000],
    [
      'for seconds in the data of its error',
      refusing(
        200,
        '{"error":{"code":-32005,"message":"project ID request rate exceeded","data":{"rate":{"backoff_seconds":30}}}}',
      ),
      30_000,
    ],
    ['for a quota', refusing(402, ''), MAX_PAUSE_MS],
  ])('%s', async (_name, fate, ms) => {
    const gateway = new SimulatedGateway([{ fate: () => fate }]);
    const [response] = await ask(gateway, CHAIN_ID);
    const pauseMs = gateway.pauses[0]?.[2] ?? 0;
    // A date has no fractions of a second.
    expect(pauseMs).toBeGreaterThan(ms - 1_000);
    expect(pauseMs).toBeLessThanOrEqual(ms * JITTER);
    expect(read(response).data.retry_after_ms).toBe(Math.ceil(pauseMs));
    await gateway.clock.until(gateway.clock.wait(pauseMs - 1));
    await ask(gateway, CHAIN_ID);
    expect(gateway.received().length).toBe(1);
  });

  test('comes back by itself, and is asked its share again', async () => {
    const limited: Character = { fate: () => refusing(429) };
    const gateway = new SimulatedGateway([limited]);
    for (const growth of [1, 2, 4, 8, 16, 32, 60, 60]) {
      await ask(gateway, CHAIN_ID);
      const pauseMs = gateway.pauses.at(-1)?.[2] ?? 0;
      expect(pauseMs).toBeGreaterThanOrEqual(growth * FIRST_PAUSE_MS);
      expect(pauseMs).toBeLessThanOrEqual(growth * FIRST_PAUSE_MS * JITTER);
      await gateway.clock.until(gateway.clock.wait(pauseMs));
    }
    limited.fate = undefined;
    for (let asked = 0; asked < 10; asked++) {
      expect((await ask(gateway, CHAIN_ID))[0]?.kind).toBe('result');
    }
    limited.fate = () => refusing(429);
    await ask(gateway, CHAIN_ID);
    expect(gateway.pauses.at(-1)?.[2]).toBeLessThanOrEqual(FIRST_PAUSE_MS * JITTER);
  });

  test('also by the questions of the gateway itself, and the chain is neither silent nor syncing for that', async () => {
    const gateway = new SimulatedGateway([{ fate: () => refusing(429, TOO_MANY, '60') }]);
    const { head } = gateway.node;
    for (let second = 0; second < 50; second++) {
      expect(await gateway.clock.until(head.tagged('latest', gateway.clock.now() + 5_000))).toBeUndefined();
      expect(head.isSyncing()).toBe(false);
      expect(head.whyUnknown()).toMatchObject({ details: { rule: 'upstreams_limited' } });
      expect(read((await ask(gateway, BALANCE))[0]).data.rule).toBe('upstreams_limited');
      await gateway.clock.until(gateway.clock.wait(1_000));
    }
    expect(gateway.upstreams[0]?.polls()).toBe(1);
    expect(gateway.received().length).toBe(0);
  });

  test('one of three: no client notices', async () => {
    const gateway = new SimulatedGateway([{ fate: () => refusing(429, TOO_MANY, '3600') }, {}, {}]);
    for (let asked = 0; asked < 500; asked++) {
      expect((await ask(gateway, BALANCE))[0]?.kind).toBe('result');
      await gateway.clock.until(gateway.clock.wait(100));
    }
    expect(gateway.received(0).length + (gateway.upstreams[0]?.polls() ?? 0)).toBeLessThanOrEqual(1);
    expect(gateway.breakers).toEqual([]);
  });
});

describe('a batch', () => {
  const calls = Array.from({ length: 100 }, (_, index) => call('eth_getBalance', [hex(index), 'latest']));
  const isOdd = ({ params }: ReceivedCall) => Number(params?.[0]) % 2 === 1;
  const someLimited: Character = {
    respond: (asked) =>
      asked.method === 'eth_getBalance' && isOdd(asked) ? error(-32005, 'Too many requests') : undefined,
  };

  test('of which some calls are limited has those answered by another', async () => {
    const gateway = new SimulatedGateway([{ priority: 0, ...someLimited }, { priority: 1 }]);
    const responses = await ask(gateway, ...calls);
    expect(new Set(responses.map(({ kind }) => kind))).toEqual(new Set(['result']));
    expect(gateway.received(0).length).toBe(100);
    expect(gateway.received(1).filter((received) => !isOdd(received))).toEqual([]);
    expect(gateway.received(1).length).toBe(50);
    expect(gateway.pauses).toHaveLength(1);
  });

  test('bills the calls that were answered, and the others not, if there is no other', async () => {
    const gateway = new SimulatedGateway([someLimited]);
    const responses = await ask(gateway, ...calls);
    expect(responses.map(({ kind }) => kind)).toEqual(
      calls.map((_, index) => (index % 2 === 1 ? 'failed' : 'result')),
    );
    const billed = responses.map((response) => billedCu(response, WEIGHT));
    expect(billed.reduce((sum, cu) => sum + cu, 0)).toBe(50 * WEIGHT);
    expect(gateway.received().length).toBe(100);
  });

  test('whose upstream is limited as a whole goes to another, in one request', async () => {
    const limited: Character = {
      fate: ([first]) => (first?.method === 'eth_getBalance' ? refusing(429) : { kind: 'answer' }),
    };
    const gateway = new SimulatedGateway([{ priority: 0, ...limited }, { priority: 1 }]);
    const responses = await ask(gateway, ...calls);
    expect(new Set(responses.map(({ kind }) => kind))).toEqual(new Set(['result']));
    expect([gateway.received(0).length, gateway.received(1).length]).toEqual([100, 100]);
  });
});

describe('words that a client can bring about', () => {
  const thrown = error(-32000, 'rate limit exceeded');
  const throwing: Character = {
    respond: ({ method }) => (method === 'eth_call' ? thrown : undefined),
  };

  test('leave the upstream in use', async () => {
    const gateway = new SimulatedGateway([throwing, throwing]);
    for (let asked = 0; asked < 50; asked++) {
      const [response] = await ask(gateway, call('eth_call', [{ data: hex(asked) }, 'latest']));
      expect(read(response).data).toEqual({
        reason: 'gateway_overloaded',
        retryable: true,
        rule: 'upstreams_limited',
      });
    }
    expect(gateway.pauses).toEqual([]);
    expect(gateway.breakers).toEqual([]);
    expect((await ask(gateway, BALANCE))[0]?.kind).toBe('result');
  });
});

describe('one call of a client', () => {
  const FATES: readonly Fate[] = [
    { kind: 'failure', error: 'closed' },
    { kind: 'failure', error: 'unreachable', sent: false },
    { kind: 'response', status: 500, body: '' },
    { kind: 'response', status: 429, body: '' },
    { kind: 'response', status: 200, body: '<html>' },
    { kind: 'response', status: 200, body: '{"error":{"code":-32603,"message":"internal error"}}' },
    { kind: 'response', status: 200, body: '{"error":{"code":-32000,"message":"header not found"}}' },
  ];

  test.each([1, 2, 3, 6])(
    'makes at most four calls of nodes, whatever %d upstreams do',
    async (upstreams) => {
      for (let seed = 1; seed <= 30; seed++) {
        const characters = Array.from({ length: upstreams }, (): Character => ({}));
        const gateway = new SimulatedGateway(characters, seed);
        for (const character of characters) {
          character.fate = ([first]) =>
            first?.method === 'eth_getBalance'
              ? gateway.random.pick([...FATES] as [Fate])
              : { kind: 'answer' };
          character.latencyMs = () => gateway.random.fraction() * 600;
        }
        gateway.node.budget.earn(10_000);
        for (let asked = 0; asked < 5; asked++) {
          const before = gateway.received().length;
          await ask(gateway, call('eth_getBalance', [hex(asked), 'latest']));
          expect(gateway.received().length - before).toBeLessThanOrEqual(4);
        }
      }
    },
  );
});

test('the subscription that is not there is no response either: the client learns nothing of it and pays nothing', async () => {
  for (const refused of [
    error(-32600, 'debug_traceBlockByNumber is not available on the Free tier - upgrade to Pay As You Go'),
    error(-32000, 'project ID does not have access to archive state'),
    error(-32099, 'Authentication failed'),
  ]) {
    const gateway = new SimulatedGateway([saying(refused)]);
    const [response] = await ask(gateway, CHAIN_ID);
    expect(told(response as UpstreamResponse)).toBe('upstream_unavailable');
    expect(gateway.pauses).toEqual([]);
    const pair = new SimulatedGateway([{ priority: 0, ...saying(refused) }, { priority: 1 }]);
    expect((await ask(pair, CHAIN_ID))[0]?.kind).toBe('result');
  }
});

test.each(['"0x"', '"0xzz"', '1', 'null', '{}', '""'])(
  'a head %s of the only node is malformed, and not billed',
  async (result) => {
    const only: Character = {
      respond: ({ method }) => (method === 'eth_blockNumber' ? { result } : undefined),
    };
    const [response] = await ask(new SimulatedGateway([only]), call('eth_blockNumber'));
    expect(told(response as UpstreamResponse)).toBe('malformed_upstream_response');
    expect(billedCu(response as UpstreamResponse, 1)).toBe(0);
    const pair = new SimulatedGateway([{ priority: 0, ...only }, { priority: 1 }]);
    expect((await ask(pair, call('eth_blockNumber')))[0]?.kind).toBe('result');
  },
);

test.each([-32010, -32011, -32020, -32021, -32030])(
  'a node error with the code %i of the gateway passes, billed, and cannot carry a reason of the gateway',
  async (code) => {
    const message = 'insufficient funds for the transaction';
    const forged = error(code, message, { reason: 'insufficient_balance', retryable: false }).error;
    for (const [said, expected] of [
      [forged, error(code, message).error],
      [forged.replace('reason', '\\u0072eason'), error(code, message).error],
      [
        error(code, message, { reason: 'of the node' }).error,
        error(code, message, { reason: 'of the node' }).error,
      ],
    ] as const) {
      const [response] = await ask(new SimulatedGateway([saying({ error: said })]), CHAIN_ID);
      expect(told(response as UpstreamResponse)).toBe(`error ${code} ${expected}`);
      expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(WEIGHT);
    }
  },
);
