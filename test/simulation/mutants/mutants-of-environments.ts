import type { Admission } from '../../../lambdas/access/contract/metering.ts';
import { StoreUnavailableError, type Update } from '../../../lambdas/access/store/store.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import type { SimulatedProcess } from '../actors/simulated-process.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';
import { changeUpdates } from './mutate-store.ts';

/** More than any run holds back: a bound that is none. */
const BOUNDLESS_CU = 1_000_000;

/** Environments that store by the clock at the moment. */
const inRound = new WeakSet<SimulatedProcess>();
/** Those whose credentials have expired once. */
const expired = new WeakSet<SimulatedProcess>();

/** Simplifications of what an environment of many requests does. */
export const environmentMutants: readonly Mutant[] = [
  {
    name: 'clock-stores-nothing',
    hosting: 'instances',
    simplification: 'what is held back waits for the next request, as in an event function',
    meter: (meter) => ({ ...meter, storeAllDue: async () => {} }),
  },
  {
    name: 'clock-adds',
    hosting: 'instances',
    simplification: 'what the clock stores is added to the lane, which has it already',
    ...inRounds((update) => {
      const { total, ...set } = update.set ?? {};
      return { ...update, when: [], set, add: { total: BigInt(total ?? 0) } };
    }),
  },
  {
    name: 'clock-skips-hours',
    seed: 13,
    hosting: 'instances',
    simplification: 'the clock takes a lane for stored whose hour is over',
    meter: (meter, process) => markRounds(meter, process),
    store: (store, process) => ({
      ...passOn(store),
      update: async (update) => {
        const isOver = !update.key.hour_lane?.startsWith(hourOf(process.clock.now()));
        if (!isLane(update) || !inRound.has(process) || !isOver) return store.update(update);
        return { applied: true, item: { ...update.key, ...update.set } };
      },
    }),
  },
  {
    name: 'group-of-environment-without-bound',
    hosting: 'instances',
    simplification: 'an environment holds back what its second brings, however much that is',
    metering: { storeBeforeAnswer: false, groupCommitCu: BOUNDLESS_CU },
  },
  {
    name: 'charge-outlives-request',
    hosting: 'instances',
    simplification: 'a request ends without waiting for its charge, and the next one takes its place',
    meter: (meter) => ({ ...meter, storeDue: async () => {} }),
    handleRequest:
      (handle) =>
      async (...given) => {
        const answer = await handle(...given);
        if (answer?.conclude === undefined) return answer;
        const { conclude } = answer;
        return { ...answer, conclude: async () => void conclude() };
      },
  },
  {
    name: 'one-draw-admits-all',
    hosting: 'instances',
    simplification: 'requests that come while a draw of their key is under way are admitted by it',
    meter: (meter) => {
      const underWay = new Map<string, Promise<Admission>>();
      return {
        ...meter,
        admit: async (holder, price) => {
          const other = await underWay.get(holder.keyId);
          if (other?.admitted === true) return other;
          const own = meter.admit(holder, price).finally(() => underWay.delete(holder.keyId));
          underWay.set(holder.keyId, own);
          return own;
        },
      };
    },
  },
  {
    name: 'credentials-once',
    hosting: 'instances',
    simplification: 'credentials are read when an environment starts, and never again',
    store: (store, process) => ({
      ...passOn(store),
      update: async (update) => {
        if (hasExpired(process)) throw new StoreUnavailableError('expired', false);
        return store.update(update);
      },
    }),
    chargeQueue: (queue, process) => ({
      send: async (lane) => {
        if (hasExpired(process)) throw new Error('expired');
        await queue.send(lane);
      },
    }),
  },
];

function hasExpired(process: SimulatedProcess): boolean {
  if (process.isExpired) expired.add(process);
  return expired.has(process);
}

/** What the clock writes to lanes is changed. */
function inRounds(change: (update: Update) => Update): Pick<Mutant, 'store' | 'meter'> {
  return {
    meter: (meter, process) => markRounds(meter, process),
    store: (store, process) =>
      changeUpdates(store, (update) => (isLane(update) && inRound.has(process) ? change(update) : update)),
  };
}

function markRounds(
  meter: Parameters<NonNullable<Mutant['meter']>>[0],
  process: SimulatedProcess,
): ReturnType<NonNullable<Mutant['meter']>> {
  return {
    ...meter,
    storeAllDue: async () => {
      inRound.add(process);
      try {
        await meter.storeAllDue();
      } finally {
        inRound.delete(process);
      }
    },
  };
}

function isLane({ table }: Update): boolean {
  return table === 'lanes';
}
