import { readLimit, type SubscriptionLimit } from '../../../lambdas/shared/jsonrpc/subscription-limit.ts';

type Row = readonly [
  who: string,
  status: number,
  code: number | undefined,
  message: string | undefined,
  limit: SubscriptionLimit | undefined,
  method?: string,
];

/** How providers word what they refuse to all calls of a subscriber. Where a source shows no status, it is 200. */
const OF_SUBSCRIPTION: readonly Row[] = [
  [
    'Alchemy',
    429,
    429,
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this.',
    'rate',
  ],
  [
    'Alchemy',
    429,
    429,
    'Monthly capacity limit exceeded. Visit https://x/settings/billing to upgrade.',
    'quota',
  ],
  ['Alchemy', 403, undefined, undefined, 'plan'],
  ['Alchemy', 403, -32600, 'ETH_SEPOLIA is not enabled for this app', 'plan'],
  ['Alchemy', 401, -32600, 'Must be authenticated!', 'auth'],
  [
    'Alchemy',
    400,
    -32600,
    'debug_traceBlockByNumber is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access.',
    'plan',
  ],
  [
    'Alchemy',
    403,
    -32600,
    'debug_traceBlockByNumber is not available on the Free tier - upgrade to Pay As You Go.',
    'plan',
  ],
  ['Chainstack', 200, -32005, "You've exceeded the RPS limit available on the current plan.", 'rate'],
  ['Chainstack', 200, -32000, "You've exceeded the RPS limit available on the current plan.", 'rate'],
  ['Infura', 429, -32005, 'project ID request rate exceeded', 'rate'],
  ['Infura', 200, -32005, 'project ID request rate exceeded', 'rate'],
  ['Infura', 402, 402, 'Payment Required', 'quota'],
  ['Infura', 402, undefined, undefined, 'quota'],
  ['Infura', 200, 402, 'Payment Required', 'quota'],
  ['Infura (older)', 429, -32005, 'daily request count exceeded, request rate limited', 'quota'],
  ['Infura (older)', 200, -32005, 'daily request count exceeded, request rate limited', 'quota'],
  ['Infura', 403, -32002, 'project ID is required to access archive state', 'plan'],
  ['Infura', 200, -32000, 'project ID does not have access to archive state', 'plan'],
  [
    'QuickNode',
    429,
    -32007,
    '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
    'rate',
  ],
  ['QuickNode', 200, -32009, '50/second request limit reached - reduce calls per second', 'rate'],
  ['QuickNode', 200, -32007, '50/second request limit reached - reduce calls per second', 'rate'],
  [
    'QuickNode',
    429,
    429,
    'The requests per second (RPS) of your requests are higher than your plan allows.',
    'rate',
  ],
  [
    'QuickNode',
    200,
    429,
    'The requests per second (RPS) of your requests are higher than your plan allows.',
    'rate',
  ],
  ['QuickNode', 200, -32012, 'credits limited to 6000/sec', 'rate'],
  ['QuickNode', 200, -32612, 'method not available in your plan', 'plan'],
  ['QuickNode', 200, -32613, 'custom trace not found', 'plan'],
  ['QuickNode', 401, undefined, undefined, 'auth'],
  ['QuickNode', 403, -32600, 'custom trace not found', 'plan'],
  ['Ankr', 401, undefined, undefined, 'auth'],
  ['Ankr', 200, -32000, 'message: API key not found, trace_id: 1', 'auth'],
  ['Ankr (older)', 429, undefined, undefined, 'rate'],
  ['Ankr (older)', 200, -32000, 'Too many requests', 'rate'],
  ['BlastAPI', 429, -32097, 'Rate limit reached', 'rate'],
  ['BlastAPI', 200, -32097, 'Rate limit reached', 'rate'],
  ['BlastAPI', 403, -32098, 'Capacity exceeded', 'quota'],
  ['BlastAPI', 401, -32099, 'Authentication failed', 'auth'],
  ['dRPC', 402, undefined, undefined, 'quota'],
  ['dRPC', 200, -32000, 'token is invalid', 'auth'],
  ['1RPC', 200, -32001, "You've reached the usage limit for your current plan. Please upgrade.", 'quota'],
  ['Goldsky, eRPC', 429, -32005, 'Too many requests', 'rate'],
  ['Goldsky, eRPC', 200, -32005, 'Too many requests', 'rate'],
  ['BlockVision', 200, -32605, 'exceeded', 'rate'],
  ['BlockVision', 200, -32607, 'call limit reached', 'quota'],
  ['public gateways', 200, -32005, 'rate limit exceeded', 'rate'],
  ['public gateways', 200, -32005, 'limit exceeded', 'rate'],
  ['public gateways', 200, -32005, 'Exceeded the quota', 'quota'],
  ['public gateways', 200, -32005, 'requests limited to 100', 'rate'],
  ['public gateways', 200, -32005, 'under too much load', 'rate'],
  ['public gateways', 200, -32005, 'request limit reached', 'rate'],
  ['BSC public, which does not serve logs', 200, -32005, 'limit exceeded', 'plan', 'eth_getLogs'],
  ['eRPC', 200, -32000, 'trace_block is not included in your current plan', 'plan'],
  ['another gateway of this kind', 402, -32020, 'insufficient balance', 'quota'],
  ['another gateway of this kind', 429, -32005, 'rate limit exceeded', 'rate'],
];

/** How they word what concerns the call alone: its range, its results, its batch, its time, its sender. */
const OF_CALL: readonly Row[] = [
  [
    'Alchemy',
    400,
    -32600,
    'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x1, 0x2]',
    undefined,
  ],
  [
    'Alchemy (free)',
    400,
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters',
    undefined,
  ],
  [
    'Alchemy',
    200,
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs',
    undefined,
  ],
  [
    'Infura',
    200,
    -32005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    undefined,
  ],
  ['Infura', 200, -32005, 'query returned more than 10000 results', undefined],
  ['Infura', 200, -32602, 'range 1000000 exceeds limit of 10000', undefined],
  ['Infura', 200, -32005, 'query timeout exceeded', undefined],
  ['Infura', 200, -32000, 'This query contains 6000 filters. The current limit is 5000.', undefined],
  ['QuickNode', 413, -32614, 'eth_getLogs is limited to a 10,000 range', undefined],
  ['Ankr', 200, -32600, 'block range is too wide', undefined],
  ['Ankr', 200, -32602, 'maximum [from, to] blocks distance: 10000', undefined],
  ['BlastAPI', 400, -32602, 'Invalid params', undefined],
  ['BlastAPI (older), 1RPC', 200, -32000, 'eth_getLogs is limited to a 1024 blocks', undefined],
  ['1RPC', 200, -32000, 'response size should not greater than 2097152 bytes', undefined],
  ['BlockPI', 200, -32602, 'eth_getLogs is limited to 1024 block range. Please check', undefined],
  ['dRPC', 200, 35, 'ranges over 10000 blocks are not supported on freetier', undefined],
  ['Chainstack', 200, -32000, 'Block range limit exceeded. See more details at', undefined],
  ['Cloudflare', 200, -32000, 'Max range: 800', undefined],
  ['thirdweb', 200, -32000, 'Maximum allowed number of requested blocks is 3500', undefined],
  ['Coinbase', 200, -32000, 'please limit the query to at most 1000 blocks', undefined],
  ['PublicNode', 200, -32000, 'maximum block range: 50000', undefined],
  ['merkle', 200, -32603, 'eth_getLogs range is too large, max is 1k blocks', undefined],
  ['Base public', 200, -32000, 'block range too large', undefined],
  ['Sei', 200, -32000, 'block range too large (2500), maximum allowed is 2000 blocks', undefined],
  [
    'Morph',
    200,
    -32000,
    'block range is larger than max block range, block range = 5120, max block range = 5000',
    undefined,
  ],
  ['BSC public', 200, -32000, 'exceed maximum block range: 5000', undefined],
  ['Avalanche', 200, -32000, 'requested too many blocks from 1 to 5000, maximum is set to 2048', undefined],
  ['Moonbeam', 200, -32000, 'block range is too wide (maximum 1024)', undefined],
  ['Harmony', 200, -32000, 'query must be smaller than size 1024', undefined],
  ['Swell', 200, -32000, 'block range greater than 1000 max', undefined],
  ['Somnia', 200, -32000, 'block range exceeds 1000', undefined],
  ['Candle', 200, -32600, 'block range too high', undefined],
  ['Zircuit', 200, -32005, 'eth_getLogs block range too large, range: 855077, max: 3500', undefined],
  ['geth', 200, -32602, 'invalid block range params', undefined],
  ['geth', 200, -32000, 'exceed max addresses or topics per search position', undefined],
  ['geth', 200, -32602, 'block range extends beyond current head block', undefined],
  ['Erigon', 200, -32000, 'query block range exceeds server limit, narrow your filter: 1000', undefined],
  ['Erigon', 200, -32000, 'query returns too many logs, narrow your filter: 20000', undefined],
  ['Nethermind', 200, -32005, 'Too many logs requested. Max logs per response is 20000.', undefined],
  ['Besu', 200, -32005, 'Requested range exceeds maximum RPC range limit', undefined],
  ['Reth', 200, -32602, 'query exceeds max block range 100000', undefined],
  ['Reth', 200, -32602, 'query exceeds max results 20000, retry with the range 23879634-23879696', undefined],
  ['Reth', 200, -32008, 'Response is too big', undefined],
  [
    'zkSync Era',
    200,
    -32000,
    'Query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    undefined,
  ],
  ['eRPC', 413, -32012, 'requested range too large', undefined],
  ...[
    'exceeds the range',
    'logs over more',
    'returned more than',
    'too large, max is',
    'response too large',
    'query exceeds limit',
    'limit the query to',
    'range limit exceeded',
    'too many results',
    'is too big',
    'specify less number of addresses',
  ].map((words): Row => ['fragments', 200, -32005, words, undefined]),
  ['Besu', 200, -32005, 'Number of requests exceeds max batch size', undefined],
  ['geth', 200, -32600, 'batch too large', undefined],
  ['geth', 200, -32002, 'request timed out', undefined],
  ['dRPC', 408, 30, 'Request timeout on the free tier, please upgrade your tier to the paid one', undefined],
  ['OP sequencers', 200, -32000, 'sender is over rate limit', undefined],
  ['a contract', 200, -32000, 'execution reverted: rate limit exceeded', undefined],
  ['a contract', 200, -32005, 'execution reverted: quota exceeded', undefined],
  ['geth', 200, -32000, 'historical state 0xab is not available, upgrade your plan', undefined],
  ['geth', 200, -32000, 'nonce too low', undefined],
  ['geth', 200, -32000, 'exceeds block gas limit', undefined],
];

/** What a refusal is read as, under a name that shows it. */
function cases(rows: readonly Row[]) {
  return rows.map(([who, status, code, message, limit, method = 'eth_getBalance']) => {
    const refusal = {
      method,
      status,
      ...(code !== undefined && { code }),
      ...(message !== undefined && { message }),
    };
    return { name: `${who}, HTTP ${status}, ${code} ${message}`, refusal, limit };
  });
}

test.each(cases(OF_SUBSCRIPTION))('$name: $limit', ({ refusal, limit }) => {
  expect(readLimit(refusal)?.limit).toBe(limit);
});

test.each(cases(OF_CALL))('$name: about the call', ({ refusal }) => {
  expect(readLimit({ ...refusal, method: 'eth_getLogs' })).toBeUndefined();
});

test('what only words tell is told apart from what a code or the status tells', () => {
  const reading = (status: number, code: number, message: string) =>
    readLimit({ method: 'eth_call', status, code, message })?.by;
  expect(reading(429, -32000, 'x')).toBe('status');
  expect(reading(200, -32005, 'x')).toBe('code');
  expect(reading(200, -32000, 'rate limit exceeded')).toBe('words');
});

test('long messages are read in linear time', () => {
  const long = 'requests per block '.repeat(200_000);
  expect(readLimit({ method: 'eth_call', status: 200, code: -32000, message: long })).toBeUndefined();
});
