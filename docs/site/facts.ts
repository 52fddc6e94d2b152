import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Description, readDescription } from '../../api/read-description.ts';
import type { ChainSettings, PlanLimits } from '../../lambdas/shared/runtime/settings.ts';
import { BASE_URL_PLACEHOLDER } from './serve-file.ts';

const LOCAL_URL = 'http://127.0.0.1:8080';
const DOCS = join(import.meta.dirname, '..');

/** What a stage says that developers may know. */
export interface SiteStage {
  readonly chains: readonly ChainSettings[];
  readonly plans: Readonly<Record<string, PlanLimits>>;
  readonly defaultPlan: string;
  readonly indexing: { readonly enabled: boolean };
}

/** Everything that the pages are made from. */
export interface SiteFacts {
  readonly description: Description;
  /** Public chains only. */
  readonly chains: readonly ChainSettings[];
  /** The chain of the examples: the default one, or where that is not public the one of the description. */
  readonly exampleChain: Pick<ChainSettings, 'chain' | 'chainId'>;
  /** Whether the stage indexes its chains. */
  readonly areIndexed: boolean;
  readonly plans: Readonly<Record<string, PlanLimits>>;
  readonly defaultPlan: string;
}

/** Reads what the pages are made from, beside the tables in the code. */
export function readProductFacts(stage: SiteStage): SiteFacts {
  const description = readDescription();
  const chains = stage.chains.filter((chain) => chain.public);
  return {
    description,
    chains,
    exampleChain: chains.find((chain) => chain.default) ?? describedChain(description),
    areIndexed: stage.indexing.enabled,
    plans: stage.plans,
    defaultPlan: stage.defaultPlan,
  };
}

function describedChain({ components }: Description): SiteFacts['exampleChain'] {
  const example = components.schemas.Chain?.example as { readonly chain: string; readonly chain_id: number };
  return { chain: example.chain, chainId: example.chain_id };
}

/** A page of `docs/`, whose addresses are those of a local run. */
export function readDocsPage(name: string): string {
  return readFileSync(join(DOCS, name), 'utf8').replaceAll(LOCAL_URL, BASE_URL_PLACEHOLDER);
}
