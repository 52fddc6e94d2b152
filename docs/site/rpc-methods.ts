/** One JSON-RPC method with a call that every chain answers. */
export interface RpcMethod {
  readonly method: string;
  readonly summary: string;
  /** What `params` holds, in its order. */
  readonly takes: string;
  readonly params: readonly unknown[];
  /** Shape of `result`. */
  readonly gives: string;
}

const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const TRANSACTION_HASH = '0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812';
/** Of no block: each chain has its own, those of a demo chain depend on its times. */
const BLOCK_HASH = '0x9b1c4e0a4f8b7a2d6c3e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4';
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `balanceOf` of the address above. */
const CALL = { to: CONTRACT, data: `0x70a08231${'0'.repeat(24)}${ADDRESS.slice(2)}` };
const CALL_TRACER = { tracer: 'callTracer' };
/** Of the transaction above. */
const BLOCK = '0x2bb';
const SLOT = `0x${'0'.repeat(64)}`;

/** The methods that back ends call most, in groups. Every other method of an allowed pattern is served as well. */
export const RPC_METHODS: Readonly<Record<string, readonly RpcMethod[]>> = {
  Blocks: [
    method('eth_blockNumber', 'Number of the newest block.', 'nothing', [], 'hex number'),
    method(
      'eth_getBlockByNumber',
      'A block by its number, or by a tag.',
      'block number or tag; true for whole transactions, false for their hashes',
      [BLOCK, false],
      'block, or null',
    ),
    method(
      'eth_getBlockByHash',
      'A block by its hash.',
      'block hash; true for whole transactions',
      [BLOCK_HASH, false],
      'block, or null',
    ),
    method(
      'eth_getBlockReceipts',
      'The receipts of all transactions of a block.',
      'block number or tag',
      [BLOCK],
      'array of receipts, or null',
    ),
    method(
      'eth_getBlockTransactionCountByNumber',
      'Number of transactions in a block.',
      'block number or tag',
      [BLOCK],
      'hex number, or null',
    ),
  ],
  Transactions: [
    method(
      'eth_getTransactionByHash',
      'A transaction by its hash.',
      'transaction hash',
      [TRANSACTION_HASH],
      'transaction, or null',
    ),
    method(
      'eth_getTransactionReceipt',
      'What became of a transaction: status, gas, logs.',
      'transaction hash',
      [TRANSACTION_HASH],
      'receipt, or null while it is not mined',
    ),
    method(
      'eth_getTransactionByBlockNumberAndIndex',
      'A transaction by its place.',
      'block number or tag; index in the block',
      [BLOCK, '0x0'],
      'transaction, or null',
    ),
    method(
      'eth_sendRawTransaction',
      'Sends a signed transaction. Never repeated by the gateway once it may have left.',
      'signed transaction in hex',
      ['0x02'],
      'transaction hash',
    ),
    method(
      'eth_getTransactionCount',
      'Nonce of an account.',
      'address; block number or tag',
      [ADDRESS, 'latest'],
      'hex number',
    ),
  ],
  State: [
    method(
      'eth_getBalance',
      'Native balance of an account.',
      'address; block number or tag',
      [ADDRESS, 'latest'],
      'hex number, in wei',
    ),
    method(
      'eth_getCode',
      'Code of a contract.',
      'address; block number or tag',
      [CONTRACT, 'latest'],
      'hex bytes',
    ),
    method(
      'eth_getStorageAt',
      'One storage slot of a contract.',
      'address; slot; block number or tag',
      [CONTRACT, SLOT, 'latest'],
      '32 bytes in hex',
    ),
    method(
      'eth_getProof',
      'Merkle proof of an account and of storage slots.',
      'address; slots; block number or tag',
      [CONTRACT, [SLOT], 'latest'],
      'proof',
    ),
  ],
  Execution: [
    method(
      'eth_call',
      'Runs a call without a transaction.',
      'call; block number or tag; state overrides (optional)',
      [CALL, 'latest'],
      'hex bytes',
    ),
    method(
      'eth_estimateGas',
      'Gas that a transaction would need.',
      'call; block number or tag',
      [CALL, 'latest'],
      'hex number',
    ),
    method(
      'eth_createAccessList',
      'Access list that a transaction would use.',
      'call; block number or tag',
      [CALL, 'latest'],
      'access list and gas',
    ),
    method(
      'eth_simulateV1',
      'Runs blocks of calls one after the other.',
      'blocks of calls; block number or tag',
      [{ blockStateCalls: [{ calls: [CALL] }] }, 'latest'],
      'array of simulated blocks',
    ),
  ],
  Logs: [
    method(
      'eth_getLogs',
      'Logs of a range of blocks, by address and topics.',
      'filter: fromBlock and toBlock or blockHash, address, topics',
      [{ fromBlock: '0x0', toBlock: '0xa', address: CONTRACT, topics: [TRANSFER_TOPIC] }],
      'array of logs',
    ),
  ],
  Fees: [
    method('eth_gasPrice', 'A gas price that is likely to be taken.', 'nothing', [], 'hex number, in wei'),
    method(
      'eth_maxPriorityFeePerGas',
      'A tip that is likely to be taken.',
      'nothing',
      [],
      'hex number, in wei',
    ),
    method(
      'eth_feeHistory',
      'Base fees and tips of recent blocks.',
      'number of blocks; newest block; percentiles of tips',
      ['0x4', 'latest', [25, 75]],
      'fee history',
    ),
  ],
  Chain: [
    method('eth_chainId', 'EIP-155 chain id.', 'nothing', [], 'hex number'),
    method('eth_syncing', 'Whether the node is catching up.', 'nothing', [], 'false, or the progress'),
    method('net_version', 'Network id.', 'nothing', [], 'decimal number as text'),
    method('web3_clientVersion', 'Software of the node.', 'nothing', [], 'text'),
  ],
  Traces: [
    method(
      'debug_traceTransaction',
      'Every call inside a transaction.',
      'transaction hash; tracer',
      [TRANSACTION_HASH, CALL_TRACER],
      'trace',
    ),
    method(
      'debug_traceBlockByNumber',
      'The traces of all transactions of a block.',
      'block number or tag; tracer',
      [BLOCK, CALL_TRACER],
      'array of traces',
    ),
    method(
      'debug_traceCall',
      'Every call inside a call that is not sent.',
      'call; block number or tag; tracer',
      [CALL, 'latest', CALL_TRACER],
      'trace',
    ),
  ],
};

function method(
  name: string,
  summary: string,
  takes: string,
  params: readonly unknown[],
  gives: string,
): RpcMethod {
  return { method: name, summary, takes, params, gives };
}
