import priceFile from './unit-prices.json' with { type: 'json' };

/** Upper end of a tier as a quantity a month (null: none), and the price of a unit in it. */
export type Tier = readonly [upTo: number | null, price: number];

/** Price of one unit, and its source. */
interface UnitPrice {
  readonly unit: string;
  readonly tiers: readonly Tier[];
  readonly source: string;
  readonly date: string;
  /** Where the figure was read, if that is not the source itself. */
  readonly seen?: string;
  /** Whether the figure is one that was not read again on any page. */
  readonly unconfirmed?: boolean;
}

export type PriceName = keyof typeof priceFile.prices;

/** Prices of AWS in one region, in USD. */
export const UNIT_PRICES = priceFile.prices as unknown as Readonly<Record<PriceName, UnitPrice>>;
export const PRICE_REGION = priceFile.region;

/** Price of a quantity whose parts fall into tiers, in the currency of the tiers. */
export function priceOf(quantity: number, tiers: readonly Tier[]): number {
  let sum = 0;
  let from = 0;
  for (const [upTo, price] of tiers) {
    const to = Math.min(quantity, upTo ?? Number.POSITIVE_INFINITY);
    if (to <= from) break;
    sum += (to - from) * price;
    from = to;
  }
  return sum;
}
