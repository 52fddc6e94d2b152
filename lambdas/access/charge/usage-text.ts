import type { MethodUsage } from '../contract/metering.ts';

/** Most bytes of a usage text of a lane: with it, a lane stays below 1 KB, one write unit. */
export const MAX_USAGE_TEXT_BYTES = 800;
/** Stands for all chains, or for methods that are not counted by name. */
export const ALL = '*';
/** Stands for a method whose name is not one. */
export const OTHER_METHOD = 'other';

const CHAIN = /^([a-z0-9][a-z0-9_-]{0,62}|\*)$/;
const METHOD = /^([A-Za-z0-9_/]{1,48}|\*)$/;
/** Calls and compute units; then cached calls and errors, which are left out where they are 0. */
const COUNTERS = /^\d{1,16}(:\d{1,16}){1,3}$/;

/**
 * What a charge pays for, as one line of text: `example_mainnet eth_call:3:60 eth_getLogs:1:50:0:1`, chains
 * separated by `;`. Never longer than `maxBytes`: the methods that were billed least are summed under `*` until it fits.
 */
export function encodeUsage(usage: readonly MethodUsage[], maxBytes = MAX_USAGE_TEXT_BYTES): string {
  const lines = sumUsage(usage.map(withPlainNames)).sort((one, other) => other.cu - one.cu);
  for (let kept = lines.length; kept > 0; kept -= 1) {
    const text = render(sumUsage([...lines.slice(0, kept), ...asOneLine(lines.slice(kept))]));
    if (text.length <= maxBytes) return text;
  }
  return render(asOneLine(lines));
}

/** Reads a usage text; undefined if it is none. */
export function decodeUsage(text: string): MethodUsage[] | undefined {
  if (text === '') return [];
  const lines = text.split(';').flatMap((group) => {
    const [chain = '', ...entries] = group.split(' ');
    return entries.length === 0 ? [undefined] : entries.map((entry) => parseEntry(chain, entry));
  });
  return lines.every((line) => line !== undefined) ? lines : undefined;
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

function withPlainNames(line: MethodUsage): MethodUsage {
  return {
    ...line,
    chain: CHAIN.test(line.chain) ? line.chain : ALL,
    method: METHOD.test(line.method) ? line.method : OTHER_METHOD,
  };
}

function asOneLine(lines: readonly MethodUsage[]): MethodUsage[] {
  const chains = new Set(lines.map(({ chain }) => chain));
  const [chain = ALL] = chains.size === 1 ? chains : [];
  return sumUsage(lines.map((line) => ({ ...line, chain, method: ALL })));
}

function render(lines: readonly MethodUsage[]): string {
  const groups = Map.groupBy(lines, ({ chain }) => chain);
  return [...groups].map(([chain, group]) => [chain, ...group.map(renderEntry)].join(' ')).join(';');
}

function renderEntry({ method, calls, cu, cached, errors }: MethodUsage): string {
  return `${method}:${calls}:${cu}:${cached}:${errors}`.replace(/(:0){1,2}$/, '');
}

function parseEntry(chain: string, entry: string): MethodUsage | undefined {
  const colon = entry.indexOf(':');
  const [method, counters] = [entry.slice(0, colon), entry.slice(colon + 1)];
  if (!CHAIN.test(chain) || !METHOD.test(method) || !COUNTERS.test(counters)) return undefined;
  const [calls = 0, cu = 0, cached = 0, errors = 0] = counters.split(':').map(Number);
  return { chain, method, calls, cu, cached, errors };
}
