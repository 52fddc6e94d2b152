import type { Exchange } from './counting-proxy.ts';

/** Payload of the RDS Data API that is billed as one request, in bytes. */
const DATA_API_UNIT_BYTES = 32 * 1024;
/** Units that an action of a transaction consumes; alone it would consume one. */
const TRANSACTION_FACTOR = 2;
/** Bytes that CloudWatch Logs adds to each event that it bills. */
const LOG_EVENT_BYTES = 26;
/** Times in milliseconds in a line, whose digits depend on the machine, and what stands for each: of three digits. */
const TIMES = /("(?:\w*(?:Ms|Latency)|RunTime)":"?)[\d.]+/g;
const ANY_TIME = '$1100';

/** Operations between two moments. */
export interface Operations {
  /** Read and write units of DynamoDB by table. */
  readonly reads: Readonly<Record<string, number>>;
  readonly writes: Readonly<Record<string, number>>;
  readonly sqsMessages: number;
  /** Requests to the RDS Data API by role, as they are billed: one for each 32 KB of payload. */
  readonly databaseCalls: Readonly<Record<string, number>>;
  /** Runs of functions that ended, by name, and how long functions ran on this machine, in milliseconds. */
  readonly invocations: Readonly<Record<string, number>>;
  readonly localMs: Readonly<Record<string, number>>;
  /** What functions and API wrote to their logs, by name, in bytes, with what CloudWatch adds to each line. */
  readonly logBytes: Readonly<Record<string, number>>;
  /** Calls for nodes as the functions say: those of clients that wanted one, all by what serves clients, and by the index. */
  readonly nodeCalls: Readonly<Record<NodeAsker, number>>;
}

/** Whose calls for nodes are counted. */
type NodeAsker = 'clients' | 'gateway' | 'index';

interface ConsumedCapacity {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
}

/** The members of a request to DynamoDB, and of its response, that say what it costs. */
interface DynamoRequest {
  readonly TableName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

/** A run that has not ended, and up to when its time is counted. */
interface RunningFunction {
  readonly name: string;
  countedToMs: number;
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

/** Counts what a stage does, from what passes its proxies and from what its functions write. */
export class OperationTally {
  readonly #tableNames: ReadonlyMap<string, string>;
  readonly #nowMs: () => number;
  readonly #running = new Set<RunningFunction>();
  #counted = emptyOperations();

  /**
   * @param tableNames names of the tables for people, by physical name
   * @param nowMs the time, in milliseconds from any moment on
   */
  constructor(tableNames: ReadonlyMap<string, string>, nowMs: () => number = () => performance.now()) {
    this.#tableNames = tableNames;
    this.#nowMs = nowMs;
  }

  /** The counts since the last call. */
  take(): Operations {
    for (const run of this.#running) this.#countTime(run);
    const counted = this.#counted;
    this.#counted = emptyOperations();
    return counted;
  }

  /** Whether a function has ended a run since the last take, and both it and the API have written about it. */
  hasAnswered(name: string): boolean {
    const { invocations, logBytes } = this.#counted;
    const isRunning = [...this.#running].some((run) => run.name === name);
    return !isRunning && [invocations[name], logBytes[name], logBytes.access].every((count) => count);
  }

  readonly onDynamo = ({ operation, request, status, response }: Exchange): void => {
    const kind = READS.has(operation) ? 'reads' : WRITES.has(operation) ? 'writes' : undefined;
    if (kind === undefined) return;
    const input = JSON.parse(request.toString()) as DynamoRequest;
    const units =
      status === 200
        ? consumed(JSON.parse(response.toString()) as { ConsumedCapacity?: unknown })
        : refused(operation, input);
    for (const { TableName = '', CapacityUnits = 0 } of units) {
      const table = isHeadRecord(operation, request)
        ? 'heads'
        : (this.#tableNames.get(TableName) ?? TableName);
      add(this.#counted[kind], table, CapacityUnits);
    }
  };

  readonly onSqs = ({ operation }: Exchange): void => {
    if (operation === 'SendMessage') this.#counted.sqsMessages += 1;
  };

  readonly onDatabase = ({ request, response }: Exchange): void => {
    const units = Math.max(1, Math.ceil((request.length + response.length) / DATA_API_UNIT_BYTES));
    add(this.#counted.databaseCalls, roleOf(request), units);
  };

  /** Times in a line count as three digits, however many they have. */
  onLogLine(name: string, line: string): void {
    add(this.#counted.logBytes, name, Buffer.byteLength(line.replace(TIMES, ANY_TIME)) + LOG_EVENT_BYTES);
    for (const [asker, calls] of nodeCallsIn(line)) this.#counted.nodeCalls[asker] += calls;
  }

  /** Counts a run that begins now, and its time also while it lasts. @returns what is to be called at its end */
  onInvocation(name: string): () => void {
    const run = { name, countedToMs: this.#nowMs() };
    this.#running.add(run);
    return () => {
      this.#countTime(run);
      this.#running.delete(run);
      add(this.#counted.invocations, name, 1);
    };
  }

  #countTime(run: RunningFunction): void {
    const nowMs = this.#nowMs();
    add(this.#counted.localMs, run.name, nowMs - run.countedToMs);
    run.countedToMs = nowMs;
  }
}

/** Calls for nodes in a line of metrics. A request's line has its calls; those by class have none of their own. */
function nodeCallsIn(line: string): readonly (readonly [NodeAsker, number])[] {
  if (!line.includes('"_aws"')) return [];
  const metrics = JSON.parse(line) as Readonly<Record<string, number | undefined>>;
  const { Requests, Calls = 0, CacheHits = 0, RefusedCalls = 0, NodeCalls = 0, IndexNodeCalls = 0 } = metrics;
  return [
    ['clients', Requests === undefined ? 0 : Calls - CacheHits - RefusedCalls],
    ['gateway', NodeCalls],
    ['index', IndexNodeCalls],
  ];
}

/** Asks DynamoDB to say what a request consumes. */
export function askForCapacity(operation: string, body: Buffer): Buffer {
  if (!READS.has(operation) && !WRITES.has(operation)) return body;
  return Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: 'TOTAL' }));
}

function consumed({
  ConsumedCapacity,
}: {
  readonly ConsumedCapacity?: unknown;
}): readonly ConsumedCapacity[] {
  if (ConsumedCapacity === undefined) throw new Error('DynamoDB did not say what a request consumed');
  return Array.isArray(ConsumedCapacity) ? ConsumedCapacity : [ConsumedCapacity as object];
}

/** A refused write consumes what it would have written, and at least one unit; DynamoDB does not say it. */
function refused(
  operation: string,
  { TableName, TransactItems = [] }: DynamoRequest,
): readonly ConsumedCapacity[] {
  if (READS.has(operation)) return [];
  if (TableName !== undefined) return [{ TableName, CapacityUnits: 1 }];
  return TransactItems.flatMap((action) => Object.values(action)).map((action) => ({
    TableName: action.TableName ?? '',
    CapacityUnits: TRANSACTION_FACTOR,
  }));
}

/** The indexed heads are on record in the table of cached responses. */
function isHeadRecord(operation: string, request: Buffer): boolean {
  return operation === 'BatchWriteItem' && request.includes('"head#');
}

/** Whose secret a request to the database names: only the Data API reads as the reader. */
function roleOf(request: Buffer): 'reader' | 'writer' {
  const { secretArn } = JSON.parse(request.toString()) as { readonly secretArn?: string };
  return secretArn?.includes('Reader') === true ? 'reader' : 'writer';
}

function emptyOperations() {
  return {
    reads: {} as Record<string, number>,
    writes: {} as Record<string, number>,
    sqsMessages: 0,
    databaseCalls: {} as Record<string, number>,
    invocations: {} as Record<string, number>,
    localMs: {} as Record<string, number>,
    logBytes: {} as Record<string, number>,
    nodeCalls: { clients: 0, gateway: 0, index: 0 },
  };
}

function add(sums: Record<string, number>, name: string, amount: number): void {
  sums[name] = (sums[name] ?? 0) + amount;
}
