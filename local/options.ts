import { parseArgs } from 'node:util';
import type { IndexOrder } from './mend-index.ts';
import { type DynamoDbEngine, defaultDynamoDbEngine } from './processes/dynamodb.ts';
import { LocalRunError, USAGE_EXIT_CODE } from './processes/local-run-error.ts';

const DEFAULT_CONFIG = 'config/local.json';
const DEFAULT_DATA_FOLDER = '.gateway';
const DEFAULT_PORT = '8080';
const DEFAULT_BLOCK_TIME = '12';
const MAX_BLOCK_TIME_SECONDS = 3_600;
const MAX_PORT = 65_535;

export const USAGE = `Usage: npm start -- [options]

Runs the gateway on this machine, from the same stack as a deployment.

  --config FILE       stage file (default ${DEFAULT_CONFIG})
  --port N            port on 127.0.0.1, 0 for any free one (default ${DEFAULT_PORT})
  --site-port N       port of reference and dashboard (default: that of the last
                      run, or any free one)
  --block-time N      seconds between two blocks of the demo chain, each with a
                      trade; 0 makes none (default ${DEFAULT_BLOCK_TIME})
  --data-dir DIR      folder with the state of the run (default ${DEFAULT_DATA_FOLDER})
  --fresh             empty the data folder first
  --rebuild CHAIN     drop the indexed data of a chain first, and index it anew
  --resume CHAIN      continue the halted index of a chain
  --dynamodb ENGINE   dynoxide or amazon (default: the one this machine can run)
  --help              print this help
`;

/** The options of a local run. */
export interface RunOptions {
  readonly config: string;
  /** 0: any free port. */
  readonly port: number;
  /** Of the reference and the dashboard; undefined: where they were in the last run. */
  readonly sitePort: number | undefined;
  readonly dataFolder: string;
  /** Time between two blocks of an embedded demo chain; 0: it makes none by itself. */
  readonly blockTimeMs: number;
  readonly fresh: boolean;
  /** What is to be done with the index of a chain before anything follows it. */
  readonly index: IndexOrder | undefined;
  readonly dynamodb: DynamoDbEngine;
}

/**
 * Reads the command line; `help` if it asks for that.
 * @throws LocalRunError for an argument that is not understood
 */
export function parseOptions(commandLine: readonly string[]): RunOptions | 'help' {
  const values = parseFlags(commandLine);
  if (values.help) return 'help';
  return {
    config: values.config,
    ...parsePorts(values),
    dataFolder: values['data-dir'],
    blockTimeMs: parseBlockTime(values['block-time']),
    fresh: values.fresh,
    index: parseIndexOrder(values),
    dynamodb: parseEngine(values.dynamodb),
  };
}

function parseFlags(commandLine: readonly string[]) {
  try {
    return parseArgs({
      args: [...commandLine],
      options: {
        config: { type: 'string', default: DEFAULT_CONFIG },
        port: { type: 'string', default: DEFAULT_PORT },
        'site-port': { type: 'string' },
        'data-dir': { type: 'string', default: DEFAULT_DATA_FOLDER },
        'block-time': { type: 'string', default: DEFAULT_BLOCK_TIME },
        fresh: { type: 'boolean', default: false },
        rebuild: { type: 'string' },
        resume: { type: 'string' },
        dynamodb: { type: 'string', default: defaultDynamoDbEngine() },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw usageError(reason);
  }
}

/** The ports, which are two: each has a server of its own. */
function parsePorts(values: ReturnType<typeof parseFlags>): Pick<RunOptions, 'port' | 'sitePort'> {
  const port = parsePort(values.port);
  const wanted = values['site-port'];
  const sitePort = wanted === undefined ? undefined : parsePort(wanted, '--site-port');
  if (sitePort === port && port !== 0) throw usageError(`--port and --site-port are both ${port}`);
  return { port, sitePort };
}

function parsePort(text: string, option = '--port'): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > MAX_PORT) {
    throw usageError(`${option} must be a number from 0 to ${MAX_PORT}, not "${text}"`);
  }
  return port;
}

function parseBlockTime(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,4}$/.test(text) || seconds > MAX_BLOCK_TIME_SECONDS)
    throw usageError(`--block-time must be seconds from 0 to ${MAX_BLOCK_TIME_SECONDS}, not "${text}"`);
  return 1_000 * seconds;
}

function parseIndexOrder({ rebuild, resume }: ReturnType<typeof parseFlags>): IndexOrder | undefined {
  if (rebuild !== undefined && resume !== undefined)
    throw usageError('--rebuild and --resume exclude each other');
  if (rebuild !== undefined) return { order: 'rebuild', chain: rebuild };
  return resume === undefined ? undefined : { order: 'resume', chain: resume };
}

function parseEngine(text: string): DynamoDbEngine {
  if (text === 'dynoxide' || text === 'amazon') return text;
  throw usageError(`--dynamodb must be dynoxide or amazon, not "${text}"`);
}

function usageError(reason: string): LocalRunError {
  return new LocalRunError(`${reason} (npm start -- --help lists the options)`, USAGE_EXIT_CODE);
}
