import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { isAtLength } from '../support/at-length.ts';

/** How functions that serve requests can be hosted: what a client is promised is promised by each. */
const HOSTINGS = ['event', 'instances'] as const;
export type Hosting = (typeof HOSTINGS)[number];
/** Those that this run has a gateway for. */
export const TRIED_HOSTINGS = isAtLength ? HOSTINGS : HOSTINGS.slice(0, 1);

/** Script that an environment's process runs, by the hosting of its function. */
export const ENVIRONMENT_SCRIPTS: Readonly<Record<Hosting, string>> = {
  event: 'functions/bootstrap.ts',
  instances: 'functions/threads.ts',
};

/** A stage whose functions that can be are hosted so. */
export function hosted(stage: StageConfigInput, hosting: Hosting): StageConfigInput {
  if (hosting === 'event') return stage;
  const { rpc, data, mcp } = stage.functions ?? {};
  const environments = { min: 1, max: 4 };
  return {
    ...stage,
    functions: {
      ...stage.functions,
      rpc: { ...rpc, hosting, environments },
      data: { ...data, hosting, environments },
      mcp: { ...mcp, hosting, environments },
    },
  };
}
