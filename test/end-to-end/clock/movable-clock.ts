import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Much longer than a process takes to look again. */
const SEEN_BY_ALL_MS = 1_000;

/** The clock of a run that a test moves: of `npm start`, of all functions that it starts, and of commands. */
export interface MovableClock {
  /** For each process that shall go by it; its own processes do too. */
  readonly environment: NodeJS.ProcessEnv;
  /** How far it was moved. */
  readonly aheadMs: number;
  /** Moves it ahead; resolves once every process goes by it. */
  advance(durationMs: number): Promise<void>;
  close(): void;
}

/** A clock that goes right until it is moved. */
export function openMovableClock(): MovableClock {
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  const file = join(folder, 'ahead-ms');
  let aheadMs = 0;
  const write = () => {
    writeFileSync(`${file}.new`, String(aheadMs));
    renameSync(`${file}.new`, file);
  };
  write();
  const preload = pathToFileURL(join(import.meta.dirname, 'moved-clock.ts'));
  return {
    get aheadMs() {
      return aheadMs;
    },
    environment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file },
    advance: async (durationMs) => {
      aheadMs += durationMs;
      write();
      await sleep(SEEN_BY_ALL_MS);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
