import type { Call } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { readJson } from '../../shared/jsonrpc/json-values.ts';
import { methodFacts, placeOfBlock } from '../../shared/methods/method-facts.ts';
import type { VerifyLevel } from '../response/render-response.ts';

/** Which block a call is about. */
export type AskedBlock = { readonly number: bigint } | { readonly hash: string } | 'newest';

/** What a call asks of the state of a block. Hex digits without 0x. */
export interface StateQuestion {
  readonly of: 'balance' | 'nonce' | 'code' | 'slot';
  readonly address: string;
  /** 32 bytes; of a slot alone. */
  readonly slot: string;
  readonly block: AskedBlock;
}

/** What a call asks of the lists of a block. */
export interface BlockQuestion {
  readonly of: 'block' | 'transaction' | 'receipt' | 'receipts';
  /** Undefined: the one that has the transaction. */
  readonly block: AskedBlock | undefined;
  /** Hash of the transaction, in lower case with 0x; undefined where it is named by its place, or none is. */
  readonly transaction?: string;
  /** Place of the transaction in its block. */
  readonly index?: number;
  /** Whether a block is wanted with its whole transactions. @default false */
  readonly isWhole?: boolean;
}

/** Longest params of a call that can be verified, in bytes. */
const MAX_PARAMS_BYTES = 1_024;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const SLOT = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const NUMBER = /^0x[0-9a-f]{1,16}$/i;
const SLOT_DIGITS = 64;
/** Tags of blocks, whose numbers calls have by the time that they are answered. */
const FINALITY_TAGS: ReadonlySet<unknown> = new Set(['safe', 'finalized']);

const STATE_METHODS: Readonly<Record<string, StateQuestion['of']>> = {
  eth_getBalance: 'balance',
  eth_getTransactionCount: 'nonce',
  eth_getStorageAt: 'slot',
  eth_getCode: 'code',
};

const UNVERIFIABLE: CataloguedError = { reason: 'invalid_request', details: { header: 'X-Verify' } };

/** Calls for blocks and what is in them: what they ask for, how they name their block, and what follows that. */
const BLOCK_METHODS: Readonly<
  Record<string, Pick<BlockQuestion, 'of'> & { by: 'block' | 'transaction'; beside?: 'isWhole' | 'index' }>
> = {
  eth_getBlockByHash: { of: 'block', by: 'block', beside: 'isWhole' },
  eth_getBlockByNumber: { of: 'block', by: 'block', beside: 'isWhole' },
  eth_getTransactionByHash: { of: 'transaction', by: 'transaction' },
  eth_getTransactionByBlockHashAndIndex: { of: 'transaction', by: 'block', beside: 'index' },
  eth_getTransactionByBlockNumberAndIndex: { of: 'transaction', by: 'block', beside: 'index' },
  eth_getTransactionReceipt: { of: 'receipt', by: 'transaction' },
  eth_getBlockReceipts: { of: 'receipts', by: 'block' },
};
const BY_HASH = /Hash/;
const INDEX = /^0x[0-9a-f]{1,6}$/i;

/** The level that a header `X-Verify` names; undefined if it names none. */
export function readVerifyLevel(value: string): VerifyLevel | undefined {
  return value === 'state' || value === 'block' ? value : undefined;
}

/** Why a call cannot be verified, whatever nodes say: its method is of another level, or a parameter of no one form. */
export function unverifiable(call: Call, level: VerifyLevel): CataloguedError | undefined {
  const readTag: ReadTag = (tag) => (FINALITY_TAGS.has(tag) ? 'newest' : undefined);
  const question = level === 'state' ? readStateCall(call, readTag) : readBlockCall(call, readTag);
  return question === undefined ? UNVERIFIABLE : undefined;
}

/** Reads what names no block by itself. */
type ReadTag = (tag: unknown) => AskedBlock | undefined;

/** What a call asks of the lists of a block; undefined for any other, and for one that nodes could read in several ways. */
export function readBlockCall(
  { method, params }: Pick<Call, 'method' | 'params'>,
  readTag: ReadTag = () => undefined,
): BlockQuestion | undefined {
  const form = Object.hasOwn(BLOCK_METHODS, method) ? BLOCK_METHODS[method] : undefined;
  const values = readParams(params);
  const [first, second] = values;
  if (form === undefined || first === undefined || first === null) return undefined;
  if (values.length > (form.beside === undefined ? 1 : 2)) return undefined;
  const { of } = form;
  if (form.by === 'transaction')
    return isText(first, HASH) ? { of, block: undefined, transaction: first.toLowerCase() } : undefined;
  const block = readBlock(first) ?? readTag(first);
  const isHash = isText(first, HASH);
  // Only receipts are asked for by either.
  const isNamed = of === 'receipts' || (typeof first === 'string' && isHash === BY_HASH.test(method));
  if (block === undefined || !isNamed) return undefined;
  if (form.beside === 'index')
    return isText(second, INDEX) ? { of, block, index: Number(second) } : undefined;
  if (form.beside === 'isWhole')
    return second === undefined || typeof second === 'boolean'
      ? { of, block, isWhole: second === true }
      : undefined;
  return { of, block };
}

/**
 * What a call asks of the state; undefined for any other, and for one that nodes could read in several ways.
 * @param readTag reads what names no block by itself
 */
export function readStateCall(
  { method, params }: Pick<Call, 'method' | 'params'>,
  readTag: ReadTag = () => undefined,
): StateQuestion | undefined {
  const of = Object.hasOwn(STATE_METHODS, method) ? STATE_METHODS[method] : undefined;
  const { needs } = methodFacts(method);
  if (of === undefined || typeof needs !== 'object') return undefined;
  const values = readParams(params);
  const place = placeOfBlock(needs);
  const [address, slot] = values;
  const block = readBlock(values[place]) ?? readTag(values[place]);
  if (values.length > place + 1 || block === undefined || !isText(address, ADDRESS)) return undefined;
  if (of === 'slot' && !isText(slot, SLOT)) return undefined;
  return {
    of,
    address: address.slice(2).toLowerCase(),
    slot: of === 'slot' ? String(slot).slice(2).toLowerCase().padStart(SLOT_DIGITS, '0') : '',
    block,
  };
}

function readParams(params: Uint8Array | undefined): readonly unknown[] {
  if (params === undefined || params.length > MAX_PARAMS_BYTES) return [];
  const values = readJson(params);
  return Array.isArray(values) ? values : [];
}

/** A block as the standard names it, or by EIP-1898; what is absent is the newest one. */
function readBlock(value: unknown): AskedBlock | undefined {
  if (value === undefined || value === null || value === 'latest') return 'newest';
  if (value === 'earliest') return { number: 0n };
  if (isText(value, NUMBER)) return { number: BigInt(value) };
  if (isText(value, HASH)) return { hash: value.toLowerCase() };
  if (typeof value !== 'object') return undefined;
  const { blockNumber, blockHash } = value as { blockNumber?: unknown; blockHash?: unknown };
  if (isText(blockHash, HASH) && blockNumber === undefined) return { hash: blockHash.toLowerCase() };
  return isText(blockNumber, NUMBER) && blockHash === undefined ? { number: BigInt(blockNumber) } : undefined;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
