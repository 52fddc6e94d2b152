import type { Tier } from '../../bin/prices/unit-prices.ts';
import providerFile from './provider-prices.json' with { type: 'json' };

/** A plan of a provider: what it includes, and what more costs by the million. */
interface ProviderPlan {
  readonly name: string;
  readonly monthlyUsd: number;
  readonly includedUnits: number;
  readonly tiers: readonly Tier[];
}

export interface Provider {
  readonly name: string;
  readonly unit: string;
  /** Units of a call by method, by pattern that ends in `*`, and by `default`. */
  readonly units: Readonly<Record<string, number>>;
  readonly plans: readonly ProviderPlan[];
  readonly sources: readonly string[];
  readonly date: string;
  readonly seen?: string;
  /** Assumptions behind the price; empty if there are none. */
  readonly assumed: string;
}

export const PROVIDERS = providerFile.providers as unknown as readonly Provider[];
