import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KindName } from './request-kinds.ts';
import type { StageResources } from './stage-resources.ts';

const FILE = join(import.meta.dirname, 'counted-operations.json');
/** The stage whose resources are on the bill: functions of production size, alarms, firewall. */
export const BILLED_STAGE = 'example-production';
const INDENT = 2;

/** Operations of one request of a kind. */
interface KindOperations {
  /** Read and write units of DynamoDB by table. */
  readonly reads: Readonly<Record<string, number>>;
  readonly writes: Readonly<Record<string, number>>;
  readonly sqsMessages: number;
  readonly databaseCalls: number;
  /** Calls of clients that want a node, and all calls for nodes that serving them took. */
  readonly clientCalls: number;
  readonly nodeCalls: number;
  readonly invocations: number;
  /** Lines of its function, and the line of API Gateway. */
  readonly logBytes: number;
  readonly accessLogBytes: number;
  /** Bytes that the client receives, headers included, without TLS. */
  readonly responseBytes: number;
  /** Compute units that the account is billed. */
  readonly billedCu: number;
  /** How long its function ran on the machine that counted, in milliseconds. */
  readonly localMs: number;
}

/** Operations for one chain that grows, without any call, in a second. */
interface BackgroundOperations {
  readonly databaseCalls: number;
  readonly headWrites: number;
  /** Calls for the node by the functions that follow the chain. */
  readonly nodeCalls: number;
  readonly logBytes: number;
  /** Share of the time for which each function ran. */
  readonly running: Readonly<Record<string, number>>;
}

/** Units of DynamoDB that the books take for one account and hour with traffic. */
interface BookOperations {
  readonly reads: number;
  readonly writes: number;
}

/** The counts, per request of each kind, per account and hour, and per second. */
export interface CountedOperations {
  readonly countedOn: string;
  readonly kinds: Readonly<Record<KindName, KindOperations>>;
  readonly settlement: BookOperations;
  readonly audit: BookOperations;
  readonly background: BackgroundOperations;
}

/** What the bill is made from: resources of the stage that is billed, and counted operations. */
interface CountedFile {
  readonly resources: StageResources;
  readonly counted: CountedOperations;
}

/** Reads what was counted last. */
export function readCountedFile(): CountedFile {
  return JSON.parse(readFileSync(FILE, 'utf8')) as CountedFile;
}

/** Keeps what was counted. */
export function writeCountedFile(file: CountedFile): void {
  writeFileSync(FILE, `${JSON.stringify(file, undefined, INDENT)}\n`);
}
