import type { MethodUsage } from '../contract/metering.ts';

/** Most bytes of a usage text of a lane: with it, a lane stays below 1 KB, one write unit. */
const MAX_USAGE_TEXT_BYTES = 800;
/** Stands for all chains; before a price, for the methods that were billed it. */
export const ALL = '*';

/** Compute units of a call that was answered from the cache. */
const CACHED_CU = 1;
/** Most that a call can cost to be summed with others. */
const MAX_PRICE = 999_999_999;
const CHAIN = /^([a-z0-9][a-z0-9_-]{0,62}|\*)$/;
/** A method, or a price and `*` before it. */
const METHOD = /^([A-Za-z0-9_/]{1,48}|\*\d{0,9})$/;
/** A method, its calls and compute units; then cached calls and errors, which are left out where they are 0. */
const ENTRY = /^([A-Za-z0-9_/]{1,48}|\*\d{0,9}):(\d{1,16}):(\d{1,16})(?::(\d{1,16})(?::(\d{1,16}))?)?$/;

/**
 * What a charge pays for, as one line of text: `example_mainnet eth_call:3:60 eth_getLogs:1:50:0:1`, chains
 * separated by `;`. So long as it is longer than `maxBytes`, the methods that were billed least are summed by their price: under
 * `*20` of their chain, and where that has no room of all chains. Nothing else is ever summed, as no sum of two prices can be
 * checked; a text of nothing but such sums may be longer.
 */
export function encodeUsage(usage: readonly MethodUsage[], maxBytes = MAX_USAGE_TEXT_BYTES): string {
  const lines = sumUsage(usage.map(withPlainNames)).sort((one, other) => other.cu - one.cu);
  const whole = render(lines);
  if (whole.length <= maxBytes) return whole;
  const withItemised = (count: number, isOfAllChains: boolean) =>
    render(
      sumUsage([...lines.slice(0, count), ...lines.slice(count).map((line) => byPrice(line, isOfAllChains))]),
    );
  const isOfAllChains = withItemised(0, false).length > maxBytes;
  // The more lines are named, the longer a text is as a rule: the last one that fits is looked for by halves.
  let [fits, longer] = [0, lines.length];
  let text = withItemised(fits, isOfAllChains);
  while (longer - fits > 1) {
    const middle = (fits + longer) >> 1;
    const longerText = withItemised(middle, isOfAllChains);
    if (longerText.length > maxBytes) longer = middle;
    else [fits, text] = [middle, longerText];
  }
  return text;
}

/** Reads a usage text; undefined if invalid. */
export function decodeUsage(text: string): MethodUsage[] | undefined {
  const lines: MethodUsage[] = [];
  if (text === '') return lines;
  for (const group of text.split(';')) {
    const [chain = '', ...entries] = group.split(' ');
    if (entries.length === 0 || !CHAIN.test(chain)) return undefined;
    for (const entry of entries) {
      const match = ENTRY.exec(entry);
      if (match === null) return undefined;
      const [, method = '', calls, cu, cached = 0, errors = 0] = match;
      lines.push({
        chain,
        method,
        calls: Number(calls),
        cu: Number(cu),
        cached: Number(cached),
        errors: Number(errors),
      });
    }
  }
  return lines;
}

/** Sum of the compute units. */
export function usageCu(usage: readonly MethodUsage[]): number {
  return usage.reduce((sum, { cu }) => sum + cu, 0);
}

/** Adds a line to the sums by chain and method. */
export function addUsage(sums: Map<string, MethodUsage>, line: MethodUsage): void {
  const { chain, method } = line;
  const key = `${chain} ${method}`;
  const { calls, cu, cached, errors } = sums.get(key) ?? { calls: 0, cu: 0, cached: 0, errors: 0 };
  sums.set(key, {
    chain,
    method,
    calls: calls + line.calls,
    cu: cu + line.cu,
    cached: cached + line.cached,
    errors: errors + line.errors,
  });
}

/** One line for each chain and method, in the order of the first of each. */
export function sumUsage(usage: readonly MethodUsage[]): MethodUsage[] {
  const sums = new Map<string, MethodUsage>();
  for (const line of usage) addUsage(sums, line);
  return [...sums.values()];
}

/** An unknown name stands with its price. */
function withPlainNames(line: MethodUsage): MethodUsage {
  const [hasChain, hasMethod] = [CHAIN.test(line.chain), METHOD.test(line.method)];
  if (hasChain && hasMethod) return line;
  return {
    ...line,
    chain: hasChain ? line.chain : ALL,
    method: hasMethod ? line.method : (priceOf(line) ?? ALL),
  };
}

/** A line as it can be summed with others of its price; the line itself where its calls have not all one price. */
function byPrice(line: MethodUsage, isOfAllChains: boolean): MethodUsage {
  const price = priceOf(line);
  if (price === undefined) return line;
  return { ...line, method: price, ...(isOfAllChains && { chain: ALL }) };
}

/** `*20` where each call that was not cached was billed 20, and each cached one 1; calls that were all cached cost 1 each. */
function priceOf({ calls, cu, cached }: MethodUsage): string | undefined {
  if (calls === cached) return cu === cached ? pricedName(CACHED_CU) : undefined;
  const price = (cu - cached * CACHED_CU) / (calls - cached);
  return calls > cached && Number.isInteger(price) && price >= 0 && price <= MAX_PRICE
    ? pricedName(price)
    : undefined;
}

/** What stands for all methods that cost so many compute units. */
export function pricedName(cu: number): string {
  return ALL + cu;
}

function render(lines: readonly MethodUsage[]): string {
  const groups = Map.groupBy(lines, ({ chain }) => chain);
  return [...groups].map(([chain, group]) => [chain, ...group.map(renderEntry)].join(' ')).join(';');
}

function renderEntry({ method, calls, cu, cached, errors }: MethodUsage): string {
  const billed = `${method}:${calls}:${cu}`;
  if (errors !== 0) return `${billed}:${cached}:${errors}`;
  return cached === 0 ? billed : `${billed}:${cached}`;
}
