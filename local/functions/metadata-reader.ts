import { Transform, type TransformCallback } from 'node:stream';

/** Ends the metadata of a streamed response. */
const DELIMITER = Buffer.alloc(8);
/** API Gateway wants the delimiter within this many bytes. */
const MAX_METADATA_BYTES = 16 * 1024;

/**
 * Passes on what follows the metadata of a streamed response.
 *
 * `metadata` becomes the parsed JSON before the delimiter. A response without it is an `error` event.
 */
export class MetadataReader extends Transform {
  readonly metadata: Promise<unknown>;
  #settle: (metadata: unknown) => void = () => {};
  #head: Buffer | undefined = Buffer.alloc(0);

  constructor() {
    super();
    this.metadata = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.once('error', reject);
    });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      done(null, this.#head === undefined ? chunk : this.#readHead(Buffer.concat([this.#head, chunk])));
    } catch (error) {
      done(error instanceof Error ? error : malformed(String(error)));
    }
  }

  /** The part of the response's beginning that belongs to its body. */
  #readHead(head: Buffer): Buffer | undefined {
    const end = head.subarray(0, MAX_METADATA_BYTES).indexOf(DELIMITER);
    if (end < 0 && head.length >= MAX_METADATA_BYTES) throw malformed('has no metadata');
    this.#head = end < 0 ? head : undefined;
    if (end < 0) return undefined;
    this.#settle(JSON.parse(head.toString('utf8', 0, end)));
    return head.subarray(end + DELIMITER.length);
  }

  override _flush(done: TransformCallback): void {
    done(this.#head === undefined ? null : malformed('ends before its metadata'));
  }
}

function malformed(what: string): Error {
  const error = new Error(`the streamed response ${what}`);
  error.name = 'MalformedStreamingResponse';
  return error;
}
