import type { StageConfigInput } from '../../../lib/config/stage-config.ts';

/**
 * A local stage of one chain, served by one node, without a chain database: making one is half of a start.
 * @param changes entries in the place of the usual ones
 */
export function nodeStage(url: string, changes: Partial<StageConfigInput> = {}): StageConfigInput {
  return {
    stage: 'local',
    chains: [
      {
        chain: 'example_mainnet',
        name: 'Example Mainnet',
        chainId: 1,
        default: true,
        upstreams: [url],
        privateUpstreams: true,
      },
    ],
    plans: { standard: { bucketCapacity: 1_000_000, refillPerSecond: 300 } },
    defaultPlan: 'standard',
    database: { enabled: false },
    alarms: { enabled: false },
    removal: 'destroy',
    ...changes,
  };
}
