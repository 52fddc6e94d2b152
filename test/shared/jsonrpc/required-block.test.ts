import { type RequiredBlock, requiredBlock } from '../../../lambdas/shared/jsonrpc/required-block.ts';
import { readsState } from '../../../lambdas/shared/methods/method-facts.ts';

const HASH = `"0x${'ab'.repeat(32)}"`;

function need(method: string, params?: string): RequiredBlock {
  return requiredBlock({ method, params: params === undefined ? undefined : Buffer.from(params) });
}

const block = (number: bigint): RequiredBlock => ({ kind: 'block', number });
const HEAD: RequiredBlock = { kind: 'head' };
const BY_HASH: RequiredBlock = { kind: 'hash' };
const NONE: RequiredBlock = { kind: 'none' };

test.each<[string, string | undefined, RequiredBlock]>([
  ['eth_chainId', '[]', NONE],
  ['eth_syncing', undefined, NONE],
  ['net_version', '[]', NONE],
  ['web3_sha3', '["0x00"]', NONE],
  ['eth_blockNumber', undefined, HEAD],
  ['eth_gasPrice', '[]', HEAD],
  ['eth_somethingNew', '["0x1"]', HEAD],
  ['eth_getBlockByNumber', '["0x10",true]', block(16n)],
  ['eth_getBlockByNumber', ' [ "0x10" , true ] ', block(16n)],
  ['eth_getBlockByNumber', '["earliest",true]', block(0n)],
  ['eth_getBlockByNumber', '["latest",true]', HEAD],
  ['eth_getBlockByNumber', '["finalized",true]', HEAD],
  ['eth_getBlockByNumber', '[16,true]', block(16n)],
  ['eth_getBlockByNumber', '[]', HEAD],
  ['eth_getBlockByNumber', undefined, HEAD],
  ['eth_getBlockByNumber', '["sixteen"]', HEAD],
  ['eth_getBlockReceipts', `[${HASH}]`, BY_HASH],
  ['eth_getBlockByHash', `[${HASH},false]`, BY_HASH],
  ['eth_getTransactionByBlockHashAndIndex', `[${HASH},"0x0"]`, BY_HASH],
  ['eth_getTransactionReceipt', `[${HASH}]`, BY_HASH],
  ['debug_traceTransaction', `[${HASH},{}]`, BY_HASH],
  ['debug_traceBlockByNumber', '["0x10"]', block(16n)],
  ['eth_call', '[{"to":"0x1","data":"0x22"},"0x10"]', block(16n)],
  ['eth_call', '[{"to":"0x1"}]', HEAD],
  ['eth_call', '[{"to":"0x1"},null]', HEAD],
  ['eth_call', '[{"to":"0x1"},{"blockNumber":"0x10"}]', block(16n)],
  ['eth_call', `[{"to":"0x1"},{"blockHash":${HASH},"requireCanonical":true}]`, BY_HASH],
  ['eth_call', '[{"to":"0x1"},{"blockNumber":{}}]', HEAD],
  ['eth_call', '[{"to":"0x1"},{}]', HEAD],
  ['eth_call', `[{"to":"0x1"},"0x10","${'0'.repeat(1_000)}"]`, block(16n)],
  ['eth_getStorageAt', '["0x1","0x0","0x10"]', block(16n)],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x10"}]', { kind: 'logs', to: 16n }],
  ['eth_getLogs', '[{"fromBlock":"0x1"}]', HEAD],
  ['eth_getLogs', `[{"blockHash":${HASH}}]`, BY_HASH],
  ['eth_getLogs', '[{"FromBlock":"0x1"}]', HEAD],
])('%s %s', (method, params, expected) => {
  expect(need(method, params)).toEqual(expected);
});

test('a parameter of megabytes is not taken for a block', () => {
  expect(need('eth_getBalance', `["0x1",{"blockNumber":"0x10","x":"${'a'.repeat(100_000)}"}]`)).toEqual(HEAD);
});

test('state is read by some methods', () => {
  const reading = ['eth_call', 'eth_getProof', 'debug_traceCall'];
  const others = ['eth_getBlockByNumber', 'eth_getLogs', 'debug_traceTransaction'];
  expect([...reading, ...others].filter(readsState)).toEqual(reading);
});
