import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainSample } from '../../bin/operator/fill/chain-sample.ts';
import { type FillPlan, type FillWay, planFill } from '../../bin/operator/fill/fill-plan.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'indexing.md');

/** Counts of a whole chain, in thousand millions but for the blocks in millions: what the page assumes. */
interface KnownChain {
  readonly name: string;
  readonly blocks: number;
  readonly transactions: number;
  readonly logs: number;
  readonly calls: number;
}

const CHAINS: readonly KnownChain[] = [
  { name: 'Ethereum', blocks: 24, transactions: 3, logs: 6, calls: 10 },
  { name: 'Base', blocks: 38, transactions: 5, logs: 22, calls: 50 },
  { name: 'Arbitrum One', blocks: 400, transactions: 2.5, logs: 10, calls: 20 },
  { name: 'Polygon', blocks: 80, transactions: 6, logs: 25, calls: 30 },
  { name: 'BNB', blocks: 75, transactions: 9, logs: 30, calls: 60 },
  { name: 'a layer 2, a year old', blocks: 126, transactions: 0.25, logs: 0.5, calls: 0.8 },
];

/** Shares of the logs that are transfers of tokens, transfers of NFTs, and trades. */
const OF_LOGS = { erc20: 0.55, nft: 0.03, trades: 0.03 };
/** Bytes of a transaction's input, of a log's data and of a call's input and output. */
const DATA_BYTES = { transaction: 68, log: 42, call: 68 };
/** One function at a node of its own beside it, in milliseconds a block. */
const READ_MS = 2;
const NODE_CALLS_PER_SECOND = 300;
const GIGA = 1e9;
const MEGA = 1e6;
const TERA = 1e12;
const HOURS_PER_DAY = 24;

function sampleOf({ blocks, transactions, logs, calls }: KnownChain): ChainSample {
  const perBlock = (giga: number) => (giga * GIGA) / (blocks * MEGA);
  const [transaction, log, call] = [transactions, logs, calls].map(perBlock) as [number, number, number];
  return {
    blocks: 0,
    rows: {
      blocks: 1,
      transactions: transaction,
      withdrawals: 0,
      logs: log,
      erc20_transfers: log * OF_LOGS.erc20,
      nft_transfers: log * OF_LOGS.nft,
      dex_swaps: log * OF_LOGS.trades,
      dex_liquidity_events: 0,
      traces: call,
    },
    dataBytes: transaction * DATA_BYTES.transaction + log * DATA_BYTES.log + call * DATA_BYTES.call,
    nodeCalls: 3,
    readMs: READ_MS,
    traced: true,
    standardError: 0,
  };
}

const digits = (value: number) => Number(value.toPrecision(2)).toLocaleString('en-US');

/** Days, what bounds them, and USD of a fill with so many functions and ACU. */
function fillOf(chain: KnownChain, size: number, way: (plan: FillPlan) => FillWay): string {
  const plan = planFill(sampleOf(chain), { blocks: chain.blocks * MEGA, functions: size, maxAcu: size });
  const { once, hours } = way(plan);
  const usd = once.reduce((sum, cost) => sum + (cost.usd ?? 0), 0);
  const [longest] = hours;
  return `${digits((longest?.hours ?? 0) / HOURS_PER_DAY)} (${longest?.limit}), ${digits(usd)}`;
}

function rowOf(chain: KnownChain): string {
  const blocks = chain.blocks * MEGA;
  const plan = planFill(sampleOf(chain), { blocks, functions: 1, maxAcu: 1 });
  const [month] = plan.monthly;
  const cells = [
    chain.name,
    ...[chain.blocks, chain.transactions, chain.logs, chain.calls].map(String),
    `${digits(plan.bytes / TERA)}${plan.fits ? '' : ', too much'}`,
    digits(plan.nodeCalls / NODE_CALLS_PER_SECOND / 3_600 / HOURS_PER_DAY),
    fillOf(chain, 16, byPages),
    fillOf(chain, 64, byPages),
    digits(month?.usd ?? 0),
  ];
  return `| ${cells.join(' | ')} |`;
}

const byPages = (plan: FillPlan): FillWay => plan;
const byFiles = (plan: FillPlan): FillWay => plan.byFiles;

function filedRowOf(chain: KnownChain): string {
  return `| ${[chain.name, fillOf(chain, 16, byFiles), fillOf(chain, 64, byFiles)].join(' | ')} |`;
}

test('the page says of known chains what the plan does', () => {
  const page = readFileSync(PAGE, 'utf8').split('\n');
  for (const row of [...CHAINS.map(rowOf), ...CHAINS.map(filedRowOf)]) expect(page).toContain(row);
});
