import { isIPv4, isIPv6 } from 'node:net';

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const MAPPED_PREFIX_BITS = IPV6_BITS - IPV4_BITS;
/** `::ffff:0:0/96`: IPv4 addresses as IPv6 writes them. */
const MAPPED_PREFIX = 0xffffn;
/** How much of an address is shown. */
const SHOWN_IPV4_BITS = 24;
const SHOWN_IPV6_BITS = 48;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** A block of addresses: those that agree in their first `length` bits. */
export interface Network {
  readonly bits: typeof IPV4_BITS | typeof IPV6_BITS;
  /** The first address. */
  readonly first: bigint;
  readonly length: number;
}

/** Reads a CIDR block, or one address. IPv4-mapped IPv6 is IPv4. Undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIPv4(address) ? IPV4_BITS : IPV6_BITS;
  const length = prefix === undefined ? String(bits) : prefix;
  if (rest.length > 0 || !PREFIX_LENGTH.test(length) || Number(length) > bits) return undefined;
  const value = addressValue(address);
  return value === undefined ? undefined : unmapped({ bits, first: value, length: Number(length) });
}

/** Whether an address is in one of the blocks; one that cannot be read is in none. */
export function isInNetworks(networks: readonly Network[], address: string): boolean {
  const of = address.includes('/') ? undefined : parseNetwork(address);
  if (of === undefined) return false;
  return networks.some(
    ({ bits, first, length }) =>
      bits === of.bits && prefixOf(first, bits, length) === prefixOf(of.first, bits, length),
  );
}

/** The block of an address that tells a network, and no person: of IPv4 /24, of IPv6 /48. Undefined for anything else. */
export function blockAround(address: string): string | undefined {
  const of = address.includes('/') ? undefined : parseNetwork(address);
  if (of === undefined) return undefined;
  const length = of.bits === IPV4_BITS ? SHOWN_IPV4_BITS : SHOWN_IPV6_BITS;
  const rest = BigInt(of.bits - length);
  return renderNetwork({ bits: of.bits, first: (of.first >> rest) << rest, length });
}

/** Whether a block begins where it says: the bits behind its prefix are zero. */
export function isAligned({ bits, first, length }: Network): boolean {
  return prefixOf(first, bits, length) << BigInt(bits - length) === first;
}

/** `192.0.2.0/24`, `2001:db8:0:0:0:0:0:0/32`: the same text for the same block. */
export function renderNetwork({ bits, first, length }: Network): string {
  const isV4 = bits === IPV4_BITS;
  const groupBits = isV4 ? 8 : 16;
  const groups = Array.from({ length: bits / groupBits }, (_, place) => {
    const group = (first >> BigInt(bits - (place + 1) * groupBits)) & ((1n << BigInt(groupBits)) - 1n);
    return group.toString(isV4 ? 10 : 16);
  });
  return `${groups.join(isV4 ? '.' : ':')}/${length}`;
}

function unmapped(network: Network): Network {
  const { bits, first, length } = network;
  const isMapped =
    bits === IPV6_BITS && length >= MAPPED_PREFIX_BITS && first >> BigInt(IPV4_BITS) === MAPPED_PREFIX;
  if (!isMapped) return network;
  const mask = (1n << BigInt(IPV4_BITS)) - 1n;
  return { bits: IPV4_BITS, first: first & mask, length: length - MAPPED_PREFIX_BITS };
}

function prefixOf(value: bigint, bits: number, length: number): bigint {
  return value >> BigInt(bits - length);
}

/** Undefined unless the text is an address, without a zone. */
function addressValue(address: string): bigint | undefined {
  if (isIPv4(address)) return groupsValue(address.split('.'), 8, 10);
  if (!isIPv6(address) || address.includes('%')) return undefined;
  const [head = '', tail] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return groupsValue([...before, ...zeros, ...after], 16, 16);
}

/** Groups of a part of an IPv6 address, whose end may be written as IPv4. */
function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [group];
    const value = groupsValue(group.split('.'), 8, 10);
    return [(value >> 16n).toString(16), (value & 0xffffn).toString(16)];
  });
}

function groupsValue(groups: readonly string[], groupBits: number, radix: 10 | 16): bigint {
  return groups.reduce(
    (value, group) => (value << BigInt(groupBits)) | BigInt(Number.parseInt(group, radix)),
    0n,
  );
}
