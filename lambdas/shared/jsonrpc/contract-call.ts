const HEX_RADIX = 16;
const WORD_DIGITS = 64;

/** Gas of a question to a contract: one that loops keeps no node busy, and one that wants more to say what it says has said nothing. */
export const CALL_GAS = '0x1e8480';
/** `ownerOf(uint256)` of ERC-721. */
export const OWNER_OF = '0x6352211e';

/** A number as a word of call data: 64 hexadecimal digits, without 0x. */
export function callWord(value: bigint): string {
  return value.toString(HEX_RADIX).padStart(WORD_DIGITS, '0');
}
