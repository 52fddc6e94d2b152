import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lambdas/shared/runtime/clock.ts';
import type { DataFolder } from './data-folder.ts';
import { folderTrouble } from './folder-trouble.ts';

/** Size at which a log file is put aside as `<name>.1`, in the place of the one before. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** Name of the line that stands for lines that could not be written. */
const LINES_LOST = 'log_lines_lost';

/** The log files of a run: one for each name, in one folder. */
export interface Logs {
  write(name: string, line: string): void;
  close(): void;
}

/** Lines that could not be written. */
interface Loss {
  readonly since: string;
  readonly reason: string;
  lines: number;
}

/**
 * Opens the log files of a folder; what earlier runs wrote stays in them. Each line is tried, also while the disk is full:
 * the first that fits again follows one that says since when and how many lines were lost.
 * @param tell takes one line for people when the first line is lost, and one when all files are written again
 */
export function openLogs(
  folder: Pick<DataFolder, 'path' | 'logs'>,
  clock: Clock,
  tell: (line: string) => void,
): Logs {
  mkdirSync(folder.logs, { recursive: true });
  const files = new Map<string, LogFile>();
  const troubled = new Set<LogFile>();
  let loss: Loss | undefined;
  const lose = (file: LogFile, error: NodeJS.ErrnoException) => {
    const since = new Date(clock.now()).toISOString();
    const reason = folderTrouble(folder.path, String(error.code), undefined) ?? error.message;
    if (loss === undefined)
      tell(`logging has stopped: ${reason}. Each line is tried again; those that are lost are counted`);
    loss ??= { since, reason, lines: 0 };
    file.loss ??= { since, reason, lines: 0 };
    loss.lines += 1;
    file.loss.lines += 1;
    troubled.add(file);
  };
  return {
    write: (name, line) => {
      const file = files.get(name) ?? new LogFile(join(folder.logs, `${name}.log`));
      files.set(name, file);
      const error = file.write(line);
      if (error !== undefined) return lose(file, error);
      for (const one of troubled) if (one.write() === undefined) troubled.delete(one);
      if (loss === undefined || troubled.size > 0) return;
      tell(`lines are logged again: ${loss.lines} were lost since ${loss.since}`);
      loss = undefined;
    },
    close: () => {
      if (loss !== undefined) tell(`${loss.lines} lines were not logged since ${loss.since}: ${loss.reason}`);
      for (const file of files.values()) file.close();
      files.clear();
    },
  };
}

class LogFile {
  readonly #path: string;
  /** Undefined: it is opened by the next line. */
  #descriptor: number | undefined;
  #size = 0;
  /** What its log does not say yet. */
  loss: Loss | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes what was lost before, and a line if there is one. @returns why the line is not written */
  write(line?: string): NodeJS.ErrnoException | undefined {
    try {
      if (this.loss !== undefined) this.#append(JSON.stringify({ event: LINES_LOST, ...this.loss }));
      this.loss = undefined;
      if (line !== undefined) this.#append(line);
      return undefined;
    } catch (error) {
      return error as NodeJS.ErrnoException;
    }
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #append(line: string): void {
    if (this.#size > MAX_LOG_BYTES) this.#putAside();
    this.#descriptor ??= this.#open();
    const text = Buffer.from(`${line}\n`);
    try {
      writeFileSync(this.#descriptor, text);
      this.#size += text.length;
    } catch (error) {
      // The piece of a line that found room would become one with the next.
      if (fstatSync(this.#descriptor).size > this.#size) ftruncateSync(this.#descriptor, this.#size);
      this.close();
      throw error;
    }
  }

  #open(): number {
    const descriptor = openSync(this.#path, 'a', 0o600);
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }

  #putAside(): void {
    this.close();
    renameSync(this.#path, `${this.#path}.1`);
    this.#size = 0;
  }
}
