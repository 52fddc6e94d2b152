import { type LaneTotal, laneUpdate } from '../../../lambdas/access/charge/lane.ts';
import { decodeLane, encodeLane } from '../../../lambdas/access/charge/lane-message.ts';
import type { Store, Update } from '../../../lambdas/access/store/store.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import type { SimulatedProcess } from '../actors/simulated-process.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';
import { changeUpdates } from './mutate-store.ts';

/** More than any run holds back: a bound that is none. */
const BOUNDLESS_CU = 1_000_000;
const LANE_BYTES = 8;

/** Simplifications of the charge and of its way through the queue. */
export const chargeMutants: readonly Mutant[] = [
  {
    name: 'total-unconditional',
    simplification: 'the total of a lane is written whatever it is by now',
    store: onLanes((update) => ({ ...update, when: [] })),
  },
  {
    name: 'increments',
    simplification: 'a lane is added to instead of set to its total',
    store: (store) => {
      const sent = new Map<string, bigint>();
      return changeUpdates(store, (update) => {
        if (!isLane(update)) return update;
        const name = String(update.key.hour_lane) + update.key.account_shard;
        const total = BigInt(update.set?.total ?? 0);
        const increment = total - (sent.get(name) ?? 0n);
        sent.set(name, total);
        const { total: _, ...set } = update.set ?? {};
        return { ...update, when: [], set, add: { total: increment } };
      });
    },
  },
  {
    name: 'usage-of-one-charge',
    simplification: 'the usage text of a lane is that of the last charge',
    store: onLanes((update) => ({ ...update, set: { ...update.set, used: 'c0 eth_call:1:20' } })),
  },
  {
    name: 'writes-counted',
    simplification: 'a lane has the number of its writes, not that of its charges',
    store: (store) => {
      const writes = new Map<string, bigint>();
      return changeUpdates(store, (update) => {
        if (!isLane(update)) return update;
        const name = String(update.key.hour_lane);
        const n = (writes.get(name) ?? 0n) + 1n;
        writes.set(name, n);
        return { ...update, set: { ...update.set, n } };
      });
    },
  },
  {
    name: 'shared-lane',
    simplification: 'lanes are numbered, so that two processes share one',
    randomBytes: () => (count) => new Uint8Array(count).fill(7),
  },
  {
    name: 'no-mark',
    simplification: 'a lane is stored, and its hour is not put on the work list',
    store: (store) => onMarks(store, async () => undefined),
  },
  {
    name: 'mark-once',
    seed: 12,
    simplification: 'an hour is put on the work list once by each process, however late its lanes are',
    store: (store) => {
      const marked = new Set<string>();
      return onMarks(store, async (entry, put) => {
        if (marked.has(entry)) return;
        await put();
        marked.add(entry);
      });
    },
  },
  {
    name: 'queue-forgotten',
    simplification: 'what the store did not take is left as it is',
    chargeQueue: () => ({ send: async () => {} }),
  },
  {
    name: 'queue-with-increment',
    simplification:
      'the message in the queue says what was charged since the last one, and the consumer adds it',
    ...increments(),
  },
  {
    name: 'queue-with-fresh-lane',
    simplification: 'the consumer of the queue stores what it gets on a lane of its own',
    storeLanes: (consume, process) => (storing, messages) =>
      consume(
        storing,
        messages.map((message) => changeLane(message, { lane: laneOf(process) })),
      ),
  },
  {
    name: 'queue-with-fresh-hour',
    simplification: 'what comes through the queue belongs to the hour in which it is stored',
    storeLanes: (consume, process) => (storing, messages) =>
      consume(
        storing,
        messages.map((message) => changeLane(message, { hour: hourOf(process.clock.now()) })),
      ),
  },
  {
    name: 'consumer-deletes-all',
    simplification: 'the consumer of the queue deletes what the store did not take',
    storeLanes: (consume) => async (storing, messages) => {
      await consume(storing, messages);
      return { batchItemFailures: [] };
    },
  },
  {
    name: 'nothing-kept-in-memory',
    seed: 7,
    simplification: 'a charge that neither store nor queue took is forgotten, not stored with the next one',
    meter: (meter) => {
      let isFailing = false;
      return {
        ...meter,
        charge: (holder, cu, usage) => {
          const { lane, store } = meter.charge(holder, cu, usage);
          const storeOrForget = async () => {
            const outcome = await store();
            isFailing = outcome === 'unstored';
            return outcome;
          };
          return { lane, store: storeOrForget };
        },
        storeDue: async () => (isFailing ? undefined : meter.storeDue()),
        handOver: async () => {},
      };
    },
  },
  {
    name: 'handed-over-nothing',
    seed: 4,
    simplification: 'a process that is told to end does not hand over what it holds',
    meter: (meter) => ({ ...meter, handOver: async () => {} }),
  },
  {
    name: 'group-without-bound',
    simplification: 'a busy lane waits for the next second, however much it holds',
    metering: { storeBeforeAnswer: false, groupCommitCu: BOUNDLESS_CU },
  },
  {
    name: 'stored-before-it-is',
    simplification: 'a charge counts as stored once it was sent',
    store: (store) => ({
      ...passOn(store),
      update: async (update) => {
        if (!isLane(update)) return store.update(update);
        store.update(update).catch(() => {});
        return { applied: true, item: { ...update.key, ...update.set } };
      },
    }),
  },
  {
    name: 'charge-on-arrival',
    simplification: 'a request is charged before the node has answered',
    handleRequest:
      (handle) =>
      (request, meter, ...rest) =>
        handle(
          request,
          {
            ...meter,
            admit: async (holder, price) => {
              const admission = await meter.admit(holder, price);
              const { chain } = request.chain.settings;
              const usage = [{ chain, method: '*', calls: 1, ...price, cached: 0, errors: 0 }];
              if (admission.admitted) await meter.charge(holder, price.cu, usage).store();
              return admission;
            },
            charge: () => ({ lane: undefined, store: async () => 'stored' }),
          },
          ...rest,
        ),
  },
  {
    name: 'charge-full-price',
    simplification: 'a request of which the node answered some calls is charged for all of them',
    handleRequest:
      (handle) =>
      (request, meter, ...rest) => {
        let price = 0;
        const full: typeof meter = {
          ...meter,
          admit: (holder, admitted) => {
            price = admitted.cu;
            return meter.admit(holder, admitted);
          },
          charge: (holder, _cu, usage) =>
            meter.charge(
              holder,
              price,
              usage.slice(0, 1).map((line) => ({ ...line, cu: price })),
            ),
        };
        return handle(request, full, ...rest);
      },
  },
  {
    name: 'expected-is-admitted',
    simplification: 'a request that is expected to be admitted is answered without being admitted',
    handleRequest:
      (handle) =>
      (request, meter, ...rest) =>
        handle(
          request,
          {
            ...meter,
            admit: async (holder, price) => {
              const isExpected = meter.expectsAdmission(holder, price);
              const admission = await meter.admit(holder, price);
              if (admission.admitted || !isExpected || !('limits' in admission.refusal)) return admission;
              await meter.charge(holder, price.cu, [{ ...USAGE, cu: price.cu }]).store();
              return { admitted: true, balanceCu: 0n, limits: admission.refusal.limits };
            },
          },
          ...rest,
        ),
  },
];

const USAGE = { chain: 'c', method: 'eth_call', calls: 1, cached: 0, errors: 0 };

/** The two ends of a queue that carries increments. */
function increments(): Pick<Mutant, 'chargeQueue' | 'storeLanes'> {
  return {
    chargeQueue: (queue) => {
      const sent = new Map<string, bigint>();
      return {
        send: async (lane) => {
          const name = lane.account + lane.hour;
          const total = lane.total - (sent.get(name) ?? 0n);
          if (total <= 0n) return;
          await queue.send({ ...lane, total, used: `c m:1:${total}` });
          sent.set(name, lane.total);
        },
      };
    },
    storeLanes: (consume) => async (storing, messages) => {
      const adding = changeUpdates(storing.store, (update) => {
        if (!isLane(update)) return update;
        const { total, ...set } = update.set ?? {};
        return { ...update, when: [], set, add: { total: BigInt(total ?? 0) } };
      });
      return consume({ ...storing, store: adding }, messages);
    },
  };
}

function onLanes(change: (update: Update) => Update): NonNullable<Mutant['store']> {
  return (store) => changeUpdates(store, (update) => (isLane(update) ? change(update) : update));
}

/** A store whose puts of the work list go another way. */
function onMarks(store: Store, way: (entry: string, put: () => Promise<unknown>) => Promise<unknown>): Store {
  return {
    ...passOn(store),
    put: async (put) => {
      if (put.table !== 'unsettled') return store.put(put);
      await way(String(put.item.entry), () => store.put(put));
      return { applied: true, item: put.item };
    },
  };
}

function isLane({ table }: Update): boolean {
  return (
    table ===
    laneUpdate({ account: '', shard: 0, hour: '2026-11-20T23', lane: '', charges: 1, total: 1n, used: '' })
      .table
  );
}

/** A lane that belongs to the consumer. */
function laneOf({ clock }: SimulatedProcess): string {
  return Buffer.alloc(LANE_BYTES, String(clock.now())).toString('base64url');
}

function changeLane<T extends { readonly body: string }>(message: T, change: Partial<LaneTotal>): T {
  const lane = decodeLane(message.body);
  return lane === undefined ? message : { ...message, body: encodeLane({ ...lane, ...change }) };
}
