import type { Context } from '../../bin/operator/context/command.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MemoryObjects } from '../support/memory/objects.ts';

const unopened = () => Promise.reject(new Error('this test opens no such part of the gateway'));

/** What the operator CLI has of a gateway that indexes nothing, and of which nothing is sealed. */
export const BARE_CONTEXT: Context = {
  store: new MemoryStore(),
  clock: systemClock,
  plans: ['standard'],
  shards: { standard: 1 },
  defaultPlan: 'standard',
  groupCommitCu: 0,
  cache: {
    chains: [],
    store: { read: async () => [], write: async () => undefined },
    texts: { read: async () => undefined, write: async () => false },
  },
  refusals: { read: async () => ({ counts: {} }) },
  openBucket: async () => new MemoryObjects(),
  openSigner: unopened,
  writeIssuer: unopened,
  openTables: unopened,
};
