import { priceOf } from '../../bin/prices/unit-prices.ts';
import type { Provider } from './prices.ts';
import { type KindName, type Mix, REQUEST_KINDS } from './request-kinds.ts';

const PERCENT = 100;
const MILLION = 1e6;

/** A provider's price for the JSON-RPC requests of a month. */
export interface ProviderCost {
  readonly name: string;
  readonly plan: string;
  readonly unit: string;
  /** The provider's own units in a month. */
  readonly units: number;
  readonly usd: number;
  readonly usdPerMillionRequests: number;
}

/** Calls by method in so many requests of a mix. A provider bills none for refused requests. */
export function callsOf(mix: Mix, requests: number): Record<string, number> {
  const calls: Record<string, number> = {};
  for (const [kind, share] of Object.entries(mix) as [KindName, number][]) {
    for (const method of REQUEST_KINDS[kind].methods) {
      calls[method] = (calls[method] ?? 0) + (requests * share) / PERCENT;
    }
  }
  return calls;
}

/** Prices the requests of a month on the provider's cheapest plan. */
export function costAt(provider: Provider, mix: Mix, requests: number): ProviderCost {
  const units = Object.entries(callsOf(mix, requests)).reduce(
    (sum, [method, count]) => sum + count * unitsOf(provider, method),
    0,
  );
  const [cheapest] = provider.plans
    .map(({ name, monthlyUsd, includedUnits, tiers }) => {
      const perMillion = tiers.map(([upTo, usd]) => [upTo, usd / MILLION] as const);
      return { name, usd: monthlyUsd + priceOf(Math.max(0, units - includedUnits), perMillion) };
    })
    .sort((one, other) => one.usd - other.usd);
  if (cheapest === undefined) throw new Error(`${provider.name} has no plan`);
  return {
    name: provider.name,
    plan: cheapest.name,
    unit: provider.unit,
    units,
    usd: cheapest.usd,
    usdPerMillionRequests: requests === 0 ? 0 : (cheapest.usd / requests) * MILLION,
  };
}

/** Units of a call: of its method, else of the longest pattern, else the default. */
export function unitsOf({ units }: Pick<Provider, 'units'>, method: string): number {
  const exact = units[method];
  if (exact !== undefined) return exact;
  const [pattern] = Object.keys(units)
    .filter((name) => name.endsWith('*') && method.startsWith(name.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return units[pattern ?? 'default'] ?? 0;
}
