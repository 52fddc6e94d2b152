/** A call at a tag is asked of all nodes at one number, with all other bytes as they came. */
import {
  isPending,
  pinnedCall,
  withTagNumbers,
} from '../../../../lambdas/shared/upstream/agreement/pinned-call.ts';

const callOf = (method: string, params: string | undefined) => ({
  id: Buffer.from('1'),
  method,
  params: params === undefined ? undefined : Buffer.from(params),
});
const LATEST = 20n;

test.each([
  ['eth_getBalance', '["0xa", "latest"]', '["0xa", "0x14"]'],
  ['eth_getBalance', '["0xa"]', '["0xa","0x14"]'],
  ['eth_getBlockByNumber', '[ "latest" , true ]', '[ "0x14" , true ]'],
  // All other bytes stay: a number of this size is no number of JavaScript.
  [
    'eth_call',
    '[{"value":1000000000000000000001},{"blockNumber":"latest"}]',
    '[{"value":1000000000000000000001},"0x14"]',
  ],
  ['eth_call', '[{}, "latest", {"a":1}]', '[{}, "0x14", {"a":1}]'],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"latest"}]', '[{"fromBlock":"0x1","toBlock":"0x14"}]'],
  ['eth_getLogs', '[{"address":"0xa"}]', '[{"address":"0xa","fromBlock":"0x14","toBlock":"0x14"}]'],
])('%s %s is asked for as %s', (method, params, pinned) => {
  const found = pinnedCall(callOf(method, params), LATEST);
  expect(Buffer.from(found?.call.params ?? []).toString()).toBe(pinned);
});

test.each([
  ['eth_getBalance', '["0xa","0x5"]'],
  ['eth_getBalance', '["0xa","pending"]'],
  ['eth_getBalance', '["0xa","finalized"]'],
  ['eth_getBalance', '["0xa",{"blockHash":"0xab"}]'],
  ['eth_getBalance', undefined],
  ['eth_getStorageAt', '["0xa"]'],
  ['eth_getTransactionByHash', '["0xa"]'],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x2"}]'],
  ['eth_getLogs', '[{"fromBlock":"0x30","toBlock":"latest"}]'],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"finalized"}]'],
])('%s %s names no block that moves', (method, params) => {
  expect(pinnedCall(callOf(method, params), LATEST)).toBeUndefined();
});

test.each([
  ['eth_getBalance', '["0xa","pending"]', true],
  ['eth_getBalance', '["0xa","latest"]', false],
  ['eth_getLogs', '[{"toBlock":"pending"}]', true],
  ['eth_getLogs', '[{"toBlock":"latest"}]', false],
])('%s %s is pending: %s', (method, params, isIt) => {
  expect(isPending(callOf(method, params))).toBe(isIt);
});

describe('tags of finality become numbers', () => {
  const NUMBERS = new Map([
    ['safe', 11n],
    ['finalized', 10n],
  ] as const);
  const pinnedParams = (
    method: string,
    params: string,
    numbers: Parameters<typeof withTagNumbers>[1] = NUMBERS,
  ) => {
    const { params: bytes, isPinned } = withTagNumbers(
      { id: Buffer.from('1'), method, params: Buffer.from(params) },
      numbers,
    );
    return [Buffer.from(bytes ?? '').toString(), isPinned === true];
  };

  test.each([
    ['eth_getBlockByNumber', '[ "finalized", true]', '[ "0xa", true]'],
    ['eth_call', '[{"to":"0x1"},{"blockNumber":"safe"}, {}]', '[{"to":"0x1"},"0xb", {}]'],
    ['eth_feeHistory', '["0x4","safe",[]]', '["0x4","0xb",[]]'],
    ['eth_getLogs', '[{"fromBlock":"finalized","toBlock":"safe"}]', '[{"fromBlock":"0xa","toBlock":"0xb"}]'],
    ['eth_getLogs', '[{"address":[],"fromBlock":"safe"}]', '[{"address":[],"fromBlock":"0xb"}]'],
    ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"Safe"}]', '[{"fromBlock":"0x1","toBlock":"0xb"}]'],
    ['eth_getLogs', '[{"fromBlock":"safe","toBlock":"latest"}]', '[{"fromBlock":"0xb","toBlock":"latest"}]'],
  ])('%s %s', (method, params, pinned) => {
    expect(pinnedParams(method, params)).toEqual([pinned, true]);
  });

  test.each([
    ['eth_getBlockByNumber', '["latest",false]'],
    ['eth_getBlockByNumber', '["0xa",false]'],
    ['eth_call', '[{"to":"finalized"},"latest"]'],
    ['eth_getLogs', '[{"blockHash":"0x1"}]'],
    ['eth_chainId', '["safe"]'],
  ])('and %s %s stays what it is', (method, params) => {
    expect(pinnedParams(method, params)).toEqual([params, false]);
  });

  test('and so does a call with one that has no number', () => {
    const params = '[{"fromBlock":"finalized","toBlock":"safe"}]';
    expect(pinnedParams('eth_getLogs', params, new Map([['finalized', 10n]]))).toEqual([params, false]);
  });
});
