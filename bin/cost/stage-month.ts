import { BATCH_SLOTS } from '../../lambdas/shared/runtime/slot.ts';
import { indexedChains } from '../../lib/config/config.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { makeBill } from './bill.ts';
import { readCountedFile } from './counted-file.ts';
import { RPC_MIXES } from './request-kinds.ts';
import type { StageResources } from './stage-resources.ts';
import type { TrafficProfile } from './traffic.ts';

const DAYS = 365 / 12;
const MILLION = 1e6;
/** Accounts that share a million requests a day. */
const ACCOUNTS = 20;
/** What an indexed chain has in its first month: with the years it is ten times as much, and `--storage-gb` says so. */
const FIRST_MONTH = { storageGb: 20, databaseIo: 20e6 } as const;
/** Capacity that the index of chains keeps awake, in ACU: it asks each second. */
const LEAST_AWAKE_ACU = 0.5;
/** Idle time after which the database pauses, where the stage file does not say it, in minutes. */
const AUTO_PAUSE_MINUTES = 5;
/** Time for which Lambda bills a request, by what it waits for. */
export const BILLED_MS = { node: 120, database: 60, gateway: 15 } as const;
/** Calls of nodes for each call of a client, as busy instances make them. */
export const NODE_CALLS_PER_CALL = 1.05;

/** What of a bill a stage file decides. */
export interface StageProfile {
  readonly chains: number;
  readonly acu: number;
  readonly 'storage-gb': number;
  readonly 'database-io': number;
  readonly ioOptimized: boolean;
}

/** Reads it from a stage file: the capacity is the least that the stage keeps. */
export function profileOfStage(config: StageConfig): StageProfile {
  const { database, indexing } = config;
  const chains = indexedChains(config).length;
  const { batchMinutes } = indexing;
  const pauseMinutes = database.autoPauseMinutes ?? AUTO_PAUSE_MINUTES;
  const share = batchMinutes === undefined ? 1 : Math.min(1, (BATCH_SLOTS + pauseMinutes) / batchMinutes);
  const awake = Math.max(database.minAcu, chains > 0 ? LEAST_AWAKE_ACU * share : 0);
  return {
    chains,
    acu: database.enabled ? awake * (database.standby ? 2 : 1) : 0,
    'storage-gb': FIRST_MONTH.storageGb * chains,
    'database-io': FIRST_MONTH.databaseIo * chains,
    ioOptimized: database.ioOptimized,
  };
}

/** What a month of a stage costs on AWS, in USD, without its nodes: with no request, and with so many JSON-RPC requests a day. */
export interface StageMonth {
  readonly idleUsd: number;
  readonly requestsPerDay: number;
  readonly usd: number;
}

/** The one line that people read of it. */
export function describeMonth({ idleUsd, requestsPerDay, usd }: StageMonth): string {
  return `a month of this stage: about ${Math.ceil(idleUsd)} USD without a request, ${Math.ceil(usd)} USD with ${requestsPerDay.toLocaleString('en-US')} JSON-RPC requests a day, without its nodes (npm run cost -- --config FILE)`;
}

/** Counts the month of a stage. */
export function monthOfStage(
  config: StageConfig,
  resources: StageResources,
  requestsPerDay = MILLION,
): StageMonth {
  const of = profileOfStage(config);
  const profile: TrafficProfile = {
    requests: requestsPerDay * DAYS,
    dataRequests: 0,
    mcpRequests: 0,
    mix: RPC_MIXES.default ?? {},
    accounts: ACCOUNTS,
    chains: of.chains,
    averageAcu: of.acu,
    storageGb: of['storage-gb'],
    databaseIo: of['database-io'],
    ioOptimized: of.ioOptimized,
    large: { percent: 0, mb: 0 },
    nodeCallsPerCall: NODE_CALLS_PER_CALL,
    nodeCallUsd: 0,
    billedMs: BILLED_MS,
  };
  const { usd, fixedUsd } = makeBill(profile, readCountedFile().counted, resources);
  return { idleUsd: fixedUsd, requestsPerDay, usd };
}
