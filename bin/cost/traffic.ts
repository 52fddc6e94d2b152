import { NARROW_LANES } from '../../lambdas/access/accounts/read-lanes.ts';
import type { CountedOperations } from './counted-file.ts';
import { DATA_MIX, type KindName, type Mix, REQUEST_KINDS, type WaitsFor } from './request-kinds.ts';

const PERCENT = 100;
const MS_PER_SECOND = 1_000;
/** Of a month. */
export const HOURS = 730;
export const SECONDS = HOURS * 3_600;
/** Instances that an account's requests come to, for each that is busy on average: traffic is not even. */
const INSTANCES_PER_BUSY = 2;
/** Lanes that an instance's place has in an hour: each is taken by a new process every two hours. */
const LANES_PER_INSTANCE = 1.5;
/** Hours that are not settled: the running one, and the one before for up to 70 minutes. */
const OPEN_HOURS = 1.7;
/** Age at which an instance reads a key, an account's item and its lanes again, in seconds. Lanes that are many, one function reads as often. */
const VIEW_AGE_SECONDS = 10;
const EVENTUAL_UNIT_BYTES = 8_192;
/** Bytes of a lane with the usage of a few methods, and those that one unit reads, eventually consistent. */
export const LANE_BYTES = 400;

/** Functions that answer requests. */
export const REQUEST_FUNCTIONS = ['rpc', 'data', 'mcp'] as const;
type RequestFunction = (typeof REQUEST_FUNCTIONS)[number];

/** A month of traffic, and what of its cost nothing here can count. */
export interface TrafficProfile {
  /** JSON-RPC and Data API requests in a month. */
  readonly requests: number;
  readonly dataRequests: number;
  /** Calls of tools, each of which makes one contract read. */
  readonly mcpRequests: number;
  readonly mix: Mix;
  /** Accounts, each with traffic in every hour. */
  readonly accounts: number;
  readonly chains: number;
  /** Capacity of the database on average, in ACU; what it stores, in GB; its I/O requests in a month. */
  readonly averageAcu: number;
  readonly storageGb: number;
  readonly databaseIo: number;
  /** Whether its storage costs more by the gigabyte and hour and nothing by the request. */
  readonly ioOptimized: boolean;
  /** JSON-RPC requests with a response that is large, beside what the mix has: their share in percent, and its size in MB. */
  readonly large: { readonly percent: number; readonly mb: number };
  /** Calls of nodes for each call of a client that wants one: instances that are quiet ask for the head of the chain first. */
  readonly nodeCallsPerCall: number;
  /** What a call for a node costs, in USD: the operator names it. */
  readonly nodeCallUsd: number;
  /** Time for which a run is billed, by what it waits for, in milliseconds. */
  readonly billedMs: Readonly<Record<WaitsFor, number>>;
}

/** Requests of clients in a month, to whichever interface. */
export function requestsOf({ requests, dataRequests, mcpRequests }: TrafficProfile): number {
  return requests + dataRequests + mcpRequests;
}

/** Sums a figure of each kind over the requests of the month. */
export function sumOver(profile: TrafficProfile, figure: (kind: KindName) => number): number {
  return REQUEST_FUNCTIONS.reduce((sum, name) => sum + sumServed(profile, name, figure), 0);
}

/** The same over those that one function serves. A call of a tool is a contract read. */
export function sumServed(
  { requests, dataRequests, mcpRequests, mix }: TrafficProfile,
  name: RequestFunction,
  figure: (kind: KindName) => number,
): number {
  const over = (shares: Mix, count: number) =>
    (Object.entries(shares) as [KindName, number][]).reduce(
      (sum, [kind, share]) => sum + (count * share * figure(kind)) / PERCENT,
      0,
    );
  if (name === 'rpc') return over(mix, requests);
  return name === 'data' ? over(DATA_MIX, dataRequests) : over({ call: PERCENT }, mcpRequests);
}

/** What instances read of accounts in a month, in read units, and how many lanes an account has in an hour. */
interface Views {
  readonly keyReads: number;
  readonly itemReads: number;
  readonly laneReads: number;
  readonly lanesPerHour: number;
  /** Whether the accounts are wide: one function reads their lanes. */
  readonly areWide: boolean;
}

/**
 * Keys and balances as instances see them: each reads the key, the item and the lanes of each of its accounts again with
 * the first request after they have aged. An account has one key, and its requests come to all instances alike.
 */
export function viewsOf(profile: TrafficProfile, { kinds }: CountedOperations): Views {
  const { accounts, billedMs } = profile;
  const charged = sumOver(profile, (kind) => (kinds[kind].billedCu > 0 ? 1 : 0));
  if (charged === 0 || accounts === 0)
    return { keyReads: 0, itemReads: 0, laneReads: 0, lanesPerHour: 0, areWide: false };
  const busyMs = sumOver(profile, (kind) => billedMs[REQUEST_KINDS[kind].waitsFor]);
  const instances = Math.max(1, (INSTANCES_PER_BUSY * busyMs) / MS_PER_SECOND / SECONDS);
  const lanesPerHour = Math.min(LANES_PER_INSTANCE * instances, charged / accounts / HOURS);
  const views = accounts * instances;
  const betweenRequests = (views * SECONDS) / charged;
  const readsAtAge = (seconds: number) => (views * SECONDS) / (seconds + betweenRequests);
  const openLanes = lanesPerHour * OPEN_HOURS;
  const laneUnits = Math.ceil((openLanes * LANE_BYTES) / (EVENTUAL_UNIT_BYTES / 2)) / 2;
  // Of a wide account one function reads the running hour; item and write of the view are two units more.
  const areWide = openLanes > NARROW_LANES;
  const laneReads = areWide
    ? ((accounts * SECONDS) / VIEW_AGE_SECONDS) * (laneUnits / OPEN_HOURS + 2)
    : readsAtAge(VIEW_AGE_SECONDS) * laneUnits;
  return {
    keyReads: readsAtAge(VIEW_AGE_SECONDS),
    itemReads: readsAtAge(VIEW_AGE_SECONDS) / 2,
    laneReads,
    lanesPerHour,
    areWide,
  };
}
