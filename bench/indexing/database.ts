/**
 * What one PostgreSQL writer takes of live chains: statements a second and its own processor time for each block, with one
 * chain and with several at once. `npm run bench -- database [--chains N] [--blocks N]`
 */
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { followStep } from '../../lambdas/indexer/follow/follow-step.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { startMigratedDatabase } from '../../test/database/migrated-database.ts';
import { runBenchmark } from '../benchmark.ts';
import { parentOf, processorSeconds } from '../processor-seconds.ts';
import { makeReader, TRANSFERS_PER_BLOCK } from './made-chain.ts';

const DEFAULT_CHAINS = 8;
const DEFAULT_BLOCKS = 200;
/** Blocks that a chain has before it is measured: then it follows its head, a block at a time. */
const WARM_UP_BLOCKS = 300;
const FAR_DEADLINE_MS = 3_600_000;
/** Processors of an ACU: AWS tells its memory, 2 GiB, and its classes for such work have 8 GiB for each processor. */
const PROCESSORS_PER_ACU = 0.25;
/** Share of the processors that is busy: the rest is for what is not even. */
const USABLE_SHARE = 0.6;
/** Blocks a second of a chain, for which the result is told. */
const BLOCK_RATES = [0.1, 0.5, 1, 4];

async function measure(chainCount: number, blocks: number) {
  const chains = Array.from({ length: chainCount }, (_, number) => `bench_${number}`);
  const database = await startMigratedDatabase(chains);
  try {
    const { rows } = await database.admin.query('SELECT pg_backend_pid() AS pid');
    const server = parentOf(Number(rows[0]?.pid));
    let statements = 0;
    const count = <Result>(result: Result): Result => {
      statements += 1;
      return result;
    };
    const writer: typeof database.writer = {
      query: (...query) => count(database.writer.query(...query)),
      transaction: (work) =>
        database.writer.transaction((inside) => {
          // Begin and commit are requests as well.
          statements += 2;
          return work({ ...inside, query: (...query) => count(inside.query(...query)) });
        }),
    };
    const decode = (block: RawBlock) => decodeBlock(block, { wrappedNative: new Set() });
    const followed = chains.map((chain) => {
      const head = { number: WARM_UP_BLOCKS - 1 };
      return {
        head,
        parts: { reader: makeReader(head), index: openChainIndex(connectionTo(writer, chain)), decode },
      };
    });
    const catchUp = async ({ parts }: (typeof followed)[number]) => {
      for (;;) {
        const { kind } = await followStep(parts, { deadline: Date.now() + FAR_DEADLINE_MS });
        if (kind === 'idle') return;
      }
    };
    await Promise.all(followed.map(catchUp));
    statements = 0;
    const cpuBefore = processorSeconds(server);
    const startedMs = performance.now();
    await Promise.all(
      followed.map(async (chain) => {
        for (let block = 0; block < blocks; block += 1) {
          chain.head.number += 1;
          await catchUp(chain);
        }
      }),
    );
    const seconds = (performance.now() - startedMs) / 1_000;
    const all = blocks * chainCount;
    return {
      statementsPerSecond: statements / seconds,
      statementsPerBlock: statements / all,
      blocksPerSecond: all / seconds,
      cpuMsPerBlock: ((processorSeconds(server) - cpuBefore) * 1_000) / all,
    };
  } finally {
    await database.close();
  }
}

await runBenchmark({ chains: DEFAULT_CHAINS, blocks: DEFAULT_BLOCKS }, async (show, { chains, blocks }) => {
  const alone = await measure(1, blocks);
  const together = await measure(chains, blocks);
  const compare = (name: string, unit: string, figure: (measured: typeof alone) => number) => ({
    ...{ name, unit, value: figure(together) },
    baseline: { name: 'one chain', value: figure(alone) },
  });
  show(`${chains} live chains, a block of ${TRANSFERS_PER_BLOCK} transfers at a time`, [
    compare('statements', '/s', ({ statementsPerSecond }) => statementsPerSecond),
    compare('blocks', '/s', ({ blocksPerSecond }) => blocksPerSecond),
    compare('statements of a block', '', ({ statementsPerBlock }) => statementsPerBlock),
    compare("a block: the writer's processor", 'ms', ({ cpuMsPerBlock }) => cpuMsPerBlock),
  ]);
  const cpuMs = Math.max(alone.cpuMsPerBlock, together.cpuMsPerBlock);
  show(
    `At ${PROCESSORS_PER_ACU} processors an ACU, ${USABLE_SHARE * 100} % busy (an estimate)`,
    BLOCK_RATES.map((rate) => ({
      name: `chains an ACU, ${rate} blocks/s each`,
      value: (PROCESSORS_PER_ACU * USABLE_SHARE * 1_000) / (cpuMs * rate),
      unit: '',
    })),
  );
});
