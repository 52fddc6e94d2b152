import { decodeCharge, encodeCharge } from '../../lambdas/access/charge-message.ts';
import type { Charge } from '../../lambdas/access/charge-update.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import { LANE_PREFIX } from '../../lambdas/access/observed-account.ts';
import type { Update } from '../../lambdas/access/store.ts';
import type { Mutant } from './mutant.ts';
import { changeUpdates, withoutAttributes, withoutTests } from './mutate-store.ts';

const FRESH_LANE = 'fresh-lane-';
const LANE_BYTES = 8;

/** Simplifications of the charge and of its way through the queue. */
export const chargeMutants: readonly Mutant[] = [
  {
    name: 'unfenced-add',
    simplification: 'compute units are added without a lane',
    store: (store) =>
      changeUpdates(store, (update) =>
        isCharge(update)
          ? {
              ...update,
              when: withoutTests(update.when, ({ attribute }) => isLane(attribute)),
              set: withoutAttributes(update.set, isLane),
            }
          : update,
      ),
  },
  {
    name: 'fence-unread',
    simplification: 'the lane is written and not tested',
    store: (store) =>
      changeUpdates(store, (update) =>
        isCharge(update)
          ? { ...update, when: withoutTests(update.when, ({ attribute }) => isLane(attribute)) }
          : update,
      ),
  },
  {
    name: 'sequence-per-attempt',
    simplification: 'each attempt of a charge takes the next sequence number',
    store: (store) => {
      let attempts = 0n;
      return changeUpdates(store, (update) => {
        if (!isCharge(update)) return update;
        attempts += 1n;
        const lane = Object.keys(update.set ?? {}).find(isLane) ?? '';
        const seq = BigInt(update.set?.[lane] ?? 0) + attempts;
        const when = withoutTests(update.when, ({ attribute }) => attribute === lane);
        const fence = [
          { is: 'absent', attribute: lane },
          { is: '<', attribute: lane, value: seq },
        ] as const;
        return { ...update, when: [...when, fence], set: { ...update.set, [lane]: seq } };
      });
    },
  },
  {
    name: 'shared-lane',
    simplification: 'all charges of a process use one lane',
    randomBytes: (randomBytes) => {
      const lane = randomBytes(LANE_BYTES);
      return () => lane;
    },
  },
  {
    name: 'lane-by-name',
    simplification: 'lanes are numbered, so a process that is started again uses those of its last life',
    randomBytes: () => {
      let lanes = 0;
      return (count) => {
        lanes += 1;
        return new Uint8Array(count).fill(lanes);
      };
    },
  },
  retiredLaneReused(),
  {
    name: 'queue-forgotten',
    simplification: 'a charge that is not certain is left as it is',
    chargeQueue: () => ({ send: async () => {} }),
  },
  {
    name: 'queue-with-fresh-lane',
    simplification: 'a charge that is not certain is queued as a new one',
    chargeQueue: (queue) => {
      let lanes = 0;
      return {
        send: (charge) => {
          lanes += 1;
          return queue.send({ ...charge, lane: FRESH_LANE.slice(0, 11 - String(lanes).length) + lanes });
        },
      };
    },
  },
  {
    name: 'queue-with-fresh-hour',
    simplification: 'a queued charge belongs to the hour in which it is applied',
    applyCharges: (apply, process) => (store, messages) =>
      apply(
        store,
        messages.map((message) => changeCharge(message, { hour: hourOf(process.clock.now()) })),
      ),
  },
  {
    name: 'consumer-deletes-all',
    simplification: 'the consumer of the queue deletes what the store did not take',
    applyCharges: (apply) => async (store, messages) => {
      await apply(store, messages);
      return { batchItemFailures: [] };
    },
  },
  {
    name: 'charge-on-arrival',
    simplification: 'a request is charged before the node has answered',
    handleRequest:
      (handle) =>
      (request, meter, ...rest) => {
        const early: typeof meter = {
          admit: async (holder, price) => {
            const admission = await meter.admit(holder, price);
            const { chain } = request.chain.settings;
            const usage = [{ chain, method: '*', ...price, cached: 0, errors: 0 }];
            if (admission.admitted) await meter.charge(holder, price.cu, usage);
            return admission;
          },
          charge: async () => ({ state: 'queued' }),
        };
        return handle(request, early, ...rest);
      },
  },
  {
    name: 'charge-full-price',
    simplification: 'a request of which the node answered some calls is charged for all of them',
    handleRequest:
      (handle) =>
      (request, meter, ...rest) => {
        let price = 0;
        const full: typeof meter = {
          admit: (holder, admitted) => {
            price = admitted.cu;
            return meter.admit(holder, admitted);
          },
          charge: (holder, _cu, usage) =>
            meter.charge(
              holder,
              price,
              usage.map((line, place) => ({ ...line, cu: place === 0 ? price : 0 })),
            ),
        };
        return handle(request, full, ...rest);
      },
  },
  {
    name: 'index-by-settlement',
    simplification: 'a charge does not put the account into the index of pending accounts',
    store: (store) =>
      changeUpdates(store, (update) => (isCharge(update) ? { ...update, setIfAbsent: {} } : update)),
  },
];

/** A lane whose last charge is not certain is given out again. */
function retiredLaneReused(): Mutant {
  const retired = new Map<object, string[]>();
  const lanesOf = (process: object) => {
    const lanes = retired.get(process) ?? [];
    retired.set(process, lanes);
    return lanes;
  };
  return {
    name: 'retired-lane-reused',
    simplification: 'a lane whose charge did not become certain is used again',
    chargeQueue: (queue, process) => ({
      send: (charge) => {
        lanesOf(process).push(charge.lane);
        return queue.send(charge);
      },
    }),
    randomBytes: (randomBytes, process) => (count) => {
      const lane = lanesOf(process).pop();
      return lane === undefined ? randomBytes(count) : Buffer.from(lane, 'base64url');
    },
  };
}

function isCharge({ table, add }: Update): boolean {
  return table === 'accounts' && add?.charged !== undefined;
}

function isLane(attribute: string): boolean {
  return attribute.startsWith(LANE_PREFIX);
}

function changeCharge<T extends { readonly body: string }>(message: T, change: Partial<Charge>): T {
  const charge = decodeCharge(message.body);
  return charge === undefined ? message : { ...message, body: encodeCharge({ ...charge, ...change }) };
}
