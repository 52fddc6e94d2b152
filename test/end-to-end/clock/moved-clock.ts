/** Loaded before a program: its clock, and that of each process that it starts, is ahead by what a file says. */
import childProcess from 'node:child_process';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const LOOK_INTERVAL_MS = 50;

const { CLOCK_FILE: file = '', NODE_OPTIONS: options } = process.env;
const systemNow = Date.now;
let aheadMs = Number(readFileSync(file, 'utf8'));
setInterval(() => {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // The test has ended, and its processes will.
  }
}, LOOK_INTERVAL_MS).unref();

const now = () => systemNow() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

// A function sees nothing of the environment of the run that starts it.
const { spawn } = childProcess;
childProcess.spawn = ((command: string, given: readonly string[], settings: childProcess.SpawnOptions) => {
  const env = { ...(settings?.env ?? process.env), CLOCK_FILE: file, NODE_OPTIONS: options };
  return spawn(command, given, { ...settings, env });
}) as typeof spawn;
syncBuiltinESMExports();
