/** A JSON Schema of what a method takes or gives: by the name of a component, or in place. */
export type RpcSchema = RpcSchemaName | Readonly<Record<string, unknown>>;

/** A parameter of a method. */
export interface RpcParameter {
  readonly name: string;
  /** What it holds, in words. */
  readonly holds: string;
  readonly schema: RpcSchema;
  /** @default false */
  readonly optional?: boolean;
}

/** One JSON-RPC method with a call that every chain answers. */
export interface RpcMethod {
  readonly method: string;
  readonly summary: string;
  readonly parameters: readonly RpcParameter[];
  /** Values of the parameters for the call; those left out are the last. */
  readonly params: readonly unknown[];
  /** What `result` holds, in words. */
  readonly gives: string;
  readonly result: RpcSchema;
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

/** Values in the calls that belong to one chain, by what they are. */
export const RPC_EXAMPLES = {
  account: ADDRESS,
  contract: CONTRACT,
  transaction: TRANSACTION_HASH,
  block_hash: BLOCK_HASH,
  quantity: BLOCK,
} as const;

/** Shapes that several methods share, as components of the description. */
export const RPC_SCHEMAS = {
  Address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  BlockNumberOrTag: {
    anyOf: [
      { $ref: '#/components/schemas/Quantity' },
      { type: 'string', enum: ['latest', 'safe', 'finalized', 'earliest', 'pending'] },
    ],
  },
  Bytes: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' },
  Call: {
    type: 'object',
    properties: {
      from: { $ref: '#/components/schemas/Address' },
      to: { $ref: '#/components/schemas/Address' },
      data: { $ref: '#/components/schemas/Bytes' },
      value: { $ref: '#/components/schemas/Quantity' },
      gas: { $ref: '#/components/schemas/Quantity' },
    },
  },
  Filter: {
    type: 'object',
    properties: {
      fromBlock: { $ref: '#/components/schemas/BlockNumberOrTag' },
      toBlock: { $ref: '#/components/schemas/BlockNumberOrTag' },
      blockHash: { $ref: '#/components/schemas/Hash' },
      address: {
        anyOf: [
          { $ref: '#/components/schemas/Address' },
          { type: 'array', items: { $ref: '#/components/schemas/Address' } },
        ],
      },
      topics: { type: 'array', maxItems: 4 },
    },
  },
  Hash: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
  Quantity: { type: 'string', pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$' },
  TracerOptions: { type: 'object', properties: { tracer: { type: 'string' } } },
} as const;

type RpcSchemaName = keyof typeof RPC_SCHEMAS;

const OBJECT = { type: 'object' };
const OBJECT_OR_NULL = { type: ['object', 'null'] };
const OBJECTS = { type: 'array', items: OBJECT };
const TEXT = { type: 'string' };

const BLOCK_PARAMETER = parameter('block', 'block number or tag', 'BlockNumberOrTag');
const BLOCK_HASH_PARAMETER = parameter('blockHash', 'block hash', 'Hash');
const WHOLE_TRANSACTIONS = parameter(
  'wholeTransactions',
  'true for whole transactions, false for their hashes',
  { type: 'boolean' },
);
const HASH_PARAMETER = parameter('transactionHash', 'transaction hash', 'Hash');
const ADDRESS_PARAMETER = parameter('address', 'address', 'Address');
const CALL_PARAMETER = parameter('call', 'call', 'Call');
const OVERRIDES = { ...parameter('stateOverrides', 'state overrides', OBJECT), optional: true };
const TRACER = { ...parameter('options', 'tracer', 'TracerOptions'), optional: true };

/** The methods that back ends call most, in groups. Every other method of an allowed pattern is served as well. */
export const RPC_METHODS: Readonly<Record<string, readonly RpcMethod[]>> = {
  Blocks: [
    method(
      'eth_blockNumber',
      'Number of the newest block.',
      { parameters: [], params: [] },
      { gives: 'hex number', result: 'Quantity' },
    ),
    method(
      'eth_getBlockByNumber',
      'A block by its number, or by a tag.',
      { parameters: [BLOCK_PARAMETER, WHOLE_TRANSACTIONS], params: [BLOCK, false] },
      { gives: 'block, or null', result: OBJECT_OR_NULL },
    ),
    method(
      'eth_getBlockByHash',
      'A block by its hash.',
      { parameters: [BLOCK_HASH_PARAMETER, WHOLE_TRANSACTIONS], params: [BLOCK_HASH, false] },
      { gives: 'block, or null', result: OBJECT_OR_NULL },
    ),
    method(
      'eth_getBlockReceipts',
      'The receipts of all transactions of a block.',
      { parameters: [BLOCK_PARAMETER], params: [BLOCK] },
      { gives: 'array of receipts, or null', result: { type: ['array', 'null'], items: OBJECT } },
    ),
    method(
      'eth_getBlockTransactionCountByNumber',
      'Number of transactions in a block.',
      { parameters: [BLOCK_PARAMETER], params: [BLOCK] },
      {
        gives: 'hex number, or null',
        result: { anyOf: [{ $ref: '#/components/schemas/Quantity' }, { type: 'null' }] },
      },
    ),
  ],
  Transactions: [
    method(
      'eth_getTransactionByHash',
      'A transaction by its hash.',
      { parameters: [HASH_PARAMETER], params: [TRANSACTION_HASH] },
      { gives: 'transaction, or null', result: OBJECT_OR_NULL },
    ),
    method(
      'eth_getTransactionReceipt',
      'What became of a transaction: status, gas, logs.',
      { parameters: [HASH_PARAMETER], params: [TRANSACTION_HASH] },
      { gives: 'receipt, or null while it is not mined', result: OBJECT_OR_NULL },
    ),
    method(
      'eth_getTransactionByBlockNumberAndIndex',
      'A transaction by its place.',
      {
        parameters: [BLOCK_PARAMETER, parameter('index', 'index in the block', 'Quantity')],
        params: [BLOCK, '0x0'],
      },
      { gives: 'transaction, or null', result: OBJECT_OR_NULL },
    ),
    method(
      'eth_sendRawTransaction',
      'Sends a signed transaction. Never repeated by the gateway once it may have left.',
      { parameters: [parameter('transaction', 'signed transaction in hex', 'Bytes')], params: ['0x02'] },
      { gives: 'transaction hash', result: 'Hash' },
    ),
    method(
      'eth_getTransactionCount',
      'Nonce of an account.',
      { parameters: [ADDRESS_PARAMETER, BLOCK_PARAMETER], params: [ADDRESS, 'latest'] },
      { gives: 'hex number', result: 'Quantity' },
    ),
  ],
  State: [
    method(
      'eth_getBalance',
      'Native balance of an account.',
      { parameters: [ADDRESS_PARAMETER, BLOCK_PARAMETER], params: [ADDRESS, 'latest'] },
      { gives: 'hex number, in wei', result: 'Quantity' },
    ),
    method(
      'eth_getCode',
      'Code of a contract.',
      { parameters: [ADDRESS_PARAMETER, BLOCK_PARAMETER], params: [CONTRACT, 'latest'] },
      { gives: 'hex bytes', result: 'Bytes' },
    ),
    method(
      'eth_getStorageAt',
      'One storage slot of a contract.',
      {
        parameters: [ADDRESS_PARAMETER, parameter('slot', 'slot', TEXT), BLOCK_PARAMETER],
        params: [CONTRACT, SLOT, 'latest'],
      },
      { gives: '32 bytes in hex', result: 'Bytes' },
    ),
    method(
      'eth_getProof',
      'Merkle proof of an account and of storage slots.',
      {
        parameters: [
          ADDRESS_PARAMETER,
          parameter('slots', 'slots', { type: 'array', items: TEXT }),
          BLOCK_PARAMETER,
        ],
        params: [CONTRACT, [SLOT], 'latest'],
      },
      { gives: 'proof', result: OBJECT },
    ),
  ],
  Execution: [
    method(
      'eth_call',
      'Runs a call without a transaction.',
      { parameters: [CALL_PARAMETER, BLOCK_PARAMETER, OVERRIDES], params: [CALL, 'latest'] },
      { gives: 'hex bytes', result: 'Bytes' },
    ),
    method(
      'eth_estimateGas',
      'Gas that a transaction would need.',
      { parameters: [CALL_PARAMETER, BLOCK_PARAMETER], params: [CALL, 'latest'] },
      { gives: 'hex number', result: 'Quantity' },
    ),
    method(
      'eth_createAccessList',
      'Access list that a transaction would use.',
      { parameters: [CALL_PARAMETER, BLOCK_PARAMETER], params: [CALL, 'latest'] },
      { gives: 'access list and gas', result: OBJECT },
    ),
    method(
      'eth_simulateV1',
      'Runs blocks of calls one after the other.',
      {
        parameters: [parameter('blocks', 'blocks of calls', OBJECT), BLOCK_PARAMETER],
        params: [{ blockStateCalls: [{ calls: [CALL] }] }, 'latest'],
      },
      { gives: 'array of simulated blocks', result: OBJECTS },
    ),
  ],
  Logs: [
    method(
      'eth_getLogs',
      'Logs of a range of blocks, by address and topics.',
      {
        parameters: [
          parameter('filter', 'filter: fromBlock and toBlock or blockHash, address, topics', 'Filter'),
        ],
        params: [{ fromBlock: '0x0', toBlock: '0xa', address: CONTRACT, topics: [TRANSFER_TOPIC] }],
      },
      { gives: 'array of logs', result: OBJECTS },
    ),
  ],
  Fees: [
    method(
      'eth_gasPrice',
      'A gas price that is likely to be taken.',
      { parameters: [], params: [] },
      { gives: 'hex number, in wei', result: 'Quantity' },
    ),
    method(
      'eth_maxPriorityFeePerGas',
      'A tip that is likely to be taken.',
      { parameters: [], params: [] },
      { gives: 'hex number, in wei', result: 'Quantity' },
    ),
    method(
      'eth_feeHistory',
      'Base fees and tips of recent blocks.',
      {
        parameters: [
          parameter('blockCount', 'number of blocks', 'Quantity'),
          parameter('newestBlock', 'newest block', 'BlockNumberOrTag'),
          parameter('percentiles', 'percentiles of tips', { type: 'array', items: { type: 'number' } }),
        ],
        params: ['0x4', 'latest', [25, 75]],
      },
      { gives: 'fee history', result: OBJECT },
    ),
  ],
  Chain: [
    method(
      'eth_chainId',
      'EIP-155 chain id.',
      { parameters: [], params: [] },
      { gives: 'hex number', result: 'Quantity' },
    ),
    method(
      'eth_syncing',
      'Whether the node is catching up.',
      { parameters: [], params: [] },
      {
        gives: 'false, or the progress',
        result: {
          type: ['boolean', 'object'],
        },
      },
    ),
    method(
      'net_version',
      'Network id.',
      { parameters: [], params: [] },
      { gives: 'decimal number as text', result: TEXT },
    ),
    method(
      'web3_clientVersion',
      'Software of the node.',
      { parameters: [], params: [] },
      { gives: 'text', result: TEXT },
    ),
  ],
  Traces: [
    method(
      'debug_traceTransaction',
      'Every call inside a transaction.',
      { parameters: [HASH_PARAMETER, TRACER], params: [TRANSACTION_HASH, CALL_TRACER] },
      { gives: 'trace', result: OBJECT },
    ),
    method(
      'debug_traceBlockByNumber',
      'The traces of all transactions of a block.',
      { parameters: [BLOCK_PARAMETER, TRACER], params: [BLOCK, CALL_TRACER] },
      { gives: 'array of traces', result: OBJECTS },
    ),
    method(
      'debug_traceCall',
      'Every call inside a call that is not sent.',
      { parameters: [CALL_PARAMETER, BLOCK_PARAMETER, TRACER], params: [CALL, 'latest', CALL_TRACER] },
      { gives: 'trace', result: OBJECT },
    ),
  ],
};

function parameter(name: string, holds: string, schema: RpcSchema): RpcParameter {
  return { name, holds, schema };
}

function method(
  name: string,
  summary: string,
  call: Pick<RpcMethod, 'parameters' | 'params'>,
  response: Pick<RpcMethod, 'gives' | 'result'>,
): RpcMethod {
  return { method: name, summary, ...call, ...response };
}
