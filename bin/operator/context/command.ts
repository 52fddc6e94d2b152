import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { RefusalStore } from '../../../lambdas/access/contract/refusals.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import type { CacheStore } from '../../../lambdas/shared/aws/cache-store.ts';
import type { HeadSigner } from '../../../lambdas/shared/aws/head-signer.ts';
import type { ObjectStore } from '../../../lambdas/shared/aws/object-store.ts';
import type { WorkQueue } from '../../../lambdas/shared/aws/work-queue.ts';
import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Telemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import type { SharedTextStore } from '../../../lambdas/shared/upstream/sharing/shared-item.ts';
import type { TableReader } from '../restore/table-reader.ts';
import type { AskAws } from './ask-aws.ts';
import type { Buckets, ReleaseOutputs } from './gateway-outputs.ts';

/** The metering tables of a gateway. */
export interface OpenedTables {
  readonly store: Store;
  /** Opens the metering tables as wholes. */
  openTables(): Promise<TableAccess>;
}

/** The gateway that a command works on. */
export interface Context extends OpenedTables {
  readonly clock: Clock;
  /** Names of the plans that this gateway has. */
  readonly plans: readonly string[];
  /** Partitions of an account's lanes, by its plan. */
  readonly shards: Readonly<Record<string, number>>;
  readonly defaultPlan: string;
  /** Most compute units that one process holds back before it stores them. */
  readonly groupCommitCu: number;
  /** Absent if the gateway indexes no chain. */
  openIndexing?(): Promise<IndexingAccess>;
  /** Absent if the gateway has no versions: a local run. */
  readonly releases?: ReleaseAccess;
  readonly cache: CacheAccess;
  /** Counts of refusals by the bounds of keys. */
  readonly refusals: Pick<RefusalStore, 'read'>;
  /** Opens a bucket of the gateway. */
  openBucket(bucket: keyof Buckets): Promise<ObjectStore>;
  /** Opens the key that signs heads. */
  openSigner(): Promise<HeadSigner>;
  /** Stores the key of receipts. */
  writeIssuer(text: string): Promise<void>;
}

/** The metering tables, to be read from begin to end. */
interface TableAccess {
  readonly reader: TableReader;
  /** Physical names. */
  readonly names: Readonly<Record<Table, string>>;
}

/** The releases of a stack in AWS. Whatever asks for them rejects as the service fails. */
export interface ReleaseAccess extends ReleaseOutputs {
  readonly ask: AskAws;
  readonly region: string;
  readonly pause: Sleep;
}

/** What all instances of a gateway share: responses, and what they know of chains. */
interface CacheAccess {
  readonly store: CacheStore;
  readonly texts: SharedTextStore;
  /** Names of the chains that this gateway serves. */
  readonly chains: readonly string[];
}

/** The parts that work on the chain database of a gateway. */
export interface IndexingAccess {
  /** In the role that only reads. */
  readonly database: ChainDatabase;
  /** Takes ranges to backfill. */
  readonly backfill: WorkQueue;
  /** Takes files that chains are filled from. */
  readonly blockFiles: Pick<ObjectStore, 'putNew'>;
}

/** Values of arguments by name; a switch is `true`. */
export type Arguments = Readonly<Record<string, string | boolean | undefined>>;

/** What a command prints: `json` with `--json`, else `text` (lines without the last line end). */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** @default 0 */
  readonly exitCode?: number;
}

export interface Flag {
  /** A string has a value, a boolean is a switch. */
  readonly type: 'string' | 'boolean';
  /** The command does not work without it. */
  readonly needed?: true;
  /** What it does, with the unit of its value. */
  readonly summary: string;
}

/** An argument by its place; `account` can also stand as `--account`. */
interface Positional {
  readonly name: string;
  readonly optional?: true;
  /** What it names, with its unit. */
  readonly summary: string;
}

/** One command of the operator CLI. */
export interface Command {
  /** The words that call it, such as `account create`. */
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** A command line that works, without the flags that choose the gateway. */
  readonly example: string;
  /**
   * Rejects with {@link InputError} for wrong input.
   * @param notices takes what is to be printed of the work beside its outcome
   */
  run(context: Context, args: Arguments, notices: Telemetry): Promise<Outcome>;
}

export const ACCOUNT = { name: 'account', summary: 'id of the account, such as acme' } as const;
export const CHAIN = { name: 'chain', summary: 'name of the chain in the stage file, such as base' } as const;

/** A flag with a value. */
export function valueFlag(summary: string): Flag {
  return { type: 'string', summary };
}

/** One that the command does not work without. */
export function neededFlag(summary: string): Flag {
  return { type: 'string', needed: true, summary };
}

/** A flag without a value. */
export function switchFlag(summary: string): Flag {
  return { type: 'boolean', summary };
}

/** Value of an argument that may be missing. */
export function optionalText(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** Value of an argument that the command needs. */
export function requiredText(args: Arguments, name: string): string {
  const value = optionalText(args, name);
  if (value === undefined) throw new InputError(`--${name} is missing`);
  return value;
}
