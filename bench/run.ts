/** Runs a benchmark by its name, in a process of its own: `npm run bench -- NAME [arguments]`. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openRunFolder, removeRunFolder, runFolder } from '../test/support/run-folder.ts';
import { besideBefore, FIGURES_VARIABLE, readShown } from './before.ts';
import { printFigures } from './figures.ts';

interface Benchmark {
  /** A script of this folder. */
  readonly script: string;
  /** What may stand behind the name, and what it is without. @default nothing */
  readonly takes?: string;
  readonly summary: string;
  /** Whether another version can be measured beside this one. @default it cannot */
  readonly takesBefore?: true;
}

/** Every benchmark, by its name. */
const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  rpc: {
    script: 'rpc/rpc.ts',
    takes: '[--group TEXT]',
    summary: 'function, layer and local run beside a bare proxy: three minutes',
    takesBefore: true,
  },
  metering: {
    script: 'rpc/metering.ts',
    summary: 'a request while DynamoDB is slow, beside one while it is not: a minute',
  },
  scanner: { script: 'rpc/scanner.ts', summary: 'the envelope scanner beside JSON.parse: seconds' },
  upstreams: {
    script: 'rpc/upstreams.ts',
    takes: '[--calls N]',
    summary: 'calls over three nodes, one of them silent, beside all healthy: a minute',
    takesBefore: true,
  },
  bulkheads: {
    script: 'rpc/bulkheads.ts',
    takes: '[--seconds N]',
    summary: 'two chains while the node of a third stalls, beside all healthy: a minute',
    takesBefore: true,
  },
  restore: {
    script: 'books/restore.ts',
    takes: '[--records N] [--emulator NAME]',
    summary: 'a million records of the ledger into an empty table: half an hour',
  },
  index: {
    script: 'indexing/index.ts',
    takes: '[--blocks N] [--only TITLE]',
    summary: 'the indexer by itself over 10,000 blocks, and what proof adds: four minutes',
    takesBefore: true,
  },
  'index-ponder': {
    script: 'indexing/index-ponder.ts',
    takes: '[--blocks N]',
    summary: 'the indexer beside Ponder, which it installs first: five minutes',
  },
  fill: {
    script: 'filling/fill.ts',
    takes: '[--only PART] [--blocks N]',
    summary: 'a past by files beside the same page by page: ten minutes',
    takesBefore: true,
  },
  data: {
    script: 'data/data.ts',
    takes: '[--transfers N]',
    summary: 'operations of the Data API beside their bare SQL, 10 M transfers: half an hour',
    takesBefore: true,
  },
  growth: {
    script: 'data/growth.ts',
    takes: '[--transfers N]',
    summary: 'their statements beside themselves over a tenth of the rows: half an hour',
  },
  export: {
    script: 'data/export.ts',
    takes: '[--transfers N]',
    summary: 'a million transfers as one file beside their pages: ten minutes',
    takesBefore: true,
  },
  neighbours: {
    script: 'data/neighbours.ts',
    takes: '[--seconds N]',
    summary: 'a customer beside a key that takes long rows, and without it: three minutes',
  },
  prices: {
    script: 'data/prices.ts',
    takes: '[--transfers N]',
    summary: 'what a CU of each operation costs beside the median: four minutes',
    takesBefore: true,
  },
};
const HELP_ARGUMENTS: ReadonlySet<string> = new Set(['--help', '-h']);
const BEFORE = '--before';
const TURNS = '--turns';
const CALL_WIDTH = 46;
const USAGE_EXIT_CODE = 2;
const FAILURE_EXIT_CODE = 1;

/** Returns the exit code: 1 if a target was missed. */
async function main(commandLine: readonly string[]): Promise<number> {
  if (commandLine.length === 0 || commandLine.some((argument) => HELP_ARGUMENTS.has(argument))) {
    process.stdout.write(helpText());
    return 0;
  }
  const [name = '', ...scriptArguments] = commandLine;
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (benchmark === undefined) return refuse(`there is no benchmark "${name}"`);
  const before = takeOption(scriptArguments, BEFORE);
  const turns = Number(takeOption(scriptArguments, TURNS) ?? 1);
  if (before !== undefined && benchmark.takesBefore !== true) return refuse(`${name} takes no ${BEFORE}`);
  if (!Number.isSafeInteger(turns) || turns < 1) return refuse(`${TURNS} is a whole number from 1`);
  openRunFolder();
  // Compiled code is part of the measurement.
  delete process.env.NODE_COMPILE_CACHE;
  const script = join(import.meta.dirname, benchmark.script);
  try {
    if (before === undefined) return await runScript([script, ...scriptArguments]);
    const other = [join(resolve(before), 'bench', 'run.ts'), name, ...scriptArguments];
    return await takeTurns({ own: [script, ...scriptArguments], other, turns });
  } finally {
    removeRunFolder();
  }
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n\n${helpText()}`);
  return USAGE_EXIT_CODE;
}

/** Takes an option and its value out of the arguments. */
function takeOption(scriptArguments: string[], name: string): string | undefined {
  const place = scriptArguments.indexOf(name);
  return place < 0 ? undefined : scriptArguments.splice(place, 2)[1];
}

function helpText(): string {
  const rows = Object.entries(BENCHMARKS).map(([name, { takes = '', summary, takesBefore }]) => {
    const call = `${name} ${takes}`.trim();
    return `  ${call.padEnd(CALL_WIDTH)}${takesBefore === true ? '* ' : '  '}${summary}\n`;
  });
  return `usage: npm run bench -- NAME [arguments]

${rows.join('')}
  * ${BEFORE} FOLDER [${TURNS} N]: beside the version whose checkout, with its packages, is in that folder; both by turns
`;
}

interface Versions {
  /** Command lines of Node. */
  readonly own: readonly string[];
  readonly other: readonly string[];
  readonly turns: number;
}

/** Runs both versions by turns and prints the figures that both have. @returns the worst exit code of this version */
async function takeTurns({ own, other, turns }: Versions): Promise<number> {
  const file = (version: string, turn: number) => join(runFolder(), `figures-${version}-${turn}`);
  let worst = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    await runScript(other, { [FIGURES_VARIABLE]: file('before', turn) });
    if (!existsSync(file('before', turn))) {
      process.stderr.write(`the version of ${BEFORE} has measured nothing: see its message above\n`);
      return FAILURE_EXIT_CODE;
    }
    worst = Math.max(worst, await runScript(own, { [FIGURES_VARIABLE]: file('now', turn) }));
  }
  const read = (version: string) =>
    Array.from({ length: turns }, (_, turn) => readShown(file(version, turn)));
  for (const { title, figures } of besideBefore(read('now'), read('before'))) printFigures(title, figures);
  return worst;
}

/** Exit code of a script. It is ended as this process is. */
function runScript(commandLine: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(process.execPath, commandLine, {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (code) => done(code ?? FAILURE_EXIT_CODE));
  });
}

process.exitCode = await main(process.argv.slice(2));
