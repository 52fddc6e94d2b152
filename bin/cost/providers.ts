import { priceOf, type Tier } from '../prices/unit-prices.ts';
import providerFile from './provider-prices.json' with { type: 'json' };
import { type KindName, type Mix, REQUEST_KINDS } from './request-kinds.ts';

const PERCENT = 100;
const MILLION = 1e6;

/** A provider of JSON-RPC, and what its calls cost. */
interface Provider {
  readonly name: string;
  readonly unit: string;
  /** Units of a call by method, by pattern that ends in `*`, and by `default`. */
  readonly units: Readonly<Record<string, number>>;
  /** What a plan includes, and what more costs by the million. */
  readonly plans: readonly {
    readonly name: string;
    readonly monthlyUsd: number;
    readonly includedUnits: number;
    readonly tiers: readonly Tier[];
  }[];
  readonly sources: readonly string[];
  readonly date: string;
  readonly seen?: string;
  /** Assumptions behind the price; empty if there are none. */
  readonly assumed: string;
}

export const PROVIDERS = providerFile.providers as unknown as readonly Provider[];

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

/** Prices the requests of a month on the provider's cheapest plan. A provider bills no call of refused requests. */
export function costAt(provider: Provider, mix: Mix, requests: number): ProviderCost {
  const units = (Object.entries(mix) as [KindName, number][]).reduce((sum, [kind, share]) => {
    const ofRequest = REQUEST_KINDS[kind].methods.reduce((all, method) => all + unitsOf(provider, method), 0);
    return sum + (requests * share * ofRequest) / PERCENT;
  }, 0);
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
function unitsOf({ units }: Pick<Provider, 'units'>, method: string): number {
  const exact = units[method];
  if (exact !== undefined) return exact;
  const [pattern] = Object.keys(units)
    .filter((name) => name.endsWith('*') && method.startsWith(name.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return units[pattern ?? 'default'] ?? 0;
}
