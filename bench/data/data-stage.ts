import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { CHAIN } from './data-statement.ts';

/** A stage whose one key may ask as often as it can. */
export const DATA_STAGE: StageConfigInput = {
  stage: 'bench',
  chains: [{ chain: CHAIN, name: 'Bench', chainId: 1, default: true, upstreams: ['embedded'] }],
  plans: { wide: { bucketCapacity: 1_000_000_000, refillPerSecond: 300 } },
  defaultPlan: 'wide',
  demo: { creditCu: 1_000_000_000_000 },
  alarms: { enabled: false },
  removal: 'destroy',
};
