import { CfnParameter } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { embeddedUpstreamVariable } from '../../lambdas/shared/runtime/environment.ts';
import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import { hasEmbeddedUpstream } from '../config/upstream-reference.ts';

/**
 * Logical id of the stack parameter with the URL of a chain's embedded node. It has no default: a stage with an
 * embedded upstream runs on one machine, whose runner supplies it.
 */
export function embeddedUpstreamParameter(chain: string): string {
  return `EmbeddedUpstream${chain.replace(/[^a-z0-9]/g, 'X')}`;
}

/** Names of the chains of which at least one upstream is the embedded node. */
export function embeddedChains(chains: readonly ChainSettings[]): string[] {
  return chains.filter(hasEmbeddedUpstream).map(({ chain }) => chain);
}

interface EmbeddedUpstreamsProps {
  readonly chains: readonly ChainSettings[];
}

/** A parameter for each chain with an embedded node, and the environment that tells the functions its value. */
export class EmbeddedUpstreams extends Construct {
  readonly #variables: ReadonlyMap<string, readonly [name: string, value: string]>;

  constructor(scope: Construct, id: string, { chains }: EmbeddedUpstreamsProps) {
    super(scope, id);
    const variables = embeddedChains(chains).map((chain) => {
      const parameter = new CfnParameter(this, chain, {
        type: 'String',
        description: `URL of the embedded node of ${chain}`,
        allowedPattern: 'https?://.+',
      });
      parameter.overrideLogicalId(embeddedUpstreamParameter(chain));
      return [chain, [embeddedUpstreamVariable(chain), parameter.valueAsString]] as const;
    });
    this.#variables = new Map(variables);
  }

  /** Environment of a function that asks the nodes of these chains. */
  environmentOf(chains: readonly ChainSettings[]): Readonly<Record<string, string>> {
    const variables = chains.map(({ chain }) => this.#variables.get(chain));
    return Object.fromEntries(variables.filter((variable) => variable !== undefined));
  }
}
