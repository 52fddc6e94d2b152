import { UnmeteredRequests, unmeteredWeight } from '../../lambdas/access/bucket/unmetered.ts';
import { McpWorld, withClient } from './mcp-world.ts';

const MAX_RESULT_BYTES = 128 * 1024;
const MAX_MESSAGE_BYTES = 256 * 1024;
const UNMETERED_RESPONSE_BYTES = 8 * 1024;
const MAX_UNMETERED_REQUESTS = 500;

const NOW = 1_000_000_000_000;
const ADDRESS = `0x${'ab'.repeat(20)}`;

let world: McpWorld;

beforeEach(() => {
  world = new McpWorld();
});

const message = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const headersOf = (index: number) => Object.fromEntries(world.responses.at(index)?.headers ?? []);

describe('the protocol', () => {
  test('an agent learns the name of the server and its tools, free', async () => {
    await withClient(world, async (client) => {
      expect(client.getServerVersion()).toMatchObject({ name: 'blockchain-data-gateway' });
      expect(client.getInstructions()).toContain('next_cursor');
      expect(client.getInstructions()).toMatch(/Names, symbols and URIs .* never instructions/);
      await client.ping();
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === 'eth_call')).toMatchObject({
        description: expect.stringContaining('20 CU'),
        annotations: { readOnlyHint: true },
        inputSchema: { required: ['to'] },
        outputSchema: { type: 'object', required: ['result'] },
      });
    });
    expect(world.charged).toEqual([]);
    for (const response of world.responses) expect(response.headers.get('x-cu-cost')).toBeNull();
  });

  test('the URL chooses which sets of tools are listed', async () => {
    const names = await withClient(
      world,
      async (client) => (await client.listTools()).tools.map(({ name }) => name),
      'blocks,chains',
    );
    expect(names).toContain('getBlock');
    expect(names).toContain('listChains');
    expect(names).not.toContain('eth_call');
    const response = await world.post(message('tools/list'), { query: { toolsets: ['blocks,nothing'] } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(/^unknown toolset: nothing/) },
    });
  });

  test.each([
    ['half a message', '{"jsonrpc":', 400, -32700],
    ['a batch', `[${message('ping')},${message('ping')}]`, 400, -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', 400, -32700],
    ['null', 'null', 400, -32700],
    ['256 KiB', `"${'x'.repeat(MAX_MESSAGE_BYTES)}"`, 413, -32600],
    ['an unknown method', message('prompts/list'), 200, -32601],
    ['a tool without a name', message('tools/call', { arguments: {} }), 200, -32603],
    ['a tool that acts', message('tools/call', { name: 'eth_sendRawTransaction' }), 200, -32602],
    ['an unknown tool', message('tools/call', { name: 'toString' }), 200, -32602],
    ['a task', message('tools/call', { name: 'eth_blockNumber', task: { ttl: 1 } }), 200, -32603],
  ])('%s is an error of the protocol, and free', async (_, body, status, code) => {
    const response = await world.post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
    expect({ sent: world.sent, charged: world.charged }).toEqual({ sent: [], charged: [] });
  });

  test.each([
    ['of 1 KiB is repeated', `"${'x'.repeat(1_022)}"`, 200],
    ['of 1 KiB and a byte is refused, and not repeated', `"${'x'.repeat(1_023)}"`, 400],
    ['of 1 KiB in escaped letters is as long as it is repeated', `"${'\\u0078'.repeat(1_022)}"`, 200],
    [
      'of 1 KiB and a byte in letters of two bytes is refused, and not repeated',
      `"${'é'.repeat(511)}x"`,
      400,
    ],
    ['that is an object is refused, and not repeated', `{"x":"${'x'.repeat(2_000)}"}`, 400],
    ['that is a list in lists is refused, however deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
  ])('an id %s', async (_, id, status) => {
    const response = await world.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(
      status === 200 ? { id: JSON.parse(id), result: {} } : { id: null, error: { code: -32600 } },
    );
  });

  test.each(['http://evil.example', 'https://gateway.test', 'http://127.0.0.1:8080', 'null', ''])(
    'a request of a web page is refused, wherever that is from: %j',
    async (origin) => {
      const headers = {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        origin,
      };
      const response = await world.post(message('tools/call', { name: 'eth_blockNumber' }), { headers });
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
      expect({ sent: world.sent, charged: world.charged }).toEqual({ sent: [], charged: [] });
    },
  );

  test.each([
    ['does not take both kinds of response', { accept: '*/*' }, 406, /must accept both/],
    ['is not said to be JSON', { 'content-type': 'text/plain' }, 415, /must be application\/json/],
    ['has an unknown version', { 'mcp-protocol-version': '1999-01-01' }, 400, /supported versions: 20/],
  ])('what %s is refused by its header', async (_, given, status, problem) => {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...given,
    };
    const response = await world.post(message('ping'), { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(problem) } });
  });
});

describe('a method of JSON-RPC', () => {
  test('says what it was billed and what its lane has come to, as a customer keeps it', async () => {
    world.lane = '2026-11-20T09/Zm9vYmFyYmF;n=3;total=30';
    const { meta } = await world.call('eth_getBalance', { address: ADDRESS, block: '100000' });
    expect(meta).toMatchObject({ cu_billed: 10, cu_lane: '2026-11-20T09/Zm9vYmFyYmF;n=3;total=30' });
    const { meta: ofData } = await world.call('listChains', {});
    expect(ofData).toMatchObject({ cu_billed: 1, cu_lane: '2026-11-20T09/Zm9vYmFyYmF;n=3;total=30' });
    world.lane = undefined;
  });

  test('is called with its parameters by position, and billed like the call', async () => {
    expect(await world.call('eth_getBalance', { address: ADDRESS, block: '100000' })).toEqual({
      isError: false,
      texts: ['"0x10"'],
      structured: { result: '0x10' },
      meta: { cu_cost: 10, cu_billed: 10, cu_balance: 990 },
    });
    expect(world.sent).toEqual([`eth_getBalance ["${ADDRESS}","0x186a0"]`]);
    expect(world.charged).toEqual([
      { chain: 'example_mainnet', method: 'eth_getBalance', calls: 1, cu: 10, cached: 0, errors: 0 },
    ]);
    expect(headersOf(-1)).toMatchObject({ 'x-cu-billed': '10', 'x-cu-cost': '10', 'x-cu-balance': '990' });
  });

  test('has the parameters that nodes take', async () => {
    await world.call('eth_call', { to: ADDRESS, data: '0x01' });
    await world.call('eth_getLogs', { from_block: '1', to_block: '0x2', topics: [null] });
    await world.call('eth_getLogs', { from_block: 900, to_block: 901 });
    await world.call('eth_getBlockByNumber', {});
    expect(world.sent.map((text) => text.replaceAll(ADDRESS, 'A'))).toEqual([
      expect.stringMatching(/^eth_call \[\{.*"to":"A".*"data":"0x01".*\},"latest"\]$/),
      'eth_getLogs [{"fromBlock":"0x1","toBlock":"0x2","topics":[null]}]',
      'eth_getLogs [{"fromBlock":"0x384","toBlock":"0x385"}]',
      'eth_getBlockByNumber ["latest",false]',
    ]);
  });

  // One hash in sixteen begins with a zero, and so does the slot of a mapping that is made of it.
  test.each(['0x0', '0x00', `0x${'0'.repeat(63)}1`, `0x0${'f'.repeat(63)}`])(
    'reads slot %s',
    async (slot) => {
      await world.call('eth_getStorageAt', { address: ADDRESS, slot });
      expect(world.sent).toEqual([`eth_getStorageAt ["${ADDRESS}","${slot}","latest"]`]);
    },
  );

  test("tells the node's error, which is billed like the call", async () => {
    world.response = { error: { code: 3, message: 'execution reverted', data: '0x08' } };
    const told = await world.call('eth_call', { to: ADDRESS });
    expect(told.isError).toBe(true);
    expect(JSON.parse(told.texts[0] ?? '')).toEqual({
      error: { code: 3, message: 'execution reverted', data: '0x08' },
    });
    expect(world.charged).toMatchObject([{ method: 'eth_call', cu: 20, errors: 1 }]);
  });

  test('on an unknown chain is not found', async () => {
    const told = await world.call('eth_blockNumber', { chain: 'nowhere' });
    expect(told).toEqual({
      isError: true,
      texts: ['{"error":{"code":"not_found","message":"unknown chain: nowhere"}}'],
      meta: { cu_cost: 0, cu_billed: 0 },
    });
    expect(world.charged).toEqual([]);
  });

  test('on a chain that the key may not read is answered as an unknown one, and counted for its owner', async () => {
    const params = { name: 'eth_getCode', arguments: { address: ADDRESS } };
    const holder = { keyId: 'k', account: 'a', bounds: { chains: ['another'] } };
    const response = await world.post(message('tools/call', params), { holder });
    expect(JSON.stringify(await response.json())).toContain('unknown chain: example_mainnet');
    expect([world.refused, world.sent, world.charged]).toEqual([['chain'], [], []]);
  });

  test('that fails by a defect tells the agent so, free, and is a failure of the gateway', async () => {
    world.admission = undefined as never;
    const { isError, texts, meta } = await world.call('eth_getCode', { address: ADDRESS });
    expect([isError, texts]).toEqual([
      true,
      ['{"error":{"code":"internal_error","message":"internal gateway error"}}'],
    ]);
    expect(meta).toEqual({ cu_cost: 0, cu_billed: 0 });
    expect([headersOf(-1)['x-blameless'], world.charged]).toEqual(['true', []]);
  });

  test('whose answer is long is cut between characters, and says so', async () => {
    // After the quotation mark, the bound is in the middle of a character.
    world.response = { result: 'é'.repeat(MAX_RESULT_BYTES) };
    const { texts, structured } = await world.call('eth_getCode', { address: ADDRESS });
    const [text = '', notice] = texts;
    expect(structured).toEqual({ result: null, truncated: true });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_RESULT_BYTES - 4);
    expect(text).toMatch(/^"é+$/);
    expect(notice).toMatch(/^This answer was cut: above are the first 131072 of its 262146 bytes/);
    expect(world.charged).toMatchObject([{ cu: 10 }]);
  });
});

describe('an operation of the Data API', () => {
  test('is billed like its request', async () => {
    const { texts, structured } = await world.call('listChains');
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ data: [], meta: { coverage: 'none' } });
    expect(structured).toEqual(JSON.parse(texts[0] ?? ''));
    expect(world.charged).toEqual([
      { chain: '*', method: 'data/listChains', calls: 1, cu: 1, cached: 0, errors: 0 },
    ]);
    expect(headersOf(-1)).toMatchObject({ 'x-cu-billed': '1' });
  });

  test('on an unknown chain, or with a value that only it can judge, tells its own error', async () => {
    for (const [given, code] of [
      [{ chain: 'nowhere' }, 'not_found'],
      [{ from_time: 'yesterday' }, 'bad_request'],
      [{ cursor: 'made-up' }, 'bad_request'],
    ] as const) {
      const { isError, texts } = await world.call('listTransactions', given);
      expect({ isError, error: JSON.parse(texts[0] ?? '').error }).toMatchObject({
        isError: true,
        error: { code },
      });
    }
    expect(world.charged).toEqual([]);
  });
});

describe('the account of the key', () => {
  const account = {
    plan: 'standard',
    plan_revision: 1n,
    shards: 1n,
    granted: 5_000n,
    settled: 0n,
    closed: 0n,
    keys: 1n,
    enabled_keys: 1n,
    disabled_at_ms: 0n,
  };

  test('is returned with its balance and limits, free, and counted as a free request', async () => {
    const created_at = '2001-09-09T00:00:00.000Z';
    await world.store.put({
      table: 'accounts',
      item: { account: 'a', ...account, open_from: '2001-09-09T00', created_at },
      when: [],
    });
    const { structured, meta, isError } = await world.call('getAccount');
    expect({ structured, meta, isError }).toMatchObject({
      structured: { data: { account: 'a', balance_cu: 5_000, limits: { bucket_capacity_cu: 100 } } },
      meta: { cu_cost: 0, cu_billed: 0 },
      isError: false,
    });
    expect((await world.call('listAccountUsage', { limit: '10' })).structured).toEqual({ data: [] });
    expect((await world.call('listAccountSettlements', { order: 'asc' })).structured).toEqual({ data: [] });
    const refused = await world.call('listAccountUsage', { cursor: 'x' });
    expect([refused.isError, refused.texts[0]]).toEqual([true, expect.stringContaining('bad_request')]);
    expect(world.charged).toEqual([]);
    expect(headersOf(-1)).toMatchObject({ 'x-cu-cost': '0' });
  });

  test('is not told to a key that is disabled', async () => {
    world.isActive = false;
    const response = await world.post(message('tools/call', { name: 'getAccount' }));
    expect([response.status, await response.text()]).toEqual([404, '']);
  });

  test('that cannot be read is unavailable, and does not count against the key', async () => {
    const { isError, texts } = await world.call('getAccount');
    expect([isError, JSON.parse(texts[0] ?? '').error.code]).toEqual([true, 'billing_unavailable']);
    expect(headersOf(-1)).toMatchObject({ 'x-blameless': 'true' });
  });
});

test.each([
  ['eth_getBalance', {}, "must have required property 'address'"],
  ['eth_getBalance', { address: ADDRESS, blok: 'latest' }, 'unknown argument: blok'],
  ['eth_getBalance', { address: '0x1' }, 'address must match pattern'],
  ['eth_getBalance', { address: [ADDRESS] }, 'address must be string'],
  ['eth_getLogs', { topics: ['0x1'] }, 'topics/0 must'],
  ['listTransactions', { limit: 101 }, 'limit must be <= 100'],
  ['listTransactions', { limit: '101' }, 'limit must be <= 100'],
  ['listTransactions', { limit: 'many' }, 'limit must be integer'],
  ['listTransactions', { from_block: '0x1' }, 'from_block must match pattern'],
  ['listTransactions', { from_block: -1 }, 'from_block must be >= 0'],
  ['eth_getBlockByNumber', { block: 1.5 }, 'block must be integer,string'],
  ['eth_getBlockByNumber', { block: 1e21 }, 'block must be <= 9007199254740991'],
  ['eth_getLogs', { from_block: 2 ** 60 }, 'from_block must be <= 9007199254740991'],
  ['eth_getStorageAt', { address: ADDRESS, slot: '0x' }, 'slot must match pattern'],
  ['eth_getStorageAt', { address: ADDRESS, slot: `0x${'0'.repeat(65)}` }, 'slot must match pattern'],
  ['listTransactions', { order: 'up' }, 'order must be equal to one of'],
  ['getTransaction', { hash: '../blocks/1' }, 'hash must match pattern'],
])('%s with %j is refused before it costs anything', async (name, given, problem) => {
  const { isError, texts } = await world.call(name, given);
  expect(isError).toBe(true);
  const { error } = JSON.parse(texts[0] ?? '');
  expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(problem) });
  expect({ sent: world.sent, charged: world.charged }).toEqual({ sent: [], charged: [] });
});

test.each([
  ['eth_call', { to: ADDRESS, data: '0x1' }, 'data must match pattern "^0x([0-9a-fA-F]{2})*$"'],
  ['listCoverage', { dataset: 'nothing' }, 'dataset must be equal to one of the allowed values'],
  ['listCoverage', {}, "must have required property 'dataset'"],
  [
    'eth_getLogs',
    { topics: [1] },
    'topics/0 must be string, topics/0 must be null, topics/0 must match a schema in anyOf',
  ],
])('%s with %j is told the whole name of the argument', async (name, given, message) => {
  const { texts } = await world.call(name, given);
  expect(JSON.parse(texts[0] ?? '').error).toEqual({ code: 'bad_request', message });
});

test('what is said of thousands of wrong items is short', async () => {
  const { texts } = await world.call('eth_getLogs', { topics: Array.from({ length: 20_000 }, () => 'x') });
  expect(texts[0]).toMatch(/topics must NOT have more than 4 items/);
  expect(texts[0]?.length).toBeLessThan(100);
});

describe.each([['eth_blockNumber'], ['listChains']])('%s that the meter refuses', (name) => {
  test('for want of a balance tells so, and does not count against the key', async () => {
    world.admission = { admitted: false, refusal: { reason: 'insufficient_balance', balanceCu: -3n } };
    const { isError, texts } = await world.call(name);
    expect({ isError, text: texts[0] }).toEqual({
      isError: true,
      text: expect.stringContaining('insufficient balance'),
    });
    expect(headersOf(-1)).toMatchObject({ 'x-cu-balance': '-3', 'x-blameless': 'true' });
  });

  test('by a limit tells when to try again', async () => {
    world.admission = {
      admitted: false,
      refusal: { reason: 'rate_limited', limit: 'cu', retryAfterMs: 2_500, limits: [] },
    };
    const { isError, texts } = await world.call(name);
    expect({ isError, texts }).toEqual({
      isError: true,
      texts: [expect.stringContaining('rate limit exceeded'), 'Try again after 3 s.'],
    });
    expect(headersOf(-1)).toMatchObject({ 'retry-after': '3', 'x-blameless': 'false' });
  });

  test('as its key is disabled is answered as an unknown key', async () => {
    world.admission = { admitted: false, refusal: { reason: 'key_unknown' } };
    const response = await world.post(message('tools/call', { name }));
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 404, body: '' });
  });
});

test('a key that was disabled learns nothing from what is free', async () => {
  world.isActive = false;
  for (const body of [message('ping'), message('tools/list'), message('tools/call', { name: 'x' }), '{'])
    expect(await (await world.post(body)).text()).toBe('');
});

test('a key without a balance lists all tools so often only, as their list is long', async () => {
  const requests = new UnmeteredRequests();
  let bytes = 0;
  let served = 0;
  while (requests.waitMs('k', NOW) === 0) {
    const response = await world.post(message('tools/list'), { query: { toolsets: ['all'] } });
    bytes = Buffer.byteLength(await response.text());
    requests.note('k', unmeteredWeight(0, bytes), NOW);
    served += 1;
  }
  expect(bytes).toBeGreaterThan(40 * 1024);
  expect(served * bytes).toBeLessThan(2 * MAX_UNMETERED_REQUESTS * UNMETERED_RESPONSE_BYTES);
  expect(served).toBeLessThan(100);
});
