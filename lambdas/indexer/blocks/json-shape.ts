import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { RelaxableCheck } from '../../shared/runtime/settings.ts';

/** What a node sent does not have the shape that it must have. */
export class ShapeError extends Error {
  /** The check that forbids the shape, where a chain's settings can relax it. */
  readonly check: RelaxableCheck | undefined;

  constructor(member: string, check?: RelaxableCheck) {
    super(`malformed ${member}`);
    this.name = 'ShapeError';
    this.check = check;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

const QUANTITY = /^0x[0-9a-f]{1,64}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;
const HASH_LENGTH = 66;
const ADDRESS_LENGTH = 42;
/** Digits that a safe integer may have in hex, and `0x`. */
const SAFE_LENGTH = 15;

export function readObject(value: unknown, member: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ShapeError(member);
  return value as JsonObject;
}

export function readArray(value: unknown, member: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(member);
  return value;
}

/** Bytes of any number. */
export function readData(value: unknown, member: string): Hex {
  return matching(value, DATA, member);
}

/** 32 bytes. */
export function readHash(value: unknown, member: string): Hex {
  return ofLength(HASH_LENGTH, value, member);
}

/** 20 bytes. */
export function readAddress(value: unknown, member: string): Hex {
  return ofLength(ADDRESS_LENGTH, value, member);
}

/** A number of at most 256 bits. */
export function readQuantity(value: unknown, member: string): bigint {
  return BigInt(matching(value, QUANTITY, member));
}

/** A number of at most 256 bits; null where a member is none, or is absent. */
export function quantityOrNull(value: unknown): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null;
}

/** A number that needs no more than 52 bits. */
export function readInteger(value: unknown, member: string): number {
  const text = matching(value, QUANTITY, member);
  if (text.length > SAFE_LENGTH) throw new ShapeError(member);
  return Number(text);
}

type Read<T> = (value: unknown, member: string) => T;

/** What `read` makes of a member; null if it is absent or null. */
export function optional<T>(object: JsonObject, member: string, read: Read<T>): T | null {
  const value = object[member];
  return value === undefined || value === null ? null : read(value, member);
}

/**
 * Reads members of an object that some nodes leave out.
 * @param mayLack whether that is allowed here: `lacking` stands for one that is absent, null or `0x`
 */
export function lackableReader(object: JsonObject, of: string, mayLack: boolean) {
  return <T>(name: string, read: Read<T>, lacking: T): T => {
    const value = object[name];
    const isLacking =
      value === undefined || value === null || (value === '0x' && (read as unknown) !== readData);
    if (!isLacking) return read(value, `${of}.${name}`);
    if (mayLack) return lacking;
    throw new ShapeError(`${of}.${name}`, 'missingMembers');
  };
}

/** A text of this pattern, which begins with `0x`. */
function matching(value: unknown, pattern: RegExp, member: string): Hex {
  if (typeof value !== 'string') throw new ShapeError(member);
  if (pattern.test(value)) return value as Hex;
  // Some nodes write addresses with the capitals of their checksum.
  const lower = value.toLowerCase();
  if (!pattern.test(lower)) throw new ShapeError(member);
  return lower as Hex;
}

/** A pattern with its number of digits would take longer. */
function ofLength(length: number, value: unknown, member: string) {
  const data = readData(value, member);
  if (data.length !== length) throw new ShapeError(member);
  return data;
}
