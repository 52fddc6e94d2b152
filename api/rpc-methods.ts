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

export type RpcSchemaName = keyof typeof RPC_SCHEMAS;

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
    method('eth_blockNumber', 'Number of the newest block.', [], [], 'hex number', 'Quantity'),
    method(
      'eth_getBlockByNumber',
      'A block by its number, or by a tag.',
      [BLOCK_PARAMETER, WHOLE_TRANSACTIONS],
      [BLOCK, false],
      'block, or null',
      OBJECT_OR_NULL,
    ),
    method(
      'eth_getBlockByHash',
      'A block by its hash.',
      [BLOCK_HASH_PARAMETER, WHOLE_TRANSACTIONS],
      [BLOCK_HASH, false],
      'block, or null',
      OBJECT_OR_NULL,
    ),
    method(
      'eth_getBlockReceipts',
      'The receipts of all transactions of a block.',
      [BLOCK_PARAMETER],
      [BLOCK],
      'array of receipts, or null',
      { type: ['array', 'null'], items: OBJECT },
    ),
    method(
      'eth_getBlockTransactionCountByNumber',
      'Number of transactions in a block.',
      [BLOCK_PARAMETER],
      [BLOCK],
      'hex number, or null',
      { anyOf: [{ $ref: '#/components/schemas/Quantity' }, { type: 'null' }] },
    ),
  ],
  Transactions: [
    method(
      'eth_getTransactionByHash',
      'A transaction by its hash.',
      [HASH_PARAMETER],
      [TRANSACTION_HASH],
      'transaction, or null',
      OBJECT_OR_NULL,
    ),
    method(
      'eth_getTransactionReceipt',
      'What became of a transaction: status, gas, logs.',
      [HASH_PARAMETER],
      [TRANSACTION_HASH],
      'receipt, or null while it is not mined',
      OBJECT_OR_NULL,
    ),
    method(
      'eth_getTransactionByBlockNumberAndIndex',
      'A transaction by its place.',
      [BLOCK_PARAMETER, parameter('index', 'index in the block', 'Quantity')],
      [BLOCK, '0x0'],
      'transaction, or null',
      OBJECT_OR_NULL,
    ),
    method(
      'eth_sendRawTransaction',
      'Sends a signed transaction. Never repeated by the gateway once it may have left.',
      [parameter('transaction', 'signed transaction in hex', 'Bytes')],
      ['0x02'],
      'transaction hash',
      'Hash',
    ),
    method(
      'eth_getTransactionCount',
      'Nonce of an account.',
      [ADDRESS_PARAMETER, BLOCK_PARAMETER],
      [ADDRESS, 'latest'],
      'hex number',
      'Quantity',
    ),
  ],
  State: [
    method(
      'eth_getBalance',
      'Native balance of an account.',
      [ADDRESS_PARAMETER, BLOCK_PARAMETER],
      [ADDRESS, 'latest'],
      'hex number, in wei',
      'Quantity',
    ),
    method(
      'eth_getCode',
      'Code of a contract.',
      [ADDRESS_PARAMETER, BLOCK_PARAMETER],
      [CONTRACT, 'latest'],
      'hex bytes',
      'Bytes',
    ),
    method(
      'eth_getStorageAt',
      'One storage slot of a contract.',
      [ADDRESS_PARAMETER, parameter('slot', 'slot', TEXT), BLOCK_PARAMETER],
      [CONTRACT, SLOT, 'latest'],
      '32 bytes in hex',
      'Bytes',
    ),
    method(
      'eth_getProof',
      'Merkle proof of an account and of storage slots.',
      [ADDRESS_PARAMETER, parameter('slots', 'slots', { type: 'array', items: TEXT }), BLOCK_PARAMETER],
      [CONTRACT, [SLOT], 'latest'],
      'proof',
      OBJECT,
    ),
  ],
  Execution: [
    method(
      'eth_call',
      'Runs a call without a transaction.',
      [CALL_PARAMETER, BLOCK_PARAMETER, OVERRIDES],
      [CALL, 'latest'],
      'hex bytes',
      'Bytes',
    ),
    method(
      'eth_estimateGas',
      'Gas that a transaction would need.',
      [CALL_PARAMETER, BLOCK_PARAMETER],
      [CALL, 'latest'],
      'hex number',
      'Quantity',
    ),
    method(
      'eth_createAccessList',
      'Access list that a transaction would use.',
      [CALL_PARAMETER, BLOCK_PARAMETER],
      [CALL, 'latest'],
      'access list and gas',
      OBJECT,
    ),
    method(
      'eth_simulateV1',
      'Runs blocks of calls one after the other.',
      [parameter('blocks', 'blocks of calls', OBJECT), BLOCK_PARAMETER],
      [{ blockStateCalls: [{ calls: [CALL] }] }, 'latest'],
      'array of simulated blocks',
      OBJECTS,
    ),
  ],
  Logs: [
    method(
      'eth_getLogs',
      'Logs of a range of blocks, by address and topics.',
      [parameter('filter', 'filter: fromBlock and toBlock or blockHash, address, topics', 'Filter')],
      [{ fromBlock: '0x0', toBlock: '0xa', address: CONTRACT, topics: [TRANSFER_TOPIC] }],
      'array of logs',
      OBJECTS,
    ),
  ],
  Fees: [
    method(
      'eth_gasPrice',
      'A gas price that is likely to be taken.',
      [],
      [],
      'hex number, in wei',
      'Quantity',
    ),
    method(
      'eth_maxPriorityFeePerGas',
      'A tip that is likely to be taken.',
      [],
      [],
      'hex number, in wei',
      'Quantity',
    ),
    method(
      'eth_feeHistory',
      'Base fees and tips of recent blocks.',
      [
        parameter('blockCount', 'number of blocks', 'Quantity'),
        parameter('newestBlock', 'newest block', 'BlockNumberOrTag'),
        parameter('percentiles', 'percentiles of tips', { type: 'array', items: { type: 'number' } }),
      ],
      ['0x4', 'latest', [25, 75]],
      'fee history',
      OBJECT,
    ),
  ],
  Chain: [
    method('eth_chainId', 'EIP-155 chain id.', [], [], 'hex number', 'Quantity'),
    method('eth_syncing', 'Whether the node is catching up.', [], [], 'false, or the progress', {
      type: ['boolean', 'object'],
    }),
    method('net_version', 'Network id.', [], [], 'decimal number as text', TEXT),
    method('web3_clientVersion', 'Software of the node.', [], [], 'text', TEXT),
  ],
  Traces: [
    method(
      'debug_traceTransaction',
      'Every call inside a transaction.',
      [HASH_PARAMETER, TRACER],
      [TRANSACTION_HASH, CALL_TRACER],
      'trace',
      OBJECT,
    ),
    method(
      'debug_traceBlockByNumber',
      'The traces of all transactions of a block.',
      [BLOCK_PARAMETER, TRACER],
      [BLOCK, CALL_TRACER],
      'array of traces',
      OBJECTS,
    ),
    method(
      'debug_traceCall',
      'Every call inside a call that is not sent.',
      [CALL_PARAMETER, BLOCK_PARAMETER, TRACER],
      [CALL, 'latest', CALL_TRACER],
      'trace',
      OBJECT,
    ),
  ],
};

function parameter(name: string, holds: string, schema: RpcSchema): RpcParameter {
  return { name, holds, schema };
}

function method(
  name: string,
  summary: string,
  parameters: readonly RpcParameter[],
  params: readonly unknown[],
  gives: string,
  result: RpcSchema,
): RpcMethod {
  return { method: name, summary, parameters, params, gives, result };
}
