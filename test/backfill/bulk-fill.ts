import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RunBulkParts, runBulk } from '../../lambdas/backfill/bulk/run-bulk.ts';
import type { BulkBucket } from '../../lambdas/backfill/bulk/write-files.ts';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import { transferRule } from '../../lambdas/chain-data/decode/decode-logs.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../lambdas/chain-data/decode/rows.ts';
import type { BackfillMessage } from '../../lambdas/indexer/backfill-message.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../../lambdas/indexer/follow/chain-reader.ts';
import { completeHistory } from '../../lambdas/indexer/follow/complete-history.ts';
import type { ObjectStore } from '../../lambdas/shared/aws/object-store.ts';
import { type ChainConnection, connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { installObjectImport } from '../../local/database/object-import.ts';
import { PLAIN } from '../chain-data/decode/raw-blocks.ts';
import type { MigratedDatabase } from '../database/migrated-database.ts';

const BUCKET = 'imports';
const RUN_MS = 120_000;
/** More messages than any fill of a test has. */
const MAX_MESSAGES = 5_000;

export const decodePlain = (block: RawBlock) => decodeBlock(block, PLAIN);
const inTime = () => ({ deadline: Date.now() + RUN_MS });

/** A bucket whose objects are files, which the database of a test imports. */
export class ImportedFolder implements ObjectStore {
  readonly folder: string;
  readonly keys: string[] = [];

  /** @param folder @default a new one */
  constructor(folder = mkdtempSync(join(tmpdir(), 'objects-'))) {
    this.folder = folder;
  }

  /** What becomes of an object on its way, or of one that is there. @default nothing */
  damage: (key: string, body: Buffer) => Buffer = (_, body) => body;

  async put(key: string, body: string | Uint8Array): Promise<void> {
    const file = this.#fileOf(key);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      this.damage(
        key,
        typeof body === 'string'
          ? Buffer.from(body)
          : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      ),
    );
    if (!this.keys.includes(key)) this.keys.push(key);
  }

  putNew(): Promise<boolean> {
    throw new Error('no file is put under a condition');
  }

  async get(key: string): Promise<Buffer | undefined> {
    return this.keys.includes(key) ? readFileSync(this.#fileOf(key)) : undefined;
  }

  async open(database: MigratedDatabase): Promise<BulkBucket> {
    await installObjectImport(database.postgres.superuser, this.folder, database.postgres.superuser.user);
    return { objects: this, name: BUCKET, region: 'us-east-1' };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #fileOf(key: string): string {
    return join(this.folder, BUCKET, key);
  }
}

export interface BulkFillOptions {
  readonly connection: ChainConnection;
  readonly reader: ChainReader;
  readonly bucket: BulkBucket;
  readonly decode?: (block: RawBlock) => BlockRows;
  readonly outOfTime?: () => boolean;
  /** Messages, if several fill at once. */
  readonly waiting?: BackfillMessage[];
  /** @default a few blocks */
  readonly fileBytes?: number;
}

/** What fills a chain by files, with a queue in memory. */
export function bulkFill(options: BulkFillOptions) {
  const { connection, reader, bucket, decode = decodePlain, outOfTime = () => false } = options;
  const { waiting = [], fileBytes = 8_000 } = options;
  const index = openChainIndex(connection, PLAIN);
  const parts: RunBulkParts = {
    connection,
    reader,
    decode,
    bucket,
    fileBytes,
    outOfTime,
    transferRule: transferRule(PLAIN),
    minPartitionBlocks: 1,
    queue: { send: async (work) => void waiting.push(work as BackfillMessage) },
    completeHistory: async () =>
      (await completeHistory({ reader, index, decode, outOfTime }, inTime())).complete,
  };
  return {
    parts,
    waiting,
    /** Begins to fill a range. */
    start: (from: number, to: number) => waiting.push({ chain: connection.name, from, to, bulk: 'plan' }),
    /** Takes the next message; one that fails, or is not done, is there again. */
    async next(): Promise<void> {
      const message = waiting.shift();
      if (message === undefined) throw new Error('no message is waiting');
      try {
        const { complete } = await runBulk(parts, message, inTime());
        if (!complete) waiting.push(message);
      } catch (error) {
        waiting.push(message);
        throw error;
      }
    },
    /** Takes messages until there are none. */
    async untilDone(): Promise<void> {
      for (let count = 0; waiting.length > 0; count += 1) {
        if (count === MAX_MESSAGES) throw new Error('the fill has no end');
        await this.next();
      }
    },
  };
}

/** The connection of functions to a chain of a test's database. */
export function writerTo(database: MigratedDatabase, schema: string): ChainConnection {
  return connectionTo(database.writer, schema);
}
