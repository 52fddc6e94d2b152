/** Runs a benchmark by its name, in a process of its own: `npm run bench -- NAME [arguments]`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openRunFolder, removeRunFolder } from '../test/support/run-folder.ts';

interface Benchmark {
  /** A script of this folder. */
  readonly script: string;
  /** What may stand behind the name, and what it is without. @default nothing */
  readonly takes?: string;
  readonly summary: string;
}

/** Every benchmark, by its name. */
const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  rpc: {
    script: 'rpc/rpc.ts',
    takes: '[--group TEXT]',
    summary: 'function, layer and local run beside a bare proxy: three minutes',
  },
  metering: {
    script: 'rpc/metering.ts',
    summary: 'a request while DynamoDB is slow, beside one while it is not: a minute',
  },
  scanner: { script: 'rpc/scanner.ts', summary: 'the envelope scanner beside JSON.parse: seconds' },
  cache: {
    script: 'rpc/cache.ts',
    takes: '[--calls N]',
    summary: 'look-ups of the response cache, and what a mix of calls finds: seconds',
  },
  upstreams: {
    script: 'rpc/upstreams.ts',
    takes: '[--calls N]',
    summary: 'calls over three nodes, one of them silent, beside all healthy: a minute',
  },
  heads: {
    script: 'rpc/heads.ts',
    takes: '[--before FOLDER]',
    summary: 'ways to a node, and heads that go back, beside another version: a minute',
  },
  bulkheads: {
    script: 'rpc/bulkheads.ts',
    takes: '[--seconds N]',
    summary: 'two chains while the node of a third stalls, beside before: a minute',
  },
  settlement: {
    script: 'books/settlement.ts',
    takes: '[--accounts N] [--lanes N] [--table N] [--put MS]',
    summary: 'settlement of 6,000 accounts beside the same without statements: a minute',
  },
  bill: {
    script: 'books/bill.ts',
    takes: '[--lanes N]',
    summary: 'memory of roots, and a month of a million lanes verified: two minutes',
  },
  restore: {
    script: 'books/restore.ts',
    takes: '[--records N] [--emulator NAME]',
    summary: 'a million records of the ledger into an empty table: half an hour',
  },
  index: {
    script: 'indexing/index.ts',
    takes: '[--blocks N]',
    summary: 'the indexer by itself over 10,000 blocks: two minutes',
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
  },
  database: {
    script: 'indexing/database.ts',
    takes: '[--chains N] [--blocks N]',
    summary: 'what a live block takes of PostgreSQL, eight chains beside one: a minute',
  },
  data: {
    script: 'data/data.ts',
    takes: '[--transfers N]',
    summary: 'operations of the Data API beside their bare SQL, 10 M transfers: half an hour',
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
  },
};
const HELP_ARGUMENTS: ReadonlySet<string> = new Set(['--help', '-h']);
const CALL_WIDTH = 40;
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
  if (benchmark === undefined) {
    process.stderr.write(`there is no benchmark "${name}"\n\n${helpText()}`);
    return USAGE_EXIT_CODE;
  }
  openRunFolder();
  // Compiled code is part of the measurement.
  delete process.env.NODE_COMPILE_CACHE;
  try {
    return await runScript(benchmark.script, scriptArguments);
  } finally {
    removeRunFolder();
  }
}

function helpText(): string {
  const rows = Object.entries(BENCHMARKS).map(([name, { takes = '', summary }]) => {
    const call = `${name} ${takes}`.trim();
    return `  ${call.padEnd(CALL_WIDTH)}${summary}\n`;
  });
  return `usage: npm run bench -- NAME [arguments]\n\n${rows.join('')}`;
}

/** Exit code of a script. It is told to end as this process is. */
function runScript(script: string, scriptArguments: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...scriptArguments], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? FAILURE_EXIT_CODE));
  });
}

process.exitCode = await main(process.argv.slice(2));
