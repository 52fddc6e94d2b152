import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { DexSettings, PriceFeedSettings, QuoteSettings } from '../../shared/runtime/settings.ts';
import { type Decimal, parseDecimal, shift } from './decimal.ts';

/** Stands for the native token in pools of V4. */
export const NATIVE: Hex = '0x0000000000000000000000000000000000000000';

/** The tokens that others are priced in. */
export interface Quotes {
  /** USD for one raw unit of each stable token. */
  readonly pegs: ReadonlyMap<Hex, Decimal>;
  /** The native token in each of its forms. */
  readonly natives: ReadonlySet<Hex>;
  /** Oracles of tokens. */
  readonly feeds: readonly PriceFeedSettings[];
  /** Factories whose pools price anything. */
  readonly exchanges: readonly DexSettings[];
}

/** What a stage file says of quotes, exchanges and oracles; without quotes or exchanges nothing has a price. */
export function toQuotes(
  settings: QuoteSettings | undefined,
  feeds: readonly PriceFeedSettings[] = [],
  exchanges: readonly DexSettings[] = [],
): Quotes {
  if (settings === undefined) return { pegs: new Map(), natives: new Set(), feeds, exchanges };
  const pegs = settings.stables.map(
    ({ token, decimals, usd }) => [address(token), shift(parseDecimal(usd), -decimals)] as const,
  );
  const wrapped = settings.wrappedNative;
  const natives = wrapped === undefined ? [] : [address(wrapped), NATIVE];
  return { pegs: new Map(pegs), natives: new Set(natives), feeds, exchanges };
}

/** Whether others are priced in a token. */
export function isQuote({ pegs, natives }: Quotes, token: Hex): boolean {
  return pegs.has(token) || natives.has(token);
}

function address(text: string): Hex {
  return text.toLowerCase() as Hex;
}
