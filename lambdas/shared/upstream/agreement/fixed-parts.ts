import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { jsonOf } from '../../jsonrpc/json-values.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { type FixedPart, LOGS_METHOD } from '../../methods/method-table.ts';

type ObjectPart = Exclude<FixedPart, 'bytes' | 'quantity'> | 'withdrawal';
/** How a member is compared: bytes in any case, a number whatever zeros it has, an address that can be none, objects by their members. */
type Form = 'bytes' | 'quantity' | 'address' | ObjectPart;
type Members = Readonly<Record<string, Form>>;

/** What the chain fixes of an object. */
interface FixedMembers {
  /** Every node shows these. */
  readonly always: Members;
  /** A node can be too old for these: they are compared where both show them. */
  readonly whereShown: Members;
}

const PLACE: Members = { blockHash: 'bytes', blockNumber: 'quantity', transactionIndex: 'quantity' };
const HEADER: FixedMembers = {
  always: {
    hash: 'bytes',
    number: 'quantity',
    parentHash: 'bytes',
    timestamp: 'quantity',
    miner: 'address',
    stateRoot: 'bytes',
    transactionsRoot: 'bytes',
    receiptsRoot: 'bytes',
    logsBloom: 'bytes',
    sha3Uncles: 'bytes',
    difficulty: 'quantity',
    gasLimit: 'quantity',
    gasUsed: 'quantity',
    extraData: 'bytes',
  },
  whereShown: {
    mixHash: 'bytes',
    nonce: 'quantity',
    baseFeePerGas: 'quantity',
    withdrawalsRoot: 'bytes',
    blobGasUsed: 'quantity',
    excessBlobGas: 'quantity',
    parentBeaconBlockRoot: 'bytes',
    requestsHash: 'bytes',
  },
};
const FIXED: Readonly<Record<ObjectPart, FixedMembers>> = {
  header: HEADER,
  block: {
    always: { ...HEADER.always, transactions: 'transaction' },
    whereShown: { ...HEADER.whereShown, uncles: 'bytes', withdrawals: 'withdrawal' },
  },
  transaction: {
    always: {
      ...PLACE,
      hash: 'bytes',
      from: 'address',
      to: 'address',
      value: 'quantity',
      input: 'bytes',
      nonce: 'quantity',
    },
    whereShown: { type: 'quantity' },
  },
  receipt: {
    always: {
      ...PLACE,
      transactionHash: 'bytes',
      from: 'address',
      to: 'address',
      contractAddress: 'address',
      status: 'quantity',
      gasUsed: 'quantity',
      logs: 'log',
    },
    whereShown: { effectiveGasPrice: 'quantity' },
  },
  log: {
    always: {
      ...PLACE,
      transactionHash: 'bytes',
      logIndex: 'quantity',
      address: 'address',
      topics: 'bytes',
      data: 'bytes',
    },
    whereShown: {},
  },
  withdrawal: {
    always: { index: 'quantity', validatorIndex: 'quantity', address: 'address', amount: 'quantity' },
    whereShown: {},
  },
};
const QUANTITY = /^0x[0-9a-f]+$/i;
const LEADING_ZEROS = /^0x0*(?=.)/i;
const ZERO = '0x0';
/** A deposit of the OP stack: its nonce is in no hash, and nodes say 0 or the one that it got. */
const DEPOSIT_TYPE = '0x7e';

/** Of a revert: alone, or behind a word. */
const REVERT_DATA = /0x[0-9a-f]*$/i;
/** Strings that every node reads alike. */
const PLAIN = /^(?:0x[0-9a-f]{1,64}|latest|safe|finalized|earliest)$/i;
const FILTER_MEMBERS: ReadonlySet<string> = new Set([
  'fromBlock',
  'toBlock',
  'blockHash',
  'address',
  'topics',
]);
const BLOCK_MEMBERS: ReadonlySet<string> = new Set(['blockNumber', 'blockHash', 'requireCanonical']);
const WHITE_SPACE = /\s/g;

/** What the chain fixes of a result, in one spelling. Two results of nodes that tell the truth have the same. */
export interface FixedText {
  readonly always: string;
  /** By name, members that a node can be too old for: all of a result as one text. Absent where the result shows none. */
  readonly shown: ReadonlyMap<string, string>;
}

/** What the chain fixes of a result, which is JSON. */
export function fixedText(result: Uint8Array, part: FixedPart): FixedText {
  const columns = new Map<string, unknown[]>();
  const always = JSON.stringify(inOneSpelling(JSON.parse(jsonOf(result)), part, columns));
  const shown = [...columns].filter(([, values]) => values.some((value) => value !== null));
  return { always, shown: new Map(shown.map(([name, values]) => [name, JSON.stringify(values)])) };
}

/** Whether two results are the same in all that the chain fixes and both show. */
export function isSameText(one: FixedText, other: FixedText): boolean {
  if (one.always !== other.always) return false;
  return [...one.shown].every(([name, text]) => (other.shown.get(name) ?? text) === text);
}

/** `columns`: takes the members that not every node shows. */
function inOneSpelling(value: unknown, form: Form, columns: Map<string, unknown[]>): unknown {
  if (Array.isArray(value)) return value.map((element) => inOneSpelling(element, form, columns));
  if (form === 'bytes' || form === 'quantity' || form === 'address') return spelled(value, form);
  if (typeof value !== 'object' || value === null) return spelled(value, 'bytes');
  const members = foldedMembers(value);
  const { always, whereShown } = FIXED[form];
  for (const [name, own] of Object.entries(whereShown)) {
    const column = columns.get(`${form}.${name}`) ?? [];
    columns.set(`${form}.${name}`, column);
    column.push(inOneSpelling(members.get(name.toLowerCase()), own, columns));
  }
  return Object.entries(always).map(([name, own]) =>
    isFixed(form, name, members) ? inOneSpelling(members.get(name.toLowerCase()), own, columns) : null,
  );
}

/**
 * Members by name whatever its case: readers of JSON that look past the case would take a second spelling of a name for the
 * member itself, so that two of them are no longer one value.
 */
function foldedMembers(value: object): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value)) {
    const name = key.toUpperCase().toLowerCase();
    members.set(name, members.has(name) ? ['twice', members.get(name), member] : member);
  }
  return members;
}

/** Whether a member follows from the chain: of a creation that failed some nodes show the address, some none. */
function isFixed(part: ObjectPart, name: string, members: ReadonlyMap<string, unknown>): boolean {
  if (part === 'receipt' && name === 'contractAddress') return numberOf(members.get('status')) !== ZERO;
  if (part === 'transaction' && name === 'nonce') return numberOf(members.get('type')) !== DEPOSIT_TYPE;
  return true;
}

function spelled(value: unknown, form: 'bytes' | 'quantity' | 'address'): unknown {
  if (form === 'quantity') return numberOf(value) ?? value ?? null;
  if (typeof value !== 'string') return value ?? null;
  // No address has many spellings: null, no member, or bytes of which there are none.
  if (form === 'address' && (value === '' || value === '0x')) return null;
  return value.toLowerCase();
}

/** A number without zeros before it; undefined for anything else. */
function numberOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !QUANTITY.test(value)) return undefined;
  return value.replace(LEADING_ZEROS, '0x').toLowerCase();
}

/** Whether two nodes that tell the truth must give the same response to a method. */
export function isComparable(method: string): boolean {
  return methodFacts(method).fixed !== undefined;
}

/** Whether two responses to a call are the same in all that the chain fixes. Of errors that is the data of a revert. */
export function sameResponse(method: string, one: UpstreamResponse, other: UpstreamResponse): boolean {
  if (one.kind === 'error' && other.kind === 'error')
    return revertData(one.error) === revertData(other.error);
  if (one.kind !== 'result' || other.kind !== 'result') return false;
  if (Buffer.compare(one.result, other.result) === 0) return true;
  const { fixed = 'bytes' } = methodFacts(method);
  return isSameText(fixedText(one.result, fixed), fixedText(other.result, fixed));
}

function revertData(error: Uint8Array): string | undefined {
  const { data } = JSON.parse(jsonOf(error)) as { readonly data?: unknown };
  const inner = typeof data === 'object' && data !== null ? (data as { readonly data?: unknown }).data : data;
  return typeof inner === 'string' ? REVERT_DATA.exec(inner)?.[0].toLowerCase() : undefined;
}

/**
 * Whether different results of a method say that a node is wrong. Those of executions do not: a contract can return the gas that
 * is left, of which each node has its own idea.
 */
export function isEvidence(method: string): boolean {
  return isComparable(method) && methodFacts(method).class !== 'execution';
}

/**
 * Whether different responses to a call say so of a node, and not of the client: both are results, of a call that all software
 * reads alike. Errors are words about the call.
 */
export function tellsOfNodes(call: Call, responses: readonly UpstreamResponse[]): boolean {
  return isEvidence(call.method) && responses.every(({ kind }) => kind === 'result') && isPlain(call);
}

/** Whether a call is spelled as the standard has it, no member twice, none besides, and no list that is empty. */
function isPlain({ method, params }: Call): boolean {
  if (params === undefined) return true;
  const text = jsonOf(params);
  const values: unknown = JSON.parse(text);
  // A member that is there twice is not there twice any more.
  if (JSON.stringify(values) !== text.replace(WHITE_SPACE, '') || !Array.isArray(values)) return false;
  const members = method === LOGS_METHOD ? FILTER_MEMBERS : BLOCK_MEMBERS;
  return values.every((value) => isPlainValue(value, members));
}

function isPlainValue(value: unknown, members: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return PLAIN.test(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean';
  return Object.entries(value).every(
    ([name, member]) => members.has(name) && (member === null || isPlainMember(member)),
  );
}

/** Of a filter also addresses, and topics: each one, several, or null for any. */
function isPlainMember(member: unknown): boolean {
  if (!Array.isArray(member)) return isPlainValue(member, new Set());
  return member.length > 0 && member.every((one) => one === null || isPlainMember(one));
}
