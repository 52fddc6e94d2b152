import { weightOf } from '../../shared/methods/method-facts.ts';
import { type ArgumentSchema, CHAIN_ARGUMENT, type Tool, type ToolArguments } from './tool.ts';

/** Set of the tools that are methods of JSON-RPC. */
export const RPC_TOOLSET = 'rpc';

const BLOCK_PATTERN = '^(latest|safe|finalized|earliest|pending|0x[0-9a-fA-F]{1,16}|[0-9]{1,16})$';
const DECIMAL = /^[0-9]+$/;
const MAX_CALL_DATA_CHARACTERS = 200_000;
const MAX_TOPICS = 4;

const address = (description: string): ArgumentSchema => ({
  type: 'string',
  description,
  pattern: '^0x[0-9a-fA-F]{40}$',
});
const hash = (description: string): ArgumentSchema => ({
  type: 'string',
  description,
  pattern: '^0x[0-9a-fA-F]{64}$',
});
const quantity = (description: string): ArgumentSchema => ({
  type: 'string',
  description,
  pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$',
});
/** Up to 32 bytes: as a quantity, or whole like the hash that it often is, whose first digits may be zeros. */
const slot = (description: string): ArgumentSchema => ({
  type: 'string',
  description,
  pattern: '^0x[0-9a-fA-F]{1,64}$',
});
const block = (description: string): ArgumentSchema => ({
  type: ['integer', 'string'],
  description,
  pattern: BLOCK_PATTERN,
  minimum: 0,
  // A greater number has been rounded before it comes here; as a text it is whole.
  maximum: Number.MAX_SAFE_INTEGER,
  default: 'latest',
});

const AT_BLOCK = { block: block('Number or tag.') };
const CALL = {
  to: address('Address that is called.'),
  data: {
    type: 'string',
    description: 'Call data: selector and ABI-encoded arguments.',
    pattern: '^0x([0-9a-fA-F]{2})*$',
    maxLength: MAX_CALL_DATA_CHARACTERS,
    default: '0x',
  },
  from: address('Sender. Default: the zero address.'),
  value: quantity('Wei that are sent along, 0x-prefixed hex. Default: none.'),
  ...AT_BLOCK,
} satisfies Readonly<Record<string, ArgumentSchema>>;

/** A method of JSON-RPC that agents have as a tool, with its arguments by name. */
interface RpcMethod {
  readonly title: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
  /** The parameters by position. */
  readonly params: (values: ToolArguments) => readonly unknown[];
}

/** What several methods take. */
type Taken = Omit<RpcMethod, 'title'>;
const OF_NOTHING: Taken = { properties: {}, required: [], params: () => [] };
const OF_TRANSACTION: Taken = {
  properties: { hash: hash('Hash of the transaction.') },
  required: ['hash'],
  params: ({ hash }) => [hash],
};
const OF_ADDRESS: Taken = {
  properties: { address: address('Address.'), ...AT_BLOCK },
  required: ['address'],
  params: (values) => [values.address, blockOf(values)],
};
const OF_CALL: Taken = {
  properties: CALL,
  required: ['to'],
  params: (values) => [callOf(values), blockOf(values)],
};

const RPC_METHODS = {
  eth_blockNumber: { title: 'Number of the newest block', ...OF_NOTHING },
  eth_gasPrice: { title: 'Price of gas now, in wei', ...OF_NOTHING },
  eth_getBlockByNumber: {
    title: 'A block by its number or tag',
    properties: {
      block: block('Number or tag.'),
      full_transactions: {
        type: 'boolean',
        description: 'Whole transactions in the place of their hashes: long.',
        default: false,
      },
    },
    required: [],
    params: (values) => [blockOf(values), values.full_transactions === true],
  },
  eth_getTransactionByHash: { title: 'A transaction by its hash', ...OF_TRANSACTION },
  eth_getTransactionReceipt: {
    title: 'The receipt of a transaction: status, gas used, logs',
    ...OF_TRANSACTION,
  },
  eth_getBalance: { title: 'Native balance of an address, in wei', ...OF_ADDRESS },
  eth_getTransactionCount: {
    title: 'Transactions that an address has sent: its next nonce',
    ...OF_ADDRESS,
  },
  eth_getCode: { title: 'Code of a contract; 0x for an address without', ...OF_ADDRESS },
  eth_getStorageAt: {
    title: 'A storage slot of a contract',
    properties: { address: address('Address.'), slot: slot('Slot, 0x-prefixed hex.'), ...AT_BLOCK },
    required: ['address', 'slot'],
    params: (values) => [values.address, values.slot, blockOf(values)],
  },
  eth_call: { title: 'What a call of a contract returns, without a transaction', ...OF_CALL },
  eth_estimateGas: { title: 'Gas that a transaction would use', ...OF_CALL },
  eth_getLogs: {
    title: 'Events of a range of blocks, by emitter and topics',
    properties: {
      from_block: block('Number or tag.'),
      to_block: block('Number or tag.'),
      address: address('Only of this contract.'),
      topics: {
        type: 'array',
        description: 'Topics by position: a hash, or null for any. The first is the hash of the event.',
        maxItems: MAX_TOPICS,
        items: { anyOf: [{ type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' }, { type: 'null' }] },
      },
    },
    required: [],
    params: ({ from_block, to_block, address, topics }) => [
      { fromBlock: blockId(from_block), toBlock: blockId(to_block), address, topics },
    ],
  },
} satisfies Readonly<Record<string, RpcMethod>>;

/** Methods of JSON-RPC that agents have as tools. None changes anything. */
export type RpcToolName = keyof typeof RPC_METHODS;

/** The tools that are methods of JSON-RPC. */
export const RPC_TOOLS: readonly Tool[] = Object.entries<RpcMethod>(RPC_METHODS).map(([name, method]) => ({
  name,
  toolset: RPC_TOOLSET,
  title: method.title,
  description: `${method.title}. ${weightOf(name)} CU.`,
  inputSchema: {
    type: 'object',
    properties: { chain: CHAIN_ARGUMENT, ...method.properties },
    required: method.required,
    additionalProperties: false,
  },
  output: 'result',
}));

/** Whether a tool is a method of JSON-RPC. */
export function isRpcTool(name: string): name is RpcToolName {
  return Object.hasOwn(RPC_METHODS, name);
}

/** Parameters of the method by position, of arguments that fit the tool's schema. */
export function rpcParams(name: RpcToolName, values: ToolArguments): readonly unknown[] {
  return RPC_METHODS[name].params(values);
}

function callOf({ to, data = '0x', from, value }: ToolArguments): object {
  return { from, to, data, value };
}

function blockOf({ block }: ToolArguments): string {
  return blockId(block);
}

/** A tag, or a number as JSON-RPC writes it. */
function blockId(value: unknown): string {
  const text = String(value ?? 'latest');
  return DECIMAL.test(text) ? `0x${BigInt(text).toString(16)}` : text;
}
