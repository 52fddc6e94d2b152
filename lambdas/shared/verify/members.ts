import { numberDigits, rlpList, rlpString, UnencodableError } from './rlp.ts';

/** What a node sent, before its shape is looked at. */
export type NodeJson = Readonly<Record<string, unknown>>;

/** Encodes one member of an object in RLP. @throws {UnencodableError} where it is absent or of another shape */
export type Encode = (object: NodeJson, name: string) => string;

/** A member, and how it is encoded. */
export type EncodedMember = readonly [name: string, encode: Encode];

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const DATA_PREFIX = '0x';
/** Digits of an address. */
export const ADDRESS_DIGITS = 40;
/** Digits of 32 bytes. */
export const HASH_DIGITS = 64;
const NOTHING = rlpString('');

/** A list of members in RLP, in their order. */
export function encodeMembers(object: NodeJson, members: readonly EncodedMember[]): string {
  return rlpList(encodeItems(object, members));
}

/** The same without what makes them a list. */
export function encodeItems(object: NodeJson, members: readonly EncodedMember[]): string {
  let items = '';
  for (const [name, encode] of members) items += encode(object, name);
  return items;
}

/** A number, which has to be there. */
export const quantity: Encode = (object, name) => {
  const { [name]: value } = object;
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new UnencodableError(name);
  return rlpString(numberDigits(value.slice(DATA_PREFIX.length)));
};

/** A number; one that is not there is 0. */
export const quantityOrZero: Encode = (object, name) =>
  isAbsent(object[name]) ? NOTHING : quantity(object, name);

/** Bytes of any number. */
export const data: Encode = (object, name) => rlpString(digitsOf(object[name], name));

/** 20 bytes. */
export const address: Encode = (object, name) => rlpString(fixed(object[name], name, ADDRESS_DIGITS));

/** 20 bytes, or nothing: a transaction that makes a contract is to nobody. */
export const addressOrNothing: Encode = (object, name) =>
  isAbsent(object[name]) ? NOTHING : address(object, name);

/** 32 bytes. */
export const hash: Encode = (object, name) => rlpString(fixed(object[name], name, HASH_DIGITS));

/** True or false; what is absent is false. */
export const flag: Encode = (object, name) => {
  const { [name]: value } = object;
  if (value === true) return rlpString('01');
  if (value === false || isAbsent(value)) return NOTHING;
  throw new UnencodableError(name);
};

/** A list of hashes. */
export const hashes: Encode = (object, name) =>
  rlpList(
    listOf(object, name)
      .map((one) => rlpString(fixed(one, name, HASH_DIGITS)))
      .join(''),
  );

/** A list of objects with the same members; one that is not there is empty. */
export function objects(members: readonly EncodedMember[]): Encode {
  return (object, name) =>
    rlpList(
      isAbsent(object[name])
        ? ''
        : listOf(object, name)
            .map((one) => encodeMembers(objectOf(one, name), members))
            .join(''),
    );
}

/** An object. @throws {UnencodableError} for anything else */
export function objectOf(value: unknown, name: string): NodeJson {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnencodableError(name);
  return value as NodeJson;
}

/** A list. @throws {UnencodableError} for anything else */
export function listOf(object: NodeJson, name: string): readonly unknown[] {
  const { [name]: value } = object;
  if (!Array.isArray(value)) throw new UnencodableError(name);
  return value;
}

/** Whether a member is not there; null is as good as absent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Hex digits of bytes, in lower case. */
export function digitsOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || !value.startsWith(DATA_PREFIX) || value.length % 2 !== 0)
    throw new UnencodableError(name);
  return value.slice(DATA_PREFIX.length).toLowerCase();
}

/** A number. @throws {UnencodableError} for anything else */
export function numberOf(object: NodeJson, name: string): bigint {
  const { [name]: value } = object;
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new UnencodableError(name);
  return BigInt(value);
}

function fixed(value: unknown, name: string, length: number): string {
  const digits = digitsOf(value, name);
  if (digits.length !== length) throw new UnencodableError(name);
  return digits;
}
