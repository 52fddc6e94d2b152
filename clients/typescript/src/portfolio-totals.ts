/** What a total needs of a balance: amounts in USD are decimal fractions as text. */
export interface ValuedBalance {
  readonly block_number: number;
  readonly value_usd: string | null;
  readonly sellable_usd: string | null;
  readonly possible_spam: boolean;
}

/** What balances of one block come to. Those that may be spam are counted, and nothing of them is in the sums. */
export interface PortfolioTotal {
  /** Block that all these balances are of: none of another age is in the sums. */
  readonly block_number: number;
  /** Exact decimal fraction. */
  readonly value_usd: string;
  /** What the pools behind the prices pay: the total to rely on. */
  readonly sellable_usd: string;
  readonly balances: number;
  /** Balances without a value: no price is known, or nobody could pay it. */
  readonly without_value: number;
  readonly possible_spam: number;
}

/** Sums up the balances of a chain, for each block that some are of. */
export function portfolioTotals(balances: readonly ValuedBalance[]): PortfolioTotal[] {
  const blocks = [...new Set(balances.map(({ block_number }) => block_number))];
  return blocks.map((block_number) => {
    const of = balances.filter((one) => one.block_number === block_number);
    const counted = of.filter(({ possible_spam }) => !possible_spam);
    return {
      block_number,
      value_usd: sumOf(counted.map(({ value_usd }) => value_usd)),
      sellable_usd: sumOf(counted.map(({ sellable_usd }) => sellable_usd)),
      balances: of.length,
      without_value: counted.filter(({ value_usd }) => value_usd === null).length,
      possible_spam: of.length - counted.length,
    };
  });
}

/** Sum of decimal fractions, to the last digit of each. */
function sumOf(fractions: readonly (string | null)[]): string {
  const parts = fractions.map((fraction) => (fraction ?? '0').split('.'));
  const places = Math.max(0, ...parts.map(([, decimals = '']) => decimals.length));
  const sum = parts.reduce(
    (total, [whole = '', decimals = '']) => total + BigInt(whole + decimals.padEnd(places, '0')),
    0n,
  );
  const digits = String(sum).padStart(places + 1, '0');
  const decimals = digits.slice(digits.length - places).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - places);
  return places === 0 || decimals === '' ? whole : `${whole}.${decimals}`;
}
