import type { DecodeOptions } from '../decode/decode-logs.ts';

/** The dataset whose rows are derived again where the rule for them has changed. */
export const DERIVED_DATASET = 'erc20_transfers';
/** To be raised whenever a log becomes another transfer of ERC-20 than before, or none. */
const VERSION = 2;

/** What the transfers of ERC-20 depend on beside the logs, as one text: rows of equal rules are equal. */
export function transferRule({ wrappedNative }: DecodeOptions): string {
  return `${VERSION} wrapped ${[...wrappedNative].sort().join(' ')}`.trim();
}
