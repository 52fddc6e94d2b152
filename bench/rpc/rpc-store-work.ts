import type { KeyHolder, Meter, MethodUsage } from '../../lambdas/access/contract/metering.ts';
import { inParallel } from '../../lambdas/shared/runtime/in-parallel.ts';
import type { ConsumedUnits } from '../../test/emulators/consumed-units.ts';
import type { Figure } from '../figures.ts';
import { WIDE_PLAN } from '../stage.ts';
import {
  DEEP_PLAN,
  EACH_STORED,
  GROUPS,
  GROUPS_AHEAD,
  type MeteringMode,
  NARROW_CAPACITY_CU,
  NARROW_PLAN,
  type Stage,
} from './rpc-stage.ts';

/** Requests that a figure is the average of. */
const REQUESTS = 50;
/** Instances that serve one key at once. */
const INSTANCES = 16;
/** Instances that charge one account in one hour, one after the other. */
const CHARGING_INSTANCES = [1, 100, 1_000];
/** Instances whose charges are under way at once. */
const CHARGING_AT_ONCE = 20;
/** Charges of the last instance that a figure is the average of: its first one marks the hour too. */
const CHARGES = 5;
/** Pace of a key on an instance at which groups and draws ahead are judged: ten requests a second, for ten seconds. */
const PACED_REQUESTS = 100;
const PACE_MS = 100;
/** Most writes of a request at that pace. */
const PACED: readonly { readonly mode: MeteringMode; readonly mostWrites: number }[] = [
  { mode: EACH_STORED, mostWrites: 2 },
  { mode: GROUPS, mostWrites: 1.2 },
  { mode: GROUPS_AHEAD, mostWrites: 0.4 },
];
/** More than a key could be admitted of any plan within the hours that a run may take: no balance is near its end. */
const CREDIT_CU = 10 ** 14;
const MOST_WRITES = 2;
const MOST_READS = 1;
/** An account that is far from the end of its balance is read again every ten seconds. */
const MOST_WARM_READS = 0.1;
const COST_CU = 10;
const PRICE = { cu: COST_CU };
const USAGE: readonly MethodUsage[] = [
  { chain: 'bench', method: 'eth_getBalance', calls: 1, cu: COST_CU, cached: 0, errors: 0 },
];

/** The capacity that DynamoDB reported as consumed. */
interface Work {
  reads: number;
  writes: number;
}

interface Target {
  readonly mostReads?: number;
  readonly mostWrites?: number;
}

/** Capacity that metering consumes per request, as the store reports it. */
export async function measureStoreWork(stage: Stage): Promise<Figure[]> {
  return [
    ...(await measureAdmitted(stage)),
    ...(await measureColdInstance(stage)),
    ...(await measurePaced(stage)),
    ...(await measureManyInstances(stage)),
    ...(await measureCharges(stage)),
    ...(await measureRefused(stage)),
    ...(await measureBroke(stage)),
    ...(await measureUnknownKeys(stage)),
  ];
}

async function measureAdmitted(stage: Stage): Promise<Figure[]> {
  const apiKey = await stage.newKey('warm', DEEP_PLAN, CREDIT_CU);
  const work = newWork();
  const meter = stage.newMeter({ onCapacity: count(work) });
  await serve(meter, apiKey);
  const first = figuresOf('the same, first of an account and an instance', work, 1, {});
  Object.assign(work, newWork());
  for (let request = 0; request < REQUESTS; request += 1) await serve(meter, apiKey);
  const target = { mostReads: MOST_WARM_READS, mostWrites: MOST_WRITES };
  return [...figuresOf('admitted and charged', work, REQUESTS, target), ...first];
}

/** The first request of an instance has to read the key. */
async function measureColdInstance(stage: Stage): Promise<Figure[]> {
  const apiKey = await stage.newKey('cold', DEEP_PLAN, CREDIT_CU);
  await serve(stage.newMeter(), apiKey);
  const work = newWork();
  for (let instance = 0; instance < INSTANCES; instance += 1) {
    await serve(stage.newMeter({ onCapacity: count(work) }), apiKey);
  }
  return figuresOf('the same, first of an instance', work, INSTANCES, { mostWrites: MOST_WRITES });
}

/** A key that sends ten requests a second to one instance, whose clock stands still between them. */
async function measurePaced(stage: Stage): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { mode, mostWrites } of PACED) {
    const apiKey = await stage.newKey(`paced-${mode.groupCommitCu}-${mode.drawAhead}`, DEEP_PLAN, CREDIT_CU);
    const work = newWork();
    let now = Date.now();
    const meter = stage.newMeter({ mode, clock: { now: () => now }, onCapacity: count(work) });
    const serveAll = async () => {
      for (let request = 0; request < PACED_REQUESTS; request += 1) {
        await serve(meter, apiKey);
        now += PACE_MS;
      }
    };
    await serveAll();
    Object.assign(work, newWork());
    await serveAll();
    figures.push(...figuresOf(`the same, 10/s, ${mode.name}`, work, PACED_REQUESTS, { mostWrites }));
  }
  return figures;
}

/** Charges to one account, by the instances that have charged it in this hour. */
async function measureCharges(stage: Stage): Promise<Figure[]> {
  const apiKey = await stage.newKey('charged', WIDE_PLAN, CREDIT_CU);
  const figures: Figure[] = [];
  let charging = 0;
  for (const instances of CHARGING_INSTANCES) {
    const further = Array.from({ length: instances - charging - 1 });
    await inParallel(
      further,
      CHARGING_AT_ONCE,
      () => chargeByAnother(stage, apiKey),
      () => false,
    );
    const work = newWork();
    const meter = stage.newMeter({ onCapacity: count(work) });
    const holder = await holderOf(meter, apiKey);
    await charge(meter, holder);
    Object.assign(work, newWork());
    for (let charges = 0; charges < CHARGES; charges += 1) await charge(meter, holder);
    charging = instances;
    const target = { mostWrites: 1 };
    figures.push(...figuresOf(`one charge, ${instances} instances`, work, CHARGES, target).slice(0, 1));
  }
  return figures;
}

async function chargeByAnother(stage: Stage, apiKey: string): Promise<void> {
  const meter = stage.newMeter();
  await charge(meter, await holderOf(meter, apiKey));
}

/** Instances that know nothing of each other draw from one bucket. */
async function measureManyInstances(stage: Stage): Promise<Figure[]> {
  const apiKey = await stage.newKey('shared', DEEP_PLAN, CREDIT_CU);
  const work = newWork();
  const meters = Array.from({ length: INSTANCES }, () => stage.newMeter({ onCapacity: count(work) }));
  await Promise.all(meters.map((meter) => serve(meter, apiKey)));
  Object.assign(work, newWork());
  const serveAll = async (meter: Meter) => {
    for (let request = 0; request < REQUESTS; request += 1) await serve(meter, apiKey);
  };
  await Promise.all(meters.map(serveAll));
  return figuresOf(`the same, ${INSTANCES} instances at once`, work, REQUESTS * INSTANCES, {
    mostReads: MOST_WARM_READS,
    mostWrites: MOST_WRITES,
  });
}

async function measureRefused(stage: Stage): Promise<Figure[]> {
  const apiKey = await stage.newKey('narrow', NARROW_PLAN, CREDIT_CU);
  const work = newWork();
  const meter = stage.newMeter({ onCapacity: count(work) });
  const whole = { cu: NARROW_CAPACITY_CU };
  const burst = { cu: NARROW_CAPACITY_CU + 1 };
  const holder = await holderOf(meter, apiKey);
  await meter.admit(holder, whole);
  await refuse(meter, holder, whole, 'rate_limited');

  Object.assign(work, newWork());
  for (let request = 0; request < REQUESTS; request += 1) await refuse(meter, holder, whole, 'rate_limited');
  const known = figuresOf('refused by the bucket that is remembered', work, REQUESTS, none());
  Object.assign(work, newWork());
  for (let request = 0; request < REQUESTS; request += 1) {
    await refuse(meter, holder, burst, 'cost_exceeds_burst');
  }
  return [...known, ...figuresOf('refused as over the burst capacity', work, REQUESTS, none())];
}

async function measureBroke(stage: Stage): Promise<Figure[]> {
  const apiKey = await stage.newKey('broke', WIDE_PLAN);
  const work = newWork();
  const meter = stage.newMeter({ onCapacity: count(work) });
  const holder = await holderOf(meter, apiKey);
  Object.assign(work, newWork());
  for (let request = 0; request < REQUESTS; request += 1) {
    await refuse(meter, holder, PRICE, 'insufficient_balance');
  }
  return figuresOf('refused for its balance (402)', work, REQUESTS, { mostReads: MOST_READS, mostWrites: 0 });
}

async function measureUnknownKeys(stage: Stage): Promise<Figure[]> {
  const work = newWork();
  const meter = stage.newMeter({ onCapacity: count(work) });
  const unknown = `rgw_${'0'.repeat(64)}`;
  await meter.authenticate(unknown);
  const first = figuresOf('unknown key, first time', work, 1, { mostReads: MOST_READS, mostWrites: 0 });
  // A malformed key is read once like any other: its response takes no less time.
  await meter.authenticate('malformed');
  Object.assign(work, newWork());
  for (let request = 0; request < REQUESTS; request += 1) await meter.authenticate(unknown);
  for (let request = 0; request < REQUESTS; request += 1) await meter.authenticate('malformed');
  return [...first, ...figuresOf('unknown key again, or malformed', work, REQUESTS * 2, none())];
}

async function serve(meter: Meter, apiKey: string): Promise<void> {
  const holder = await holderOf(meter, apiKey);
  const admission = await meter.admit(holder, PRICE);
  if (!admission.admitted) throw new Error(`refused: ${admission.refusal.reason}`);
  await charge(meter, holder);
}

async function charge(meter: Meter, holder: KeyHolder): Promise<void> {
  const outcome = await meter.charge(holder, COST_CU, USAGE).store();
  if (outcome !== 'stored' && outcome !== 'grouped') throw new Error(`the charge is ${outcome}`);
}

async function refuse(meter: Meter, holder: KeyHolder, price: typeof PRICE, reason: string): Promise<void> {
  const admission = await meter.admit(holder, price);
  const actual = admission.admitted ? 'admitted' : admission.refusal.reason;
  if (actual !== reason) throw new Error(`${actual} in place of ${reason}`);
}

async function holderOf(meter: Meter, apiKey: string): Promise<KeyHolder> {
  const holder = await meter.authenticate(apiKey);
  if (holder === undefined) throw new Error('the key is not active');
  return holder;
}

function newWork(): Work {
  return { reads: 0, writes: 0 };
}

function none(): Target {
  return { mostReads: 0, mostWrites: 0 };
}

function count(work: Work): (units: ConsumedUnits) => void {
  return ({ readUnits, writeUnits }) => {
    work.reads += readUnits;
    work.writes += writeUnits;
  };
}

function figuresOf(name: string, work: Work, requests: number, target: Target): Figure[] {
  const { mostReads, mostWrites } = target;
  return [
    {
      name: `${name}: writes`,
      value: work.writes / requests,
      unit: 'WCU',
      ...(mostWrites !== undefined && { most: mostWrites }),
    },
    {
      name: `${name}: reads`,
      value: work.reads / requests,
      unit: 'RCU',
      ...(mostReads !== undefined && { most: mostReads }),
    },
  ];
}
