import { LANE_KEPT_DAYS } from '../../lambdas/access/charge/lane.ts';
import { RUN_MS } from '../../lambdas/account-balances/handler.ts';
import { FAILURE_CODES } from '../../lambdas/data/response/failure.ts';
import { NODE_ERROR } from '../../lambdas/rpc/response/rpc-response.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { METHOD_CLASSES } from '../../lambdas/shared/methods/method-table.ts';
import {
  CHAIN_METRICS,
  FAULT_METRICS,
  METRIC_UNITS,
  type MetricName,
} from '../../lambdas/shared/runtime/metrics.ts';
import { type PriceName, priceOf, UNIT_PRICES } from '../prices/unit-prices.ts';
import type { CountedOperations } from './counted-file.ts';
import { REQUEST_KINDS } from './request-kinds.ts';
import { MINUTES_PER_MONTH, type StageResources } from './stage-resources.ts';
import {
  HOURS,
  LANE_BYTES,
  REQUEST_FUNCTIONS,
  requestsOf,
  SECONDS,
  sumOver,
  sumServed,
  type TrafficProfile,
  viewsOf,
} from './traffic.ts';

const PERCENT = 100;
const GB = 1e9;
const MB_PER_GB = 1_024;
const MS_PER_SECOND = 1_000;
const THOUSAND = 1_000;
const MILLION = 1e6;
/** Lambda asks a queue that it polls by five long polls of 20 seconds at a time, also when nothing is in it. */
const POLLS_PER_QUEUE = (5 * SECONDS) / 20;
/** Responses up to this are no dearer and no slower for being streamed; what is longer comes at so many MB a second. */
const STREAMED_FREE_MB = 6;
const STREAMED_MB_PER_SECOND = 2;
/** API Gateway bills each so many MB of a response as a request. */
const REQUEST_MB = 10;
const MB_PER_DECIMAL_GB = 1_000;
/** Metrics of each method that API Gateway measures in detail. */
const METRICS_PER_METHOD = 5;
/** Metrics that are also counted for each class of method: calls and compute units. */
const METRICS_PER_CLASS = 2;
/** A run of settlement or audit, in milliseconds. Much, and yet nothing on the bill. */
const BOOKS_RUN_MS = 5_000;
/** A run of the function of balance views while no account is wide: one query. In milliseconds. */
const IDLE_RUN_MS = 100;
/** A settlement record with the usage of its hour, and what DynamoDB adds to an item, in bytes. */
const RECORD_BYTES = 500;
const HOURS_PER_DAY = 24;
/** Signatures in a month: of a head each hour, and of a key of receipts each day. */
const SIGNATURES = HOURS + HOURS / HOURS_PER_DAY;
/** Objects that are put for a head: its records, its leaves, the head itself, and which is the latest. */
const PUTS_OF_HEAD = 4;
/** Metrics of one chain, or of all together, by class of method, and errors by reason. */
const BROKEN_DOWN_METRICS =
  METHOD_CLASSES.length * METRICS_PER_CLASS +
  [NODE_ERROR, ...Object.keys(ERROR_CATALOGUE), ...FAILURE_CODES].length;
/** Metrics that have values without any request: those of the books, and those of what follows a chain. */
const BOOK_METRICS = [
  'AuditedAccounts',
  'AuditViolations',
  'UnsettledComputeUnits',
  'UnsettledAge',
  'BalanceViews',
  'BalanceViewAge',
  'SettledComputeUnits',
  'SettlementRecords',
  'SettlementFailures',
  'SealedRecords',
  'SettlementLag',
] as const satisfies readonly MetricName[];
const INDEX_METRICS = [
  'IndexNodeCalls',
  'IndexerLagBlocks',
  'IndexedHeadAge',
  'IndexedBlocks',
  'Reorganisations',
  'RollupLagBlocks',
  'SnapshotAge',
] as const satisfies readonly MetricName[];
/** Functions of which each chain has one, or that work for one chain at a time. */
const CHAIN_FUNCTIONS = ['indexer', 'snapshots'] as const;
const BOOK_FUNCTIONS = ['settlement', 'audit'] as const;
const BALANCES_FUNCTION = 'account-balances';

/** What an item is priced by: a unit price of AWS, or what the operator says of a call for a node. */
type LinePrice = PriceName | 'nodeCall';

export interface BillLine {
  readonly service: string;
  readonly item: string;
  readonly price: LinePrice;
  readonly quantity: number;
  readonly usd: number;
}

export interface MonthlyBill {
  readonly lines: readonly BillLine[];
  readonly usd: number;
  /** Costs that are due without any call. */
  readonly fixedUsd: number;
  /** Cost of one more chain that is indexed but not called, without the work of the database for it; 0: none is indexed. */
  readonly idleChainUsd: number;
  readonly billedCu: number;
  readonly usdPerMillionRequests: number;
  readonly usdPerThousandCu: number;
}

type Quantity = readonly [service: string, item: string, price: LinePrice, quantity: number];

/** The bill of a month of traffic, line by line. */
export function makeBill(
  profile: TrafficProfile,
  countedAlways: CountedOperations,
  resources: StageResources,
): MonthlyBill {
  const counted = inBatches(countedAlways, resources);
  const lines = priced(profile, counted, resources);
  const silent = { ...profile, requests: 0, dataRequests: 0, mcpRequests: 0, accounts: 0 };
  const idle = total(priced(silent, counted, resources));
  const hasIndex = resources.memoryMb.indexer !== undefined;
  const oneMore = hasIndex
    ? total(priced({ ...silent, chains: silent.chains + 1 }, counted, resources))
    : idle;
  const usd = total(lines);
  const requests = requestsOf(profile);
  const billedCu = sumOver(profile, (kind) => counted.kinds[kind].billedCu);
  return {
    lines,
    usd,
    fixedUsd: idle,
    idleChainUsd: oneMore - idle,
    billedCu,
    usdPerMillionRequests: requests === 0 ? 0 : (usd / requests) * MILLION,
    usdPerThousandCu: billedCu === 0 ? 0 : (usd / billedCu) * THOUSAND,
  };
}

/** Counts of a stage that indexes in batches: what a chain takes in a second, for the share of the time that is one of a batch. */
function inBatches(counted: CountedOperations, { scheduledRuns }: StageResources): CountedOperations {
  const { indexer = MINUTES_PER_MONTH } = scheduledRuns;
  const share = indexer / MINUTES_PER_MONTH;
  const { running, ...operations } = counted.background;
  const parts = (some: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(some).map(([name, value]) => [name, value * share]));
  return {
    ...counted,
    background: { ...operations, ...parts(operations), running: parts(running) },
  };
}

function priced(profile: TrafficProfile, counted: CountedOperations, resources: StageResources): BillLine[] {
  const quantities = [
    ...edge(profile, resources),
    ...lambda(profile, counted, resources),
    ...dynamo(profile, counted, resources),
    ...database(profile, counted, resources),
    ...observation(profile, counted, resources),
    [
      'Data transfer',
      'answers to the internet',
      'dataOutGb',
      sumOver(profile, (kind) => counted.kinds[kind].responseBytes) / GB +
        (largeRequests(profile) * profile.large.mb) / MB_PER_DECIMAL_GB,
    ],
  ] satisfies readonly Quantity[];
  return [...quantities, ...nodes(profile, counted)].map(([service, item, price, quantity]) => ({
    service,
    item,
    price,
    quantity,
    usd: price === 'nodeCall' ? quantity * profile.nodeCallUsd : priceOf(quantity, UNIT_PRICES[price].tiers),
  }));
}

/** Calls for nodes: those that clients want one for, what the gateway asks beside, and what the index reads. */
function nodes(profile: TrafficProfile, { kinds, background }: CountedOperations): Quantity[] {
  const wanted = sumOver(profile, (kind) => kinds[kind].clientCalls);
  const made = sumOver(profile, (kind) => kinds[kind].nodeCalls);
  const quantities = {
    'calls of clients': wanted,
    "the gateway's own calls": Math.max(made - wanted, wanted * (profile.nodeCallsPerCall - 1)),
    'calls of the index': background.nodeCalls * profile.chains * SECONDS,
  };
  return Object.entries(quantities).map(([item, quantity]) => ['Nodes', item, 'nodeCall', quantity]);
}

function edge(profile: TrafficProfile, { firewallRules }: StageResources): Quantity[] {
  const requests = requestsOf(profile);
  return [
    ['API Gateway', 'requests', 'apiRequest', requests],
    ['API Gateway', `answers beyond ${REQUEST_MB} MB`, 'apiRequest', furtherRequests(profile)],
    ['WAF', 'access control list', 'firewallList', firewallRules > 0 ? 1 : 0],
    ['WAF', 'rules', 'firewallRule', firewallRules],
    ['WAF', 'requests', 'firewallRequest', firewallRules > 0 ? requests : 0],
  ];
}

function lambda(profile: TrafficProfile, counted: CountedOperations, resources: StageResources): Quantity[] {
  const runs = Object.entries(runsOf(profile, counted, resources)).flatMap(
    ([name, { runs, ms }]): Quantity[] => [
      ['Lambda', `${name}: runs`, 'lambdaRequest', runs],
      [
        'Lambda',
        `${name}: GB-s`,
        'lambdaGbSecond',
        // A stage without an index has none of its functions.
        ms === 0 ? 0 : (ms / MS_PER_SECOND) * (memoryOf(resources, name) / MB_PER_GB),
      ],
    ],
  );
  const streamedGb = (largeRequests(profile) * streamedMb(profile)) / MB_PER_DECIMAL_GB;
  return [...runs, ['Lambda', `answers beyond ${STREAMED_FREE_MB} MB, streamed`, 'streamedGb', streamedGb]];
}

function largeRequests({ requests, large }: TrafficProfile): number {
  return (requests * large.percent) / PERCENT;
}

/** The part of a large response that is streamed at a bounded rate, and paid for, in MB. */
function streamedMb({ large }: TrafficProfile): number {
  return Math.max(0, large.mb - STREAMED_FREE_MB);
}

/** Requests that API Gateway bills for the length of responses, beside the first of each. */
function furtherRequests(profile: TrafficProfile): number {
  return largeRequests(profile) * Math.max(0, Math.ceil(profile.large.mb / REQUEST_MB) - 1);
}

/** Runs of each function in a month, and the time for which they are billed together, in milliseconds. */
function runsOf(
  profile: TrafficProfile,
  counted: CountedOperations,
  { scheduledRuns }: StageResources,
): Record<string, { readonly runs: number; readonly ms: number }> {
  const { billedMs, chains } = profile;
  const served = REQUEST_FUNCTIONS.map((api) => {
    const runs = sumServed(profile, api, (kind) => counted.kinds[kind].invocations);
    const ms = sumServed(profile, api, (kind) => billedMs[REQUEST_KINDS[kind].waitsFor]);
    return [api, { runs, ms: api === 'rpc' ? ms + streamingMs(profile) : ms }] as const;
  });
  const following = CHAIN_FUNCTIONS.map((name) => {
    const share = counted.background.running[name] ?? 0;
    return [
      name,
      { runs: (scheduledRuns[name] ?? 0) * chains, ms: share * chains * SECONDS * MS_PER_SECOND },
    ] as const;
  });
  const books = BOOK_FUNCTIONS.map((name) => {
    const runs = scheduledRuns[name] ?? 0;
    return [name, { runs, ms: runs * BOOKS_RUN_MS }] as const;
  });
  const runs = scheduledRuns[BALANCES_FUNCTION] ?? 0;
  const runMs = viewsOf(profile, counted).areWide ? RUN_MS : IDLE_RUN_MS;
  const balances = [BALANCES_FUNCTION, { runs, ms: runs * runMs }] as const;
  return Object.fromEntries([...served, ...following, ...books, balances]);
}

/** Time for which the JSON-RPC function runs longer as its large responses are on their way, in milliseconds. */
function streamingMs(profile: TrafficProfile): number {
  return (largeRequests(profile) * streamedMb(profile) * MS_PER_SECOND) / STREAMED_MB_PER_SECOND;
}

function dynamo(profile: TrafficProfile, counted: CountedOperations, { tables }: StageResources): Quantity[] {
  const { accounts, chains } = profile;
  const { kinds, settlement, audit, background } = counted;
  const units = (of: 'reads' | 'writes', table: string) =>
    sumOver(profile, (kind) => kinds[kind][of][table] ?? 0);
  const hours = accounts * HOURS;
  const views = viewsOf(profile, counted);
  const keptLanes = accounts * views.lanesPerHour * LANE_KEPT_DAYS * HOURS_PER_DAY;
  const storedGb = (hours * RECORD_BYTES + keptLanes * LANE_BYTES) / GB;
  return [
    ['DynamoDB', 'keys: writes (buckets)', 'writeUnit', units('writes', 'keys')],
    ['DynamoDB', 'keys: reads', 'readUnit', views.keyReads],
    ['DynamoDB', 'lanes: writes (charges)', 'writeUnit', units('writes', 'lanes')],
    ['DynamoDB', 'unsettled: writes (marks of lanes)', 'writeUnit', hours * views.lanesPerHour],
    ['DynamoDB', 'accounts: reads (balances)', 'readUnit', views.itemReads],
    ['DynamoDB', 'lanes: reads (balances)', 'readUnit', views.laneReads],
    ['DynamoDB', 'answers: writes', 'writeUnit', units('writes', 'answers')],
    ['DynamoDB', 'answers: reads', 'readUnit', units('reads', 'answers')],
    ['DynamoDB', 'answers: writes (heads)', 'writeUnit', background.headWrites * chains * SECONDS],
    ['DynamoDB', 'settlement: writes', 'writeUnit', hours * settlement.writes],
    ['DynamoDB', 'settlement: reads', 'readUnit', hours * settlement.reads],
    ['DynamoDB', 'audit: reads', 'readUnit', hours * audit.reads],
    ['DynamoDB', 'storage, after a month', 'tableStorage', storedGb],
    ['DynamoDB', 'point-in-time recovery', 'tableRecovery', tables > 0 ? storedGb : 0],
  ];
}

function database(
  profile: TrafficProfile,
  counted: CountedOperations,
  resources: StageResources,
): Quantity[] {
  const { averageAcu, storageGb, databaseIo, ioOptimized, chains } = profile;
  const indexing = counted.background.databaseCalls * chains * SECONDS;
  const messages = sumOver(profile, (kind) => counted.kinds[kind].sqsMessages);
  return [
    ['SQS', 'charges that could not be stored', 'queueRequest', messages],
    [
      'SQS',
      `polls of ${resources.polledQueues} queues`,
      'queueRequest',
      resources.polledQueues * POLLS_PER_QUEUE,
    ],
    ['Aurora', 'capacity', ioOptimized ? 'ioOptimizedAcuHour' : 'acuHour', averageAcu * HOURS],
    ['Aurora', 'storage', ioOptimized ? 'ioOptimizedStorage' : 'databaseStorage', storageGb],
    ['Aurora', 'I/O', 'databaseIo', ioOptimized ? 0 : databaseIo],
    [
      'Aurora',
      'RDS Data API, for the Data API',
      'databaseCall',
      sumOver(profile, (kind) => counted.kinds[kind].databaseCalls),
    ],
    ['Aurora', 'RDS Data API, for the index', 'databaseCall', indexing],
    ['Secrets Manager', 'secrets', 'secret', resources.secrets],
    ['KMS', 'keys that sign heads', 'signingKey', resources.signingKeys],
    [
      'KMS',
      'signatures of heads and of the keys of receipts',
      'signature',
      resources.signingKeys * SIGNATURES,
    ],
    ['S3', 'sealed records and heads: puts', 'objectPut', resources.signingKeys * HOURS * PUTS_OF_HEAD],
  ];
}

function observation(
  profile: TrafficProfile,
  counted: CountedOperations,
  resources: StageResources,
): Quantity[] {
  const { chains } = profile;
  const logged =
    sumOver(profile, (kind) => counted.kinds[kind].logBytes) + counted.background.logBytes * chains * SECONDS;
  return [
    ['CloudWatch', 'logs and embedded metrics', 'logGb', logged / GB],
    [
      'CloudWatch',
      'access log',
      'infrequentLogGb',
      sumOver(profile, (kind) => counted.kinds[kind].accessLogBytes) / GB,
    ],
    ['CloudWatch', 'metrics of the gateway, while nothing fails', 'customMetric', metricsOf(profile)],
    [
      'CloudWatch',
      'the same by class and reason',
      'customMetric',
      requestsOf(profile) > 0 ? BROKEN_DOWN_METRICS : 0,
    ],
    [
      'CloudWatch',
      'metrics of API methods, at most',
      'customMetric',
      resources.measuredMethods * METRICS_PER_METHOD,
    ],
    ['CloudWatch', 'alarms', 'alarmMetric', resources.alarmMetrics + resources.chainAlarmMetrics * chains],
    [
      'CloudWatch',
      'alarms made of others',
      'compositeAlarm',
      resources.compositeAlarms + resources.chainCompositeAlarms * chains,
    ],
    ['CloudWatch', 'dashboards', 'dashboard', resources.dashboards],
  ];
}

/** Names of metrics that have values: those of requests only while there are some, of the stage as a whole and of each chain. */
function metricsOf(profile: TrafficProfile): number {
  const { chains } = profile;
  if (requestsOf(profile) > 0) return seriesOf(Object.keys(METRIC_UNITS), Math.max(1, chains));
  return seriesOf([...BOOK_METRICS, ...(chains > 0 ? INDEX_METRICS : [])], chains);
}

/** How many metrics these are, of all chains together and of each, while nothing fails: an hour of one of a fault costs 0.0004 USD. */
function seriesOf(names: readonly string[], chains: number): number {
  const usual = names.filter((name) => FAULT_METRICS.every((fault) => fault !== name));
  const kinds = usual.map((name) => CHAIN_METRICS[name as MetricName]);
  const ofAll = kinds.filter((kind) => kind !== 'alone').length;
  return ofAll + kinds.filter((kind) => kind !== undefined).length * chains;
}

function memoryOf({ memoryMb }: StageResources, name: string): number {
  const memory = memoryMb[name];
  if (memory === undefined) throw new Error(`the stage has no function ${name}`);
  return memory;
}

function total(lines: readonly BillLine[]): number {
  return lines.reduce((sum, { usd }) => sum + usd, 0);
}
