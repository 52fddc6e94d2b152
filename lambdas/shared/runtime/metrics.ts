import type { LogFields } from './log.ts';

/** Variable with the namespace of a function's metrics, which the stack sets for each. */
export const METRIC_NAMESPACE_VARIABLE = 'METRIC_NAMESPACE';
/** Namespace of what runs without a stack. */
const STACKLESS_NAMESPACE = 'Gateway';

/** Namespace of a stage's own CloudWatch metrics: stages of one account share none. */
export function metricNamespace(stage: string): string {
  return `${STACKLESS_NAMESPACE}/${stage}`;
}

/** Every metric that a function emits, with its unit. Lines leave the unit out: it would be a fifth of each. */
export const METRIC_UNITS = {
  /**
   * Of the functions behind the API, by function and version: time until the response of a run was ready (their count is
   * that of the responses), responses that fail for no fault of the caller (also for want of a node, of the database or of
   * billing data), those among them that tell of a defect of the gateway, those of these that were late, and 404s.
   */
  RunTime: 'Milliseconds',
  FailedAnswers: 'Count',
  InternalErrors: 'Count',
  EarlyTimeouts: 'Count',
  NotFoundAnswers: 'Count',
  /** Compute units charged for a response that is due to be paid: admitted, without an error, not for want of a node. */
  ChargedComputeUnits: 'Count',
  /** Runs whose response, charges and lanes contradict each other, or a price of the ledger; no data while there are none. */
  BillsDisagree: 'Count',
  /** JSON-RPC requests of a chain, and their calls. */
  Requests: 'Count',
  Calls: 'Count',
  /** Calls that the gateway refused one by one, and calls that the node answered with an error. */
  RefusedCalls: 'Count',
  NodeErrors: 'Count',
  /** Calls that failed because no node answered; no data while there are none. */
  UnansweredCalls: 'Count',
  CacheHits: 'Count',
  /** Errors that clients got, of both interfaces, by their reason. */
  Errors: 'Count',
  /** Duration of a request, its wait for the node, and the rest, which is also by version and class of methods. */
  Latency: 'Milliseconds',
  UpstreamLatency: 'Milliseconds',
  AddedLatency: 'Milliseconds',
  /** Compute units billed, by both interfaces. */
  BilledComputeUnits: 'Count',
  /** Requests refused as a whole: balance used up, over a limit, more than the bucket holds, billing not available. */
  RefusedForBalance: 'Count',
  RefusedForRate: 'Count',
  RefusedForUnavailability: 'Count',
  /** Requests and calls that the bounds of their key refused; emitted at most once a minute for each key and process. */
  RefusedByBounds: 'Count',
  /** Data API requests, their errors and durations. */
  DataRequests: 'Count',
  DataErrors: 'Count',
  DataLatency: 'Milliseconds',
  /** Data API requests that the chain database did not answer in time, because it slept or was not there. */
  DatabaseUnavailable: 'Count',
  /** Slots of indexers and rollups in which nothing succeeded, because the chain database was not there. */
  SlotsWithoutDatabase: 'Count',
  /** Calls that found the chain database asleep, and woke it. */
  DatabaseResumes: 'Count',
  /** Attempts to store a lane of charges that were repeated. */
  ChargeRetries: 'Count',
  /** Lanes that the store did not take and the queue did. */
  ChargesQueued: 'Count',
  /** Compute units that neither took by the end of a request, or that arrived too late. */
  UnchargedComputeUnits: 'Count',
  /** Times that a node was taken out of use, and that it was asked again and still did not answer. */
  UpstreamsTakenOut: 'Count',
  /** Times that a node refused for a rate or a quota of the operator's subscription, and was left alone for a while. */
  UpstreamsLimited: 'Count',
  /** Upstreams of a chain that an operator keeps out of use, once a minute of each process. */
  UpstreamsHeld: 'Count',
  /** Copies of calls that shadows were sent, also by upstream; those that they answered otherwise than the client's, and not at all. */
  ShadowCalls: 'Count',
  ShadowDifferences: 'Count',
  ShadowFailures: 'Count',
  /** Calls that two upstreams answered differently, where the chain fixes the response and the operator wants two. */
  UpstreamsDisagree: 'Count',
  /** Refusals of nodes, to calls of clients or of the indexer, in words of which nothing is known. */
  UnknownNodeWords: 'Count',
  /** Requests for the newest block whose key may get an older one later: the store did not answer, or no node had it. */
  HeadsNotKept: 'Count',
  /** Calls for nodes, a batch of ten as ten, by what serves clients (its own questions among them), and by the index. */
  NodeCalls: 'Count',
  IndexNodeCalls: 'Count',
  /** Of each run of the probe, by interface: 1 if its request by the public name failed, or 0. */
  RpcProbeFailures: 'Count',
  DataProbeFailures: 'Count',
  AuditedAccounts: 'Count',
  AuditViolations: 'Count',
  /** Compute units that are charged and not yet settled, of all accounts that were audited. */
  UnsettledComputeUnits: 'Count',
  /** Time since the end of the oldest hour that has some of these; 0 where no hour that is over has any. */
  UnsettledAge: 'Seconds',
  /** Accounts whose balance views a run kept, and the longest time between two views of one near its end. */
  BalanceViews: 'Count',
  BalanceViewAge: 'Seconds',
  SettledComputeUnits: 'Count',
  SettlementRecords: 'Count',
  SettlementFailures: 'Count',
  /** Records whose leaves could not be kept; no data while there are none. */
  UnfrozenRecords: 'Count',
  /** Records that a run put below a signed head; 0 is a run without any. */
  SealedRecords: 'Count',
  /** Accounts that a run did not settle because the ledger lacks records of them that a head names. */
  LedgerBehindHead: 'Count',
  /** Time from the end of the oldest hour that a run settled. */
  SettlementLag: 'Seconds',
  /** Blocks between the node's head and the indexed one at the end of a slot, of which there is one a minute. */
  IndexerLagBlocks: 'Count',
  /** Age of the newest indexed block at the end of a slot: it grows while a node stands still, too, which is no lag. */
  IndexedHeadAge: 'Seconds',
  IndexedBlocks: 'Count',
  Reorganisations: 'Count',
  IndexerHalted: 'Count',
  /** Responses of nodes that their own hash, a root, or most other nodes contradict, also by upstream: nothing of them is stored. */
  WrongAnswers: 'Count',
  /** Blocks with what the form of their chain does not have: stored because an independent node has the same, or unproven. */
  ProofLost: 'Count',
  UnprovenBlocks: 'Count',
  /** Times that two nodes had different hashes for a block which is about to be final, and no third decided. */
  HashContradictions: 'Count',
  /** Questions for a hash that no other node has answered for ten minutes. */
  SilentWitnesses: 'Count',
  /** Blocks that are indexed and not yet in prices, candles and daily figures, at the end of a slot. */
  RollupLagBlocks: 'Count',
  /** Pools and tokens of whose data nothing is derived any more, because a step failed for them. */
  DerivationsSetAside: 'Count',
  /** Time since the balances in force were completed, or for which the first have been waited for. */
  SnapshotAge: 'Seconds',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;

/**
 * Metrics that are counted for each chain: those that an alarm or the dashboard looks at by chain, as each is paid for each chain.
 * Of the others a line of the log has the chain. `alone`: nothing looks at the sum or the worst of all chains.
 */
export const CHAIN_METRICS: Readonly<Partial<Record<MetricName, 'too' | 'alone'>>> = {
  Calls: 'too',
  CacheHits: 'too',
  RefusedCalls: 'too',
  UnansweredCalls: 'too',
  NodeCalls: 'too',
  UpstreamsTakenOut: 'too',
  UpstreamsLimited: 'too',
  UpstreamsHeld: 'too',
  UpstreamsDisagree: 'too',
  WrongAnswers: 'too',
  ProofLost: 'too',
  UnprovenBlocks: 'too',
  HashContradictions: 'too',
  SilentWitnesses: 'too',
  DerivationsSetAside: 'too',
  IndexerHalted: 'too',
  IndexerLagBlocks: 'too',
  IndexedHeadAge: 'alone',
  RollupLagBlocks: 'alone',
  SnapshotAge: 'alone',
};

/** Metrics that have values only while something fails. */
export const FAULT_METRICS: readonly MetricName[] = [
  'FailedAnswers',
  'InternalErrors',
  'EarlyTimeouts',
  'BillsDisagree',
  'UnansweredCalls',
  'RefusedForUnavailability',
  'DatabaseUnavailable',
  'SlotsWithoutDatabase',
  'ChargeRetries',
  'ChargesQueued',
  'UnchargedComputeUnits',
  'UpstreamsTakenOut',
  'UpstreamsLimited',
  'UpstreamsHeld',
  'UpstreamsDisagree',
  'UnknownNodeWords',
  'HeadsNotKept',
  'UnfrozenRecords',
  'LedgerBehindHead',
  'IndexerHalted',
  'WrongAnswers',
  'ProofLost',
  'UnprovenBlocks',
  'HashContradictions',
  'SilentWitnesses',
  'DerivationsSetAside',
];

/** Metrics in milliseconds. */
export type TimeMetric = {
  [Name in MetricName]: (typeof METRIC_UNITS)[Name] extends 'Milliseconds' ? Name : never;
}[MetricName];

/** One value of a metric, or those of several requests. */
export type MetricValue = number | readonly number[];

export type MetricValues<Value = number> = Readonly<Partial<Record<MetricName, Value>>>;

/** Dimensions of a metric. Never a key or an account: there are too many of them. */
export interface MetricDimensions {
  readonly Chain?: string;
}

/** What ran. Few versions of a function serve at a time, and only those that do cost. */
export interface RunDimensions {
  readonly Function: string;
  readonly Version: string;
}

/** Values that are counted once more by something that has few values. */
interface Breakdown<Value = number> {
  readonly by: { readonly MethodClass: string } | { readonly Reason: string } | { readonly Upstream: string };
  readonly values: MetricValues<Value>;
}

export interface MetricLine<Value = number> {
  /** Counted for all together, and for the dimensions as {@link CHAIN_METRICS} says. @default none */
  readonly values?: MetricValues<Value>;
  readonly dimensions?: MetricDimensions;
  /** What of the values it repeats must be the same there. */
  readonly breakdown?: Breakdown<Value>;
  /** Counted for the function, and for its version. */
  readonly run?: { readonly of: RunDimensions; readonly values: MetricValues<Value> };
  /** What people find the line by; no metric is made of it. */
  readonly fields?: LogFields;
}

/** Values that are counted for a chain, and once more for one of its upstreams. */
export function countsOfUpstream(Chain: string, Upstream: string, values: MetricValues): MetricLine {
  return { values, dimensions: { Chain }, breakdown: { by: { Upstream }, values } };
}

const RUN: readonly string[] = ['Function', 'Version'] satisfies (keyof RunDimensions)[];

/** Renders one line in the embedded metric format, from which CloudWatch Logs makes metrics of a namespace. */
export function renderMetrics(line: MetricLine<MetricValue>, nowMs: number, namespace: string): string {
  const { values = {}, dimensions = {}, breakdown, run, fields } = line;
  const names = Object.keys(dimensions);
  const by = Object.keys(breakdown?.by ?? {});
  const directives = [
    ...byChain(values, names).map(([some, sets]) => directive(namespace, some, sets)),
    directive(namespace, breakdown?.values ?? {}, [by]),
    directive(namespace, run?.values ?? {}, [['Function'], RUN]),
    ...(run !== undefined && breakdown !== undefined && 'AddedLatency' in values
      ? [directive(namespace, { AddedLatency: 0 }, [by, [...RUN, ...by]])]
      : []),
  ].filter(({ Metrics }) => Metrics.length > 0);
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics: directives },
    ...fields,
    ...dimensions,
    ...breakdown?.by,
    ...breakdown?.values,
    ...values,
    ...run?.of,
    ...run?.values,
  });
}

type DimensionSets = readonly (readonly string[])[];

/** The values of a line by what each of them is counted for. @param names of the line's dimensions */
function byChain(
  values: MetricValues<MetricValue>,
  names: readonly string[],
): [MetricValues<MetricValue>, DimensionSets][] {
  if (names.length === 0) return [[values, [[]]]];
  const kinds: [MetricValues<MetricValue>, DimensionSets][] = [
    [{}, [[]]],
    [{}, [[], names]],
    [{}, [names]],
  ];
  for (const [name, value] of Object.entries(values)) {
    const kind = CHAIN_METRICS[name as MetricName];
    const [some] = kinds[kind === undefined ? 0 : kind === 'too' ? 1 : 2] ?? [];
    if (some !== undefined) Object.assign(some, { [name]: value });
  }
  return kinds;
}

function directive(namespace: string, values: MetricValues<MetricValue>, dimensionSets: DimensionSets) {
  const metrics = Object.keys(values).map((name) => ({ Name: name }));
  return { Namespace: namespace, Dimensions: dimensionSets, Metrics: metrics };
}

/** Emits metrics of this moment. */
export function emitMetrics(line: MetricLine<MetricValue>, nowMs: number): void {
  const namespace = process.env[METRIC_NAMESPACE_VARIABLE] ?? STACKLESS_NAMESPACE;
  process.stdout.write(`${renderMetrics(line, nowMs, namespace)}\n`);
}

/** Errors by their reason, a line for each. */
export function errorLines(
  dimensions: MetricLine['dimensions'],
  reasons: ReadonlyMap<string, number>,
): MetricLine[] {
  return [...reasons].map(([Reason, Errors]) => ({
    ...(dimensions && { dimensions }),
    breakdown: { by: { Reason }, values: { Errors } },
  }));
}
