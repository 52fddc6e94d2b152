import { untilTrue } from '../../support/until-true.ts';
import type { RunningGateway } from '../running-gateway.ts';

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** Stores 1 at slot 0, logs the word 1 with no topic, and leaves a contract that returns 42. */
const CREATION = '0x6001600055600160005260206000a0600a601c600039600a6000f3602a60005260206000f3';
const RECEIPT_WITHIN_MS = 60_000;
const RECEIPT_PAUSE_MS = 20;

/** Every response through the gateway is the response without it, byte for byte. */
export function describeTransparency(running: () => RunningGateway): void {
  let gateway: RunningGateway;
  let hash: string;
  let blockHash: string;
  let block: string;

  const post = async (url: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return response.text();
  };
  const direct = (body: string) => post(gateway.endpoints.upstream ?? '', body);
  const through = (body: string) => post(`${gateway.baseUrl}/v1/`, body, { 'x-api-key': gateway.apiKey });
  const call = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  const ask = async (method: string, params: unknown) =>
    (JSON.parse(await direct(call(method, params))) as { result: unknown }).result;

  beforeAll(async () => {
    gateway = running();
    const sent = JSON.parse(
      await direct(call('eth_sendTransaction', [{ from: FROM, data: CREATION, gas: '0x100000' }])),
    ) as { result: string };
    hash = sent.result;
    let receipt: unknown = null;
    await untilTrue(
      async () => {
        receipt = await ask('eth_getTransactionReceipt', [hash]);
        return receipt !== null;
      },
      { withinMs: RECEIPT_WITHIN_MS, everyMs: RECEIPT_PAUSE_MS, failure: () => 'no block has it' },
    );
    ({ blockHash, blockNumber: block } = receipt as { blockHash: string; blockNumber: string });
  });

  test('answers the same bytes, for calls, errors and batches', async () => {
    const message = { from: FROM, to: TO, value: '0x1' };
    const calls: readonly (readonly [string, readonly unknown[]])[] = [
      ['eth_chainId', []],
      ['eth_blockNumber', []],
      ['eth_gasPrice', []],
      ['eth_maxPriorityFeePerGas', []],
      ['eth_blobBaseFee', []],
      ['eth_syncing', []],
      ['eth_protocolVersion', []],
      ['eth_feeHistory', ['0x1', 'latest', [50]]],
      ['eth_getBalance', [FROM, 'latest']],
      ['eth_getTransactionCount', [FROM, block]],
      ['eth_getCode', [TO, 'latest']],
      ['eth_getStorageAt', [TO, '0x0', 'latest']],
      ['eth_getProof', [FROM, ['0x0'], 'latest']],
      ['eth_call', [message, 'latest']],
      ['eth_estimateGas', [message]],
      ['eth_createAccessList', [message, 'latest']],
      ['eth_getBlockByNumber', [block, true]],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBlockByNumber', ['0xffffff', false]],
      ['eth_getBlockByHash', [blockHash, true]],
      ['eth_getBlockReceipts', [block]],
      ['eth_getBlockTransactionCountByHash', [blockHash]],
      ['eth_getBlockTransactionCountByNumber', [block]],
      ['eth_getUncleCountByBlockHash', [blockHash]],
      ['eth_getUncleCountByBlockNumber', [block]],
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionByBlockHashAndIndex', [blockHash, '0x0']],
      ['eth_getTransactionByBlockNumberAndIndex', [block, '0x0']],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
      ['eth_getLogs', [{ blockHash }]],
      ['net_version', []],
      ['net_listening', []],
      ['web3_clientVersion', []],
      ['web3_sha3', ['0x68656c6c6f']],
      ['debug_traceTransaction', [hash, { tracer: 'callTracer' }]],
      ['debug_traceTransaction', [hash, {}]],
      ['debug_traceCall', [message, 'latest', { tracer: 'callTracer' }]],
      ['debug_traceBlockByNumber', [block, { tracer: 'callTracer' }]],
      // Errors of the caller's own are the node's words too.
      ['eth_getBalance', ['not an address', 'latest']],
      ['eth_sendRawTransaction', ['0x00']],
      ['eth_noSuchMethod', []],
    ];
    const different: string[] = [];
    for (const [method, params] of calls) {
      const body = call(method, params);
      const [expected, received] = [await direct(body), await through(body)];
      if (received !== expected) different.push(`${method}: ${received} instead of ${expected}`);
    }
    expect(different).toEqual([]);
    const batch = `[${calls
      .slice(10, 35)
      .map(([method, params]) => call(method, params))
      .join(',')}]`;
    expect(await through(batch)).toBe(await direct(batch));
  });
}
