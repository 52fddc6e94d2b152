import type { Context } from '../../bin/operator/context/command.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';

/** What the operator CLI has of a gateway that indexes nothing. */
export const BARE_CONTEXT: Context = {
  store: new MemoryStore(),
  clock: systemClock,
  plans: ['standard'],
  shards: { standard: 1 },
  defaultPlan: 'standard',
};
