import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockRange } from '../../lambdas/chain-data/store/block-range.ts';
import type { BackfillMessage } from '../../lambdas/indexer/backfill-message.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { bulkFill } from '../../test/backfill/bulk-fill.ts';
import { PLAIN } from '../../test/chain-data/decode/raw-blocks.ts';
import { startWorker, type Worker } from '../worker.ts';
import { bucketOf, connectFill, type FillServer } from './fill-server.ts';
import type { FillAnswer, FillTask, FillWay } from './fill-worker.ts';
import { filledBlock, type MixName, ReadBlocks } from './filled-blocks.ts';

/** Blocks of a task: so few that all processes end at about the same time. */
const TASK_BLOCKS = 100;
/** The blocks that a process has read are no garbage to look for: a function holds one page of them. */
const HELD = ['--initial-old-space-size=3072', '--max-old-space-size=4096'];
/** Blocks that a plan reads. */
const SAMPLED = 8;
/** Time until a partition is looked at again: 15 s in a gateway, whose partitions take hours. */
const POLL_MS = 50;

export interface CrewOptions {
  readonly server: FillServer;
  /** Of the objects of the bucket. */
  readonly folder: string;
  readonly chain: string;
  readonly mix: MixName;
  readonly blocks: number;
  readonly processes: number;
  /** What the processes have done for a while before they are measured. */
  readonly way: FillWay;
}

/** Blocks of a partition, so that no task is of two. */
export function wholeTasks(blocks: number): number {
  return Math.ceil(blocks / TASK_BLOCKS) * TASK_BLOCKS;
}

/** Processes that have read the blocks of a chain, each its share of all tasks. */
export class FillCrew {
  readonly #options: CrewOptions;
  readonly #workers: readonly Worker<FillTask, FillAnswer>[];
  readonly #connection: ChainConnection;

  private constructor(
    options: CrewOptions,
    connection: ChainConnection,
    workers: readonly Worker<FillTask, FillAnswer>[],
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#workers = workers;
  }

  /** Makes a chain that is indexed from the last of its blocks on, and has the processes read all of them. */
  static async open(options: CrewOptions): Promise<FillCrew> {
    const { server, folder, chain, mix, blocks, processes, way } = options;
    await server.addChain(chain, folder);
    const connection = await connectFill(server.login, chain);
    await openChainIndex(connection, PLAIN).begin(filledBlock(blocks - 1, mix, folder));
    const workers = Array.from({ length: processes }, () =>
      startWorker<FillTask, FillAnswer>(join(import.meta.dirname, 'fill-worker.ts'), { nodeOptions: HELD }),
    );
    const crew = new FillCrew(options, connection, workers);
    await crew.reopen();
    await crew.#share({ from: 0, to: blocks - 1 }, (range) => ({ kind: 'read', range, mix, folder }));
    await Promise.all(workers.map((worker) => worker.ask({ kind: 'warm', mix, way, folder })));
    return crew;
  }

  /** Connects the processes, once more after the server was started anew. */
  async reopen(): Promise<void> {
    const { server, folder, chain } = this.#options;
    for (const worker of this.#workers)
      await worker.ask({ kind: 'open', login: server.login, folder, chain });
  }

  /** Stores blocks page by page. */
  page(range: BlockRange): Promise<void> {
    return this.#share(range, (part) => ({ kind: 'page', range: part }));
  }

  /** Writes blocks of planned partitions as files. */
  write(range: BlockRange): Promise<void> {
    return this.#share(range, (part) => ({ kind: 'write', range: part }));
  }

  /** Opens partitions of so many blocks over all of them; `finish` takes what is returned, one for each. */
  async plan(partitionBlocks: number): Promise<BackfillMessage[]> {
    const { chain, mix, blocks, folder } = this.#options;
    const finishing: BackfillMessage[] = [];
    for (let from = 0; from < blocks; from += partitionBlocks) {
      const to = Math.min(blocks, from + partitionBlocks) - 1;
      const reader = new ReadBlocks();
      for (let place = 0; place < SAMPLED; place += 1) {
        const number = from + Math.floor((place * (to - from)) / (SAMPLED - 1));
        reader.read({ from: number, to: number }, mix, folder);
      }
      const fill = this.#fill(reader);
      fill.waiting.push({ chain, from, to, bulk: 'plan' });
      await fill.next();
      finishing.push(...fill.waiting.filter(({ bulk }) => bulk === 'finish'));
    }
    return finishing;
  }

  /** Works on a partition until it is finished. */
  async finish(message: BackfillMessage): Promise<void> {
    const fill = this.#fill(new ReadBlocks());
    fill.waiting.push(message);
    while (fill.waiting.length > 0) {
      await fill.next();
      if (fill.waiting.length > 0) await sleep(POLL_MS);
    }
  }

  /** Processor time of all processes so far, in seconds. */
  async processorSeconds(): Promise<number> {
    const answers = await Promise.all(this.#workers.map((worker) => worker.ask({ kind: 'idle' })));
    return answers.reduce((sum, { cpuMs }) => sum + cpuMs / 1_000, 0);
  }

  /** Ends the processes, and drops the chain. */
  async close(): Promise<void> {
    const { server, chain } = this.#options;
    for (const worker of this.#workers) await worker.close();
    await server.query(`DROP SCHEMA "${chain}" CASCADE`);
  }

  #fill(reader: ReadBlocks) {
    return bulkFill({ connection: this.#connection, reader, bucket: bucketOf(this.#options.folder) });
  }

  /** Tasks go by the blocks that each process has: the first hundred to the first, the next to the second. */
  async #share({ from, to }: BlockRange, taskOf: (range: BlockRange) => FillTask): Promise<void> {
    const lane = async (worker: Worker<FillTask, FillAnswer>, place: number) => {
      for (let first = from; first <= to; ) {
        const number = Math.floor(first / TASK_BLOCKS);
        const last = Math.min(to, (number + 1) * TASK_BLOCKS - 1);
        if (number % this.#workers.length === place) await worker.ask(taskOf({ from: first, to: last }));
        first = last + 1;
      }
    };
    await Promise.all(this.#workers.map(lane));
  }
}
