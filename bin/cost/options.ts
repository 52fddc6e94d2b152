import { parseArgs } from 'node:util';
import { loadStageConfig, StageConfigError } from '../../lib/config/config.ts';
import { BILLED_STAGE } from './counted-file.ts';
import { RPC_MIXES } from './request-kinds.ts';
import { BILLED_MS, NODE_CALLS_PER_CALL, profileOfStage, type StageProfile } from './stage-month.ts';
import type { TrafficProfile } from './traffic.ts';

const LARGEST = 1e15;
const DEFAULTS = {
  requests: 100e6,
  'data-requests': 10e6,
  accounts: 100,
  chains: 1,
  'node-ms': BILLED_MS.node,
  'database-ms': BILLED_MS.database,
  'gateway-ms': BILLED_MS.gateway,
  'large-percent': 0,
  'large-mb': 20,
  'node-calls-per-call': NODE_CALLS_PER_CALL,
  'node-usd-per-million': 0,
  'mcp-requests': 0,
} as const;
const MILLION = 1e6;

/**
 * What the database has for a number of chains, where no option says it. Capacity: one chain at 4 blocks/s takes 0.15 ACU of
 * processor, the rest is memory for the newest blocks of each and for the Data API.
 */
const DATABASE = {
  acu: (chains: number) => 1.5 + 0.5 * chains,
  'storage-gb': (chains: number) => 200 * chains,
  'database-io': (chains: number) => 100e6 * chains,
} as const;

type NumberOption = keyof typeof DEFAULTS;
type DatabaseOption = keyof typeof DATABASE;

export const COST_USAGE = `Usage: npm run cost -- [options]

Prints what a month of traffic costs on AWS, from unit prices (bin/prices/unit-prices.json) and from operations that
were counted in a run of the product (bin/cost/counted-operations.json), beside list prices of other providers.

  --requests N        JSON-RPC requests in a month (default 100e6)
  --data-requests N   Data API requests in a month (default 10e6)
  --mix NAME          ${Object.keys(RPC_MIXES).join(', ')} (default: default)
  --accounts N        accounts, each with traffic in every hour (default ${DEFAULTS.accounts})
  --chains N          indexed chains (default ${DEFAULTS.chains})
  --acu N             capacity of the database on average, in ACU (default 1.5, and 0.5 for each chain)
  --storage-gb N      size of the database (default 200 for each chain)
  --database-io N     its I/O requests in a month (default 100e6 for each chain)
  --io-optimized      storage of the database that costs more by the gigabyte and hour, and nothing by the I/O request
  --node-ms N         time for which Lambda bills a request that waits for a node (default ${DEFAULTS['node-ms']})
  --database-ms N     one that waits for the database (default ${DEFAULTS['database-ms']})
  --gateway-ms N      one that waits for neither (default ${DEFAULTS['gateway-ms']})
  --large-percent N   percent of the JSON-RPC requests with a large response, such as traces (default ${DEFAULTS['large-percent']})
  --large-mb N        size of such a response in MB (default ${DEFAULTS['large-mb']})
  --node-calls-per-call N   calls for nodes for each call of a client that wants one (default 1.05: busy instances)
  --node-usd-per-million N  what a million calls for nodes cost, in USD (default 0: they are counted, not priced)
  --mcp-requests N    calls of tools in a month, each of which makes a contract read (default ${DEFAULTS['mcp-requests']})
  --config FILE       a stage file, which is synthesised first: its chains and its database are those of the bill
                      (default config/${BILLED_STAGE}.json, as it was counted)
  --json              the same as JSON
  --count             count the operations again first, which takes about four minutes
  --help              print this
`;

/** The options of the command. */
interface CostOptions {
  readonly profile: TrafficProfile;
  readonly mixName: string;
  /** The stage file whose resources are on the bill; absent: those of the counted file. */
  readonly config?: string | undefined;
  readonly json: boolean;
  readonly count: boolean;
}

/** An argument that is not understood; the message is for people. */
export class CostUsageError extends Error {
  override readonly name = 'CostUsageError';
}

/**
 * Reads the command line; `help` if it asks for that.
 * @throws CostUsageError
 */
export function parseCostOptions(commandLine: readonly string[]): CostOptions | 'help' {
  const values = parseFlags(commandLine);
  if (values.help === true) return 'help';
  const number = (name: NumberOption) => readNumber(name, values[name], DEFAULTS[name]);
  const file = readStageFile(values);
  const chains = readNumber('chains', values.chains, file?.stage.chains ?? DEFAULTS.chains);
  const ofDatabase = (name: DatabaseOption) =>
    readNumber(name, values[name], file?.stage?.[name] ?? DATABASE[name](chains));
  const mixName = String(values.mix ?? 'default');
  const mix = Object.hasOwn(RPC_MIXES, mixName) ? RPC_MIXES[mixName] : undefined;
  if (mix === undefined)
    throw new CostUsageError(`--mix must be one of ${Object.keys(RPC_MIXES).join(', ')}`);
  return {
    profile: {
      nodeCallUsd: number('node-usd-per-million') / MILLION,
      requests: number('requests'),
      dataRequests: number('data-requests'),
      mcpRequests: number('mcp-requests'),
      mix,
      accounts: number('accounts'),
      chains,
      averageAcu: ofDatabase('acu'),
      storageGb: ofDatabase('storage-gb'),
      databaseIo: ofDatabase('database-io'),
      ioOptimized: values['io-optimized'] === true || file?.stage.ioOptimized === true,
      large: { percent: number('large-percent'), mb: number('large-mb') },
      nodeCallsPerCall: Math.max(1, number('node-calls-per-call')),
      billedMs: { node: number('node-ms'), database: number('database-ms'), gateway: number('gateway-ms') },
    },
    mixName,
    ...(file !== undefined && { config: file.path }),
    json: values.json === true,
    count: values.count === true,
  };
}

/** The stage file that is named, and what the stage has. */
function readStageFile({
  config,
}: Flags): { readonly path: string; readonly stage: StageProfile } | undefined {
  if (config === undefined) return undefined;
  try {
    const path = String(config);
    return { path, stage: profileOfStage(loadStageConfig(path)) };
  } catch (error) {
    if (error instanceof StageConfigError) throw new CostUsageError(error.message);
    throw error;
  }
}

type Flags = Readonly<Record<string, string | boolean | undefined>>;

function parseFlags(commandLine: readonly string[]): Flags {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const numbers = Object.fromEntries(Object.keys({ ...DEFAULTS, ...DATABASE }).map((name) => [name, text]));
  try {
    return parseArgs({
      args: [...commandLine],
      options: {
        ...numbers,
        mix: text,
        config: text,
        'io-optimized': flag,
        json: flag,
        count: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new CostUsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function readNumber(name: string, value: string | boolean | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (number >= 0 && number <= LARGEST) return number;
  throw new CostUsageError(`--${name} must be a number from 0, such as 100e6, not "${value}"`);
}
