import { type Hex, stringToHex } from 'viem';

/** A stock token as its factory deploys it. */
interface StockListing {
  readonly uid: Hex;
  readonly name: string;
  readonly symbol: string;
  /** 18 decimals. */
  readonly initialMultiplier: bigint;
}

/** One that splits, and one whose multiplier grows with dividends and is not 1 from the start. */
export const STOCKS: readonly [StockListing, StockListing] = [
  {
    uid: stringToHex('demo:ACRN', { size: 32 }),
    name: 'Acorn Industries',
    symbol: 'ACRN',
    initialMultiplier: 1_000_000_000_000_000_000n,
  },
  {
    uid: stringToHex('demo:BRCH', { size: 32 }),
    name: 'Birch Energy',
    symbol: 'BRCH',
    initialMultiplier: 1_000_957_500_000_000_000n,
  },
];
