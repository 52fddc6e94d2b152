import type { Clock } from '../lambdas/shared/runtime/clock.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import type { DataFolder } from './data-folder.ts';
import type { Logs } from './logs.ts';
import type { RunOptions } from './options.ts';
import type { Closers } from './processes/closers.ts';
import type { Step } from './steps.ts';

/** What a run notes of itself. */
interface RunLife {
  /** Time of the last request to the gateway, or of the start; milliseconds since the epoch. */
  requestAtMs: number;
  /** Blocks that the run has made itself, by chain. */
  readonly ownBlocks: Map<string, number>;
}

/** The values that every step of a run's start needs. */
export interface RunContext {
  readonly options: RunOptions;
  readonly config: StageConfig;
  readonly clock: Clock;
  /** Made for this run: its endpoints know no other. */
  readonly accessKeyId: string;
  readonly folder: DataFolder;
  readonly logs: Logs;
  /** Runs a step of the start, and says so. */
  readonly step: Step;
  /** What has happened in this run so far. */
  readonly life: RunLife;
  /** The parts that are to be stopped again, in the order of starting. */
  readonly closers: Closers;
}
