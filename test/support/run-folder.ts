import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Variable with the folder that the test files of one run share. */
const RUN_FOLDER_VARIABLE = 'GATEWAY_TEST_RUN_FOLDER';
/** Variable of the CDK: whether it checks a template by the rules of CloudFormation as it synthesises it. */
export const CDK_VALIDATION_VARIABLE = 'CDK_VALIDATION';
/** Variable with the folder of bundles (lib/functions/bundle.ts, which takes a second to load). */
export const KEPT_BUNDLES_VARIABLE = 'GATEWAY_KEPT_BUNDLES';
/** Variable with options of every Java that is started. */
const JAVA_OPTIONS_VARIABLE = 'JDK_JAVA_OPTIONS';
/** For a Java that lives for seconds: what its best compiler and its threads for garbage take is never won back. */
const SHORT_LIVED_JAVA = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
/** Files that Linux keeps in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** How it is mounted; some tests run a program that they write. */
const MOUNTED = /^\S+ \/dev\/shm tmpfs (\S+)/m;
const WITHOUT_PROGRAMS = /\bnoexec\b/;
/** What a run leaves of the memory, or of the folder: its databases take a gigabyte, its processes three. */
const MEMORY_NEEDED_BYTES = 8 * 1024 ** 3;
const NAME = /^test-run-(\d+)-/;

/** The folder that the test files of this run share, for what is made once for all of them. */
export function runFolder(): string {
  const folder = process.env[RUN_FOLDER_VARIABLE];
  if (folder === undefined)
    throw new Error(`${RUN_FOLDER_VARIABLE} is not set: the run has no global set-up`);
  return folder;
}

/**
 * Makes the folder of a run, in memory where there is enough: databases make and remove thousands of small files. The
 * processes that are started from now on have their temporary files there, and what Node.js compiles and what is
 * bundled: each once in a run and not once in each process. The CDK checks no template by the rules of CloudFormation,
 * which takes as long as the synthesis: deep tests check those of the stages that are shipped (synthesised-once.ts).
 */
export function openRunFolder(): void {
  const parent = hasMemory() ? MEMORY_FOLDER : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `test-run-${process.pid}-`));
  process.env[RUN_FOLDER_VARIABLE] = folder;
  process.env.TMPDIR = join(folder, 'temporary');
  mkdirSync(process.env.TMPDIR);
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  process.env[KEPT_BUNDLES_VARIABLE] = join(folder, 'bundles');
  mkdirSync(process.env[KEPT_BUNDLES_VARIABLE]);
  process.env[CDK_VALIDATION_VARIABLE] = 'false';
  process.env[JAVA_OPTIONS_VARIABLE] ??= SHORT_LIVED_JAVA;
}

/** Whether the run with this folder has not ended, nor been killed. */
export function isRunning(folder: string): boolean {
  const pid = NAME.exec(basename(folder))?.[1];
  return pid !== undefined && existsSync(folder) && isAlive(Number(pid));
}

export function removeRunFolder(): void {
  rmSync(runFolder(), { recursive: true, force: true });
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const options = MOUNTED.exec(readFileSync('/proc/mounts', 'utf8'))?.[1] ?? 'noexec';
    if (WITHOUT_PROGRAMS.test(options)) return false;
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_NEEDED_BYTES;
  } catch {
    // Another system, which has no such folder.
    return false;
  }
}

/** Removes what runs left that were killed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
