import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How far a stream is consumed: the last sequence number of each shard. */
interface StreamPosition {
  readonly stream: string;
  readonly shards: Readonly<Record<string, string>>;
}

/** The position of one consumer in one stream, in a file that is replaced as a whole. */
export class Checkpoint {
  readonly #file: string;
  #position: StreamPosition | undefined;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    this.#position = readPosition(file);
  }

  /** Last sequence number of a shard that is dealt with; undefined: none. */
  lastOf(stream: string, shard: string): string | undefined {
    return this.#position?.stream === stream ? this.#position.shards[shard] : undefined;
  }

  /** Everything up to this sequence number is dealt with, for good once this returns. */
  move(stream: string, shard: string, sequenceNumber: string): void {
    const shards = this.#position?.stream === stream ? this.#position.shards : {};
    this.#position = { stream, shards: { ...shards, [shard]: sequenceNumber } };
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#position), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

function readPosition(file: string): StreamPosition | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as StreamPosition;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
