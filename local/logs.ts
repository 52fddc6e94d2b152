import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Size at which a log file is put aside as `<name>.1`, in the place of the one before. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** The log files of a run: one for each name, in one folder. */
export interface Logs {
  write(name: string, line: string): void;
  close(): void;
}

/**
 * Opens the log files of a folder; what earlier runs wrote stays in them.
 * @param tell takes one line for people when a file cannot be written: nothing more is logged then
 */
export function openLogs(folder: string, tell: (line: string) => void): Logs {
  mkdirSync(folder, { recursive: true });
  const files = new Map<string, LogFile>();
  let ended = false;
  return {
    write: (name, line) => {
      if (ended) return;
      try {
        const file = files.get(name) ?? new LogFile(join(folder, `${name}.log`));
        files.set(name, file);
        file.write(line);
      } catch (error) {
        ended = true;
        tell(`logging has stopped: ${(error as Error).message}`);
      }
    },
    close: () => {
      for (const file of files.values()) file.close();
      files.clear();
    },
  };
}

class LogFile {
  readonly #path: string;
  #descriptor: number;
  #size: number;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#descriptor).size;
  }

  write(line: string): void {
    if (this.#size > MAX_LOG_BYTES) this.#putAside();
    this.#size += writeSync(this.#descriptor, `${line}\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #putAside(): void {
    this.close();
    renameSync(this.#path, `${this.#path}.1`);
    this.#descriptor = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}
