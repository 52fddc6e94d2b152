import { keccak_256 } from '@noble/hashes/sha3';
import type { Hex, RawLog } from '../../chain-data/decode/raw-block.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';

const BLOOM_BYTES = 256;
/** Bits that each address and topic sets, and the bytes of its hash that choose one. */
const CHOICES = [0, 2, 4] as const;
const MAX_BIT = 2_047;
/** Addresses and topics whose bits are remembered: most logs have the same few. */
const MAX_REMEMBERED = 50_000;

/** The bloom of logs, as their receipt has it. */
export function createBloomer(): (logs: readonly RawLog[]) => Hex {
  const remembered = new Map<Hex, readonly number[]>();
  const bitsOf = (item: Hex): readonly number[] => {
    const known = remembered.get(item);
    if (known !== undefined) return known;
    const hash = keccak_256(Buffer.from(hexDigits(item), 'hex'));
    const bits = CHOICES.map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & MAX_BIT);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(item, bits);
    return bits;
  };
  return (logs) => {
    const bloom = Buffer.alloc(BLOOM_BYTES);
    for (const { address, topics } of logs) {
      for (const item of [address, ...topics]) {
        for (const bit of bitsOf(item)) {
          const at = BLOOM_BYTES - 1 - (bit >> 3);
          bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
        }
      }
    }
    return `0x${bloom.toString('hex')}`;
  };
}
