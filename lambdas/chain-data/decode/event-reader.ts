import { byteLength, digitsAt, hexDigits } from '../../shared/chain-database/hex.ts';
import type { Hex, RawLog } from './raw-block.ts';
import { sanitizeText } from './sanitize-text.ts';

/** A log that has the topic of a known event but not its shape. */
export class MalformedLog extends Error {
  override readonly name = 'MalformedLog';
}

/** Hex digits of an ABI word of 32 bytes. */
const WORD_DIGITS = 64;
/** Hex digits before the address in a word. */
const ADDRESS_PADDING = '0'.repeat(24);
const WORD_BYTES = 32n;

/**
 * Reads the arguments of a log by their fixed places: topics from 1, words of the data from 0. What is not there, or
 * does not fit its type, throws {@link MalformedLog}; bytes after the last argument are ignored, as ABI decoders do.
 */
export class EventReader {
  readonly #topics: readonly Hex[];
  readonly #data: Hex;

  /** `topics`: how many the event has, `topic0` with them. */
  constructor(log: RawLog, topics: number) {
    if (log.topics.length !== topics) throw new MalformedLog('topic count');
    this.#topics = log.topics;
    this.#data = log.data;
  }

  /** 32 bytes of a topic. */
  topic(index: number): Hex {
    const topic = this.#topics[index];
    if (topic === undefined) throw new MalformedLog('topic count');
    return topic;
  }

  topicAddress(index: number): Hex {
    return toAddress(hexDigits(this.topic(index)));
  }

  topicUint(index: number): bigint {
    return BigInt(this.topic(index));
  }

  /** A signed integer of 24 bits, as ticks have. */
  topicInt24(index: number): number {
    return toInt24(this.topicUint(index));
  }

  /** An unsigned integer of 24 bits, as fees in millionths have. */
  topicUint24(index: number): number {
    return toUint24(this.topicUint(index));
  }

  address(index: number): Hex {
    return toAddress(this.#word(index));
  }

  uint(index: number): bigint {
    return BigInt(`0x${this.#word(index)}`);
  }

  int(index: number): bigint {
    return BigInt.asIntN(256, this.uint(index));
  }

  int24(index: number): number {
    return toInt24(this.uint(index));
  }

  uint24(index: number): number {
    return toUint24(this.uint(index));
  }

  /** Array of 256-bit numbers whose offset stands in a word. */
  uints(index: number): bigint[] {
    const { start, length } = this.#tail(index);
    if (start + BigInt(length) * WORD_BYTES > this.#dataBytes()) throw new MalformedLog('array out of data');
    const digits = digitsAt(Number(start));
    return Array.from({ length }, (_, item) => {
      const at = digits + item * WORD_DIGITS;
      return BigInt(`0x${this.#data.slice(at, at + WORD_DIGITS)}`);
    });
  }

  /** Text whose offset stands in a word, of at most `maxBytes`; what PostgreSQL cannot hold is taken out. */
  text(index: number, maxBytes: number): string {
    const { start, length } = this.#tail(index);
    if (length > maxBytes) throw new MalformedLog('text too long');
    if (start + BigInt(length) > this.#dataBytes()) throw new MalformedLog('text out of data');
    const digits = digitsAt(Number(start));
    return sanitizeText(Buffer.from(this.#data.slice(digits, digits + length * 2), 'hex'));
  }

  /** Bytes of the text whose offset stands in a word. */
  textSize(index: number): number {
    return this.#tail(index).length;
  }

  /** Where the contents of a dynamic argument begin, in bytes, and the length that stands before them. */
  #tail(index: number): { start: bigint; length: number } {
    const offset = this.uint(index);
    if (offset + WORD_BYTES > this.#dataBytes()) throw new MalformedLog('offset out of data');
    const digits = digitsAt(Number(offset));
    const length = BigInt(`0x${this.#data.slice(digits, digits + WORD_DIGITS)}`);
    if (length > this.#dataBytes()) throw new MalformedLog('length out of data');
    return { start: offset + WORD_BYTES, length: Number(length) };
  }

  #dataBytes(): bigint {
    return BigInt(byteLength(this.#data));
  }

  #word(index: number): string {
    const start = digitsAt((index * WORD_DIGITS) / 2);
    const end = start + WORD_DIGITS;
    if (this.#data.length < end) throw new MalformedLog('data too short');
    return this.#data.slice(start, end);
  }
}

function toAddress(word: string): Hex {
  if (!word.startsWith(ADDRESS_PADDING)) throw new MalformedLog('not an address');
  return `0x${word.slice(ADDRESS_PADDING.length)}`;
}

function toInt24(word: bigint): number {
  const value = BigInt.asIntN(256, word);
  if (BigInt.asIntN(24, value) !== value) throw new MalformedLog('not an int24');
  return Number(value);
}

function toUint24(word: bigint): number {
  if (BigInt.asUintN(24, word) !== word) throw new MalformedLog('not a uint24');
  return Number(word);
}
