/** Runs a benchmark by its name, each script of it in a process of its own: `npm run bench -- NAME [arguments]`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openRunFolder, removeRunFolder } from '../test/support/run-folder.ts';

interface Benchmark {
  /** Scripts of this folder, in the order in which they run. */
  readonly scripts: readonly string[];
  /** What may stand behind the name, and what it is without. @default nothing */
  readonly takes?: string;
  readonly summary: string;
}

/** Every benchmark, by its name. */
const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  bulkheads: {
    scripts: ['bulkheads.ts'],
    takes: '[--seconds N]',
    summary: 'three chains of which one stalls, through a local run with twelve instances: about a minute',
  },
  cache: {
    scripts: ['cache.ts'],
    takes: '[--calls N]',
    summary: 'look-ups of the response cache, and a mix of 20,000 calls',
  },
  data: {
    scripts: ['data/data.ts'],
    takes: '[TRANSFERS]',
    summary: 'every operation of the Data API over 10,000,000 transfers: about half an hour',
  },
  database: {
    scripts: ['database.ts'],
    takes: '[--chains N] [--blocks N]',
    summary:
      'statements and processor time of a live block in PostgreSQL, of one chain and of eight: a minute',
  },
  export: {
    scripts: ['data/export.ts'],
    takes: '[TRANSFERS]',
    summary:
      '1,000,000 transfers as one file beside their pages, and the memory of the function: about ten minutes',
  },
  growth: {
    scripts: ['data/growth.ts'],
    takes: '[TRANSFERS]',
    summary: 'the statements of the Data API over 10,000,000 transfers beside a tenth: about half an hour',
  },
  heads: {
    scripts: ['heads.ts'],
    takes: '[--before FOLDER]',
    summary: 'ways to a node, calls of nodes and heads that go back, of quiet and busy processes: a minute',
  },
  index: { scripts: ['index.ts'], takes: '[BLOCKS]', summary: 'the indexer by itself over 10,000 blocks' },
  'index-ponder': {
    scripts: ['index-ponder.ts'],
    takes: '[BLOCKS]',
    summary: 'the indexer beside Ponder, which it installs first, over 3,000 blocks',
  },
  metering: {
    scripts: ['metering.ts'],
    summary: 'a warm request while every DynamoDB request is delayed, beside one without',
  },
  neighbours: {
    scripts: ['neighbours.ts'],
    takes: '[--seconds N]',
    summary:
      'how long another customer waits while one key takes exports of long rows, 16 at a time: about three minutes',
  },
  prices: {
    scripts: ['prices.ts', 'prices-cached.ts'],
    takes: '[TRANSFERS]',
    summary:
      'what a CU costs: of each operation of the Data API, over 1,000,000 transfers, and of answers from the cache',
  },
  restore: {
    scripts: ['restore.ts'],
    takes: '[--records N]',
    summary: 'the ledger from a restored table, 1,000,000 records: about half an hour',
  },
  rpc: {
    scripts: ['rpc/rpc.ts'],
    takes: '[--group TEXT]',
    summary: 'function, layer and local run beside a proxy',
  },
  scanner: { scripts: ['scanner.ts'], summary: 'the envelope scanner beside JSON.parse' },
  settlement: {
    scripts: ['settlement.ts'],
    takes: '[--accounts N] [--lanes N]',
    summary: 'settlement of 5,000 accounts beside bare transactions',
  },
  upstreams: {
    scripts: ['upstreams.ts'],
    takes: '[--calls N]',
    summary: '5,000 calls over three nodes, all healthy and with one that stalls',
  },
};
const HELP_ARGUMENTS: ReadonlySet<string> = new Set(['--help', '-h']);
const CALL_WIDTH = 40;
const USAGE_EXIT_CODE = 2;
const FAILURE_EXIT_CODE = 1;

/** Runs the scripts one after the other, also after one that missed a target; returns the exit code. */
async function main(commandLine: readonly string[]): Promise<number> {
  if (commandLine.some((argument) => HELP_ARGUMENTS.has(argument))) {
    process.stdout.write(helpText());
    return 0;
  }
  const [name = '', ...scriptArguments] = commandLine;
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (benchmark === undefined) {
    process.stderr.write(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join('|')} [arguments]\n`);
    return USAGE_EXIT_CODE;
  }
  openRunFolder();
  // What is compiled is part of what is measured.
  delete process.env.NODE_COMPILE_CACHE;
  try {
    return await runScripts(benchmark, scriptArguments);
  } finally {
    removeRunFolder();
  }
}

async function runScripts({ scripts }: Benchmark, scriptArguments: readonly string[]): Promise<number> {
  let worst = 0;
  for (const script of scripts) {
    const code = await runScript(script, scriptArguments);
    if (code === undefined) return FAILURE_EXIT_CODE;
    worst = Math.max(worst, code);
  }
  return worst;
}

function helpText(): string {
  const rows = Object.entries(BENCHMARKS).map(([name, { takes = '', summary }]) => {
    const call = `${name} ${takes}`.trim();
    return `  ${call.padEnd(CALL_WIDTH)}${summary}\n`;
  });
  return `usage: npm run bench -- NAME [arguments]\n\n${rows.join('')}`;
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
