import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import type { VerifyBlock } from '../../lambdas/indexer/fetch/read-page.ts';
import type { NodePost } from '../../lambdas/indexer/fetch/send-batch.ts';
import { fillRange } from '../../lambdas/indexer/follow/fill-range.ts';
import { followStep } from '../../lambdas/indexer/follow/follow-step.ts';
import { createNodeReader } from '../../lambdas/indexer/follow/node-reader.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import type { VerifyTools } from '../../lambdas/shared/verify/senders.ts';
import { verifyBlock } from '../../lambdas/shared/verify/verify-block.ts';
import { openVerifyTools } from '../../lambdas/shared/verify/verify-tools.ts';
import { PLAIN } from '../../test/chain-data/decode/raw-blocks.ts';
import type { MigratedDatabase } from '../../test/database/migrated-database.ts';
import { superuserSession } from '../../test/database/superuser.ts';
import {
  account,
  hex,
  type Json,
  madeBlock,
  type SentJson,
  sealed,
  word,
} from '../../test/shared/verify/made-block.ts';
import type { Figure } from '../figures.ts';
import { parentOf, processorSeconds } from '../processor-seconds.ts';

const BLOCKS = 60;
const TRANSACTIONS = 60;
const CHAIN_ID = 31_337;
/** Of them the quickest counts, as the machine is not equally quick all the time. */
const ROUNDS = 5;
const FAR_MS = 3_600_000;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** How much of a block is verified. */
const LEVELS = ['unverified', 'without senders', 'with senders'] as const;
type Level = (typeof LEVELS)[number];
/** How blocks are stored. */
const WAYS = ['following', 'filling page by page'] as const;
type Way = (typeof WAYS)[number];

/** Of what functions and database do without any proof. */
const MOST_WITHOUT_SENDERS: Readonly<Record<Way, number>> = { following: 1.15, 'filling page by page': 1.12 };

const runs = WAYS.flatMap((way) =>
  LEVELS.flatMap((level) => Array.from({ length: ROUNDS + 1 }, (_, round) => ({ way, level, round }))),
);
const chainOf = ({ way, level, round }: (typeof runs)[number]) =>
  `proof_${WAYS.indexOf(way)}_${LEVELS.indexOf(level)}_${round}`;
/** A chain for each run: all store the same blocks. */
export const PROOF_CHAINS: readonly string[] = runs.map(chainOf);

/** What a transaction takes of the processors of function and database, with and without its proof, by turns. */
export async function measureProof(database: MigratedDatabase): Promise<Figure[]> {
  const chain = sealedChain();
  const tools = await openVerifyTools();
  const taken = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const run of runs.filter((one) => one.round === round)) {
      const reader = createNodeReader(nodeOf(chain), systemClock, {
        traces: true,
        verify: verifierOf(run.level, tools),
      });
      const us = await microseconds(database, chainOf(run), run.way, reader);
      // In the first round code is compiled.
      if (round > 0)
        taken.set(`${run.way} ${run.level}`, [...(taken.get(`${run.way} ${run.level}`) ?? []), us]);
    }
  const of = (way: Way, level: Level) => Math.min(...(taken.get(`${way} ${level}`) ?? []));
  return WAYS.flatMap((way) =>
    LEVELS.map((level) => ({
      name: `${way}, ${level}: a transaction`,
      value: of(way, level),
      unit: 'us',
      ...(level !== 'unverified' && { baseline: { name: 'unverified', value: of(way, 'unverified') } }),
      ...(level === 'without senders' && { mostRatio: MOST_WITHOUT_SENDERS[way] }),
    })),
  );
}

/** Blocks whose hashes, roots and signatures are those of their contents: each transaction moves two tokens. */
function sealedChain(): SentJson[] {
  const blocks: SentJson[] = [];
  for (let number = 0; number < BLOCKS; number += 1) {
    const parentHash = String(blocks.at(-1)?.block.hash ?? word(0));
    const types = Array.from({ length: TRANSACTIONS }, () => 2);
    const made = madeBlock({ types, chainId: CHAIN_ID, number, parentHash });
    for (const [index, transaction] of made.block.transactions.entries()) {
      transaction.nonce = hex(number * TRANSACTIONS + index);
      const topics = [TRANSFER_TOPIC, word(1 + index), word(1 + number)];
      const logs = [0, 1].map((place) => ({
        ...{ address: account(0x70 + place), topics, data: word(index) },
        ...{ logIndex: hex(2 * index + place), removed: false },
      }));
      Object.assign(made.receipts[index] as object, { logs });
    }
    blocks.push(sealed(made));
  }
  return blocks;
}

/** A node whose responses are texts already. */
function nodeOf(chain: readonly SentJson[]): NodePost {
  const texts = chain.map(
    ({ block, receipts }) => [JSON.stringify(block), JSON.stringify(receipts)] as const,
  );
  let id = 1;
  const traces = chain.map(({ block }) => JSON.stringify(block.transactions.map(tracedCalls)));
  const resultOf = (method: string, number: unknown) => {
    if (method === 'debug_traceBlockByNumber') return traces[Number(number)] ?? 'null';
    const place = number === 'latest' ? texts.length - 1 : Number(number);
    return texts[place]?.[method === 'eth_getBlockReceipts' ? 1 : 0] ?? 'null';
  };
  return {
    reserveIds(count) {
      id += count;
      return id - count;
    },
    async post({ body }) {
      const calls = [JSON.parse(Buffer.from(body).toString())].flat() as Asked[];
      const answers = calls.map(
        ({ id: of, method, params }) =>
          `{"jsonrpc":"2.0","id":${of},"result":${resultOf(method, params[0])}}`,
      );
      return { status: 200, body: Buffer.from(`[${answers.join(',')}]`) };
    },
  };
}

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A call with three within it. */
function tracedCalls({ hash, from, to, value, gas, input }: Json) {
  const call = { type: 'CALL', from, to, value, gas, gasUsed: '0x5208', input, output: '0x' };
  return { txHash: hash, result: { ...call, calls: [call, call, call] } };
}

/** Without senders all is verified but who signed: one key has signed everything, and is recovered once. */
function verifierOf(level: Level, tools: VerifyTools): VerifyBlock | undefined {
  if (level === 'unverified') return undefined;
  let key: string | undefined;
  const recover: VerifyTools['recover'] = (...signature) => (key ??= tools.recover(...signature));
  const used = level === 'with senders' ? tools : { ...tools, recover };
  const proof = { form: 'ethereum', from: 0, chainId: CHAIN_ID } as const;
  return async ({ block, receipts }) => {
    const { kind } = verifyBlock(used, proof, block, receipts);
    if (kind !== 'computed') throw new Error(`a block is ${kind}`);
    return undefined;
  };
}

/** Processor time for a transaction, of this process and of PostgreSQL. */
async function microseconds(
  database: MigratedDatabase,
  name: string,
  way: Way,
  reader: ReturnType<typeof createNodeReader>,
): Promise<number> {
  const options = () => ({ deadline: Date.now() + FAR_MS });
  const index = openChainIndex(connectionTo(database.writer, name));
  const decode = (block: RawBlock) => decodeBlock(block, PLAIN);
  const session = await superuserSession(database.postgres.superuser);
  const { rows } = await session.query('SELECT pg_backend_pid() AS pid');
  const server = parentOf(Number(rows[0]?.pid));
  const last = await reader.head(options());
  if (way !== 'following') await index.begin(last);
  const busy = () => {
    const { user, system } = process.cpuUsage();
    return processorSeconds(server) + (user + system) / 1e6;
  };
  const before = busy();
  if (way === 'following') while ((await followStep({ reader, index, decode }, options())).kind !== 'idle');
  else
    await fillRange(
      { reader, index, decode, outOfTime: () => false },
      { from: 0, to: BLOCKS - 1 },
      options(),
    );
  return ((busy() - before) * 1e6) / (BLOCKS * TRANSACTIONS);
}
