import { type MethodUsage, OTHER_METHOD } from 'gateway-access';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { weightOf } from '../../shared/methods/method-policy.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';
import { billedCu } from './billing.ts';

/**
 * Methods that usage counts by name. All other methods are counted as one, so that clients cannot fill an account's
 * usage with invented names.
 */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  ...names('debug', [
    'traceBadBlock',
    'traceBlock',
    'traceBlockByHash',
    'traceBlockByNumber',
    'traceCall',
    'traceCallMany',
    'traceChain',
    'traceTransaction',
  ]),
  ...names('eth', [
    'accounts',
    'baseFee',
    'blobBaseFee',
    'blockNumber',
    'call',
    'callBundle',
    'callMany',
    'chainId',
    'coinbase',
    'createAccessList',
    'estimateGas',
    'feeHistory',
    'fillTransaction',
    'gasPrice',
    'getAccount',
    'getAccountInfo',
    'getBalance',
    'getBlockByHash',
    'getBlockByNumber',
    'getBlockReceipts',
    'getBlockTransactionCountByHash',
    'getBlockTransactionCountByNumber',
    'getCode',
    'getHeaderByHash',
    'getHeaderByNumber',
    'getLogs',
    'getProof',
    'getRawTransactionByBlockHashAndIndex',
    'getRawTransactionByBlockNumberAndIndex',
    'getRawTransactionByHash',
    'getStorageAt',
    'getTransactionByBlockHashAndIndex',
    'getTransactionByBlockNumberAndIndex',
    'getTransactionByHash',
    'getTransactionCount',
    'getTransactionReceipt',
    'getUncleByBlockHashAndIndex',
    'getUncleByBlockNumberAndIndex',
    'getUncleCountByBlockHash',
    'getUncleCountByBlockNumber',
    'hashrate',
    'maxPriorityFeePerGas',
    'mining',
    'protocolVersion',
    'sendBundle',
    'sendPrivateTransaction',
    'sendRawTransaction',
    'sendRawTransactionConditional',
    'sendRawTransactionSync',
    'sendTransaction',
    'sign',
    'signTransaction',
    'simulateV1',
    'syncing',
  ]),
  ...names('net', ['listening', 'peerCount', 'version']),
  ...names('web3', ['clientVersion', 'sha3']),
]);

/**
 * What a call is billed for its answer, as a line of usage; undefined if it is not billed.
 * `cached`: whether the answer came without a call of its own to the node.
 */
export function callUsage(
  chain: string,
  { method }: Pick<Call, 'method'>,
  answer: UpstreamResponse,
  cached = false,
): MethodUsage | undefined {
  const cu = billedCu(answer, cached ? CACHED_CU : weightOf(method));
  if (cu === 0) return undefined;
  return {
    chain,
    method: KNOWN_METHODS.has(method) ? method : OTHER_METHOD,
    calls: 1,
    cu,
    cached: cached ? 1 : 0,
    errors: answer.kind === 'error' ? 1 : 0,
  };
}

function names(namespace: string, methods: readonly string[]): string[] {
  return methods.map((method) => `${namespace}_${method}`);
}
