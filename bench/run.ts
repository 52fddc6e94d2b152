/** Runs a benchmark by its name, each script of it in a process of its own: `npm run bench -- NAME [arguments]`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Scripts of this folder, by the name of the benchmark that they are. */
const BENCHMARKS: Readonly<Record<string, readonly string[]>> = {
  cache: ['cache.ts'],
  data: ['data.ts'],
  index: ['index.ts'],
  'index-ponder': ['index-ponder.ts'],
  rpc: ['rpc.ts', 'scanner.ts'],
  scanner: ['scanner.ts'],
  settlement: ['settlement.ts'],
  upstreams: ['upstreams.ts'],
};
const USAGE_EXIT_CODE = 2;
const FAILURE_EXIT_CODE = 1;

/** Runs the scripts one after the other, also after one that missed a target; returns the exit code. */
async function main([name = '', ...scriptArguments]: readonly string[]): Promise<number> {
  const scripts = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (scripts === undefined) {
    process.stderr.write(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join('|')} [arguments]\n`);
    return USAGE_EXIT_CODE;
  }
  let worst = 0;
  for (const script of scripts) {
    const code = await runScript(script, scriptArguments);
    if (code === undefined) return FAILURE_EXIT_CODE;
    worst = Math.max(worst, code);
  }
  return worst;
}

/** Exit code of a script; undefined if it was told to end, as then is this process. */
function runScript(script: string, scriptArguments: readonly string[]): Promise<number | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...scriptArguments], {
    stdio: 'inherit',
  });
  let stopped = false;
  const stop = (signal: NodeJS.Signals) => {
    stopped = true;
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(stopped ? undefined : (code ?? FAILURE_EXIT_CODE)));
  });
}

process.exitCode = await main(process.argv.slice(2));
