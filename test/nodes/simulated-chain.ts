import { createHash } from 'node:crypto';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { RawResponse, ReceivedCall } from './replies.ts';

const BLOCK_INTERVAL_MS = 250;
const FIRST_HEAD = 10_000;
const MS_PER_SECOND = 1_000;
const HASH_LENGTH = 66;
/** Blocks by which the tags of finality are behind the head, and blocks after which they move. */
const TAG_LAGS: Readonly<Record<string, number>> = { safe: 32, finalized: 64 };
const TAG_STEP_BLOCKS = 8;

/** Number of the block that a tag names at a head. */
export function taggedBlock(tag: string, head: number): number {
  return Math.max(0, Math.floor((head - (TAG_LAGS[tag] ?? 0)) / TAG_STEP_BLOCKS) * TAG_STEP_BLOCKS);
}

/** A chain that grows with the time. What a node answers follows from where the node is. */
export class SimulatedChain {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #blockMs: number;
  /** Numbers of the blocks that were shown, by their hashes. */
  readonly #shown = new Map<string, number>();

  /** Blocks above this one are others than they were. */
  #forkedAbove = Number.POSITIVE_INFINITY;

  /** `blockMs`: time between two blocks, in milliseconds. */
  constructor(clock: Clock, blockMs = BLOCK_INTERVAL_MS) {
    this.#clock = clock;
    this.#blockMs = blockMs;
    this.#startedAt = clock.now();
  }

  /** Number of the newest block. */
  get head(): number {
    return this.headAt(this.#clock.now());
  }

  /** Number of the newest block at a time, in milliseconds since the epoch. */
  headAt(time: number): number {
    return FIRST_HEAD + Math.floor((time - this.#startedAt) / this.#blockMs);
  }

  /** Replaces all blocks above one, without making the chain shorter. */
  replaceAbove(number: number): void {
    this.#forkedAbove = number;
  }

  /** A block as nodes show it. */
  block(number: number): BlockHead {
    const hashAt = (place: number) => hashOf(place, place > this.#forkedAbove ? 'new' : '');
    const timeMs = this.#startedAt + (number - FIRST_HEAD) * this.#blockMs;
    return {
      number: hex(number),
      hash: hashAt(number),
      parentHash: hashAt(number - 1),
      timestamp: hex(Math.floor(timeMs / MS_PER_SECOND)),
    };
  }

  #renderBlock(number: number, head: number): string {
    if (number > head) return 'null';
    const block = this.block(number);
    this.#shown.set(block.hash, number);
    return JSON.stringify(block);
  }

  /** Number of a block that is named by its hash, its number or a tag; infinite for a hash that is of none. */
  #numberOf(named: unknown, head: number, tagLag: number): number {
    if (named === 'latest' || named === undefined) return head;
    if (typeof named === 'string' && named.length === HASH_LENGTH) {
      return this.#shown.get(named) ?? Number.POSITIVE_INFINITY;
    }
    const isTag = TAG_LAGS[String(named)] !== undefined;
    return isTag ? taggedBlock(String(named), head) - tagLag : Number(named);
  }

  #renderLogs(filter: LogsFilter, numberOf: (block: unknown) => number, head: number): string {
    const { blockHash } = filter;
    if (blockHash === undefined) return renderLogs(filter, numberOf, head);
    const number = numberOf(blockHash);
    return number > head ? '[]' : JSON.stringify([{ blockNumber: hex(number), blockHash }]);
  }

  /**
   * The response of a node that is `lag` blocks behind, has each block `lateMs` milliseconds late, and `tagLag` blocks later
   * than others knows which are safe and final.
   */
  answer({ method, params = [] }: ReceivedCall, lag = 0, lateMs = 0, tagLag = 0): RawResponse {
    const head = this.headAt(this.#clock.now() - lateMs) - lag;
    const numberOf = (block: unknown) => this.#numberOf(block, head, tagLag);
    switch (method) {
      case 'eth_chainId':
        return { result: '"0x1"' };
      case 'eth_syncing':
        return { result: 'false' };
      case 'eth_blockNumber':
        return { result: JSON.stringify(hex(head)) };
      case 'eth_getBlockByNumber':
        return { result: this.#renderBlock(numberOf(params[0]), head) };
      case 'eth_getBlockByHash':
        return { result: this.#renderBlock(numberOf(params[0]), head) };
      case 'eth_getBlockReceipts':
        return { result: renderReceipts(numberOf(params[0]), head) };
      case 'eth_getTransactionReceipt':
        return { result: renderReceipt(params[0] as string, head) };
      case 'eth_getTransactionByHash':
        return { result: renderTransaction(params[0] as string, head) };
      case 'eth_getLogs':
        return { result: this.#renderLogs(params[0] as LogsFilter, numberOf, head) };
      case 'eth_call':
      case 'eth_getBalance': {
        const number = numberOf(params[1]);
        return number > head
          ? { error: '{"code":-32000,"message":"header not found"}' }
          : { result: JSON.stringify(valueAt(params[0], number)) };
      }
      default:
        return { error: '{"code":-32601,"message":"method not found"}' };
    }
  }
}

function hashOf(number: number, fork: string): string {
  return `0x${createHash('sha256').update(`block ${number}${fork}`).digest('hex')}`;
}

interface LogsFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
}

/** What every block shows. */
export interface BlockHead {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
}

/** A quantity in the form that nodes write. */
export function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

/** Hash of the one transaction of a block. */
export function transactionOf(block: number): string {
  return `0x${block.toString(16).padStart(64, '0')}`;
}

/** What a contract or an account holds after a block: the block and a digest of both. */
export function valueAt(subject: unknown, block: number): string {
  const digest = createHash('sha256')
    .update(`${JSON.stringify(subject)} ${block}`)
    .digest('hex')
    .slice(0, 8);
  return `${hex(block)}${digest}`;
}

/** The newest block that a value can be of. */
export function blockOfValue(value: string): number {
  return Number.parseInt(value.slice('0x'.length, -8), 16);
}

function renderReceipt(hash: string, head: number): string {
  const block = Number.parseInt(hash.slice(-16), 16);
  return block > head ? 'null' : JSON.stringify({ blockNumber: hex(block), transactionHash: hash });
}

function renderTransaction(hash: string, head: number): string {
  const block = Number.parseInt(hash.slice(-16), 16);
  return block > head ? 'null' : JSON.stringify({ blockNumber: hex(block), hash });
}

/** Of the one transaction of a block. */
function renderReceipts(block: number, head: number): string {
  return block > head ? 'null' : `[${renderReceipt(transactionOf(block), head)}]`;
}

/** One log a block. A node leaves out what it does not have yet, as real ones do. */
function renderLogs(
  { fromBlock, toBlock }: LogsFilter,
  numberOf: (block: unknown) => number,
  head: number,
): string {
  const from = numberOf(fromBlock);
  const to = Math.min(numberOf(toBlock), head);
  const blocks = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => hex(from + index));
  return JSON.stringify(blocks);
}
