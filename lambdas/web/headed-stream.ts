import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

/** Status and headers of a response. */
interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

type Done = (error?: Error | null) => void;

/**
 * What the handler writes its response to. A response of one piece goes out with its length, in one write. If the client goes
 * away, the handler writes on to nothing: what it does after its response is done all the same, as on Lambda.
 */
export class HeadedStream extends Writable {
  readonly #response: ServerResponse;
  #head: Head | undefined;
  /** The first piece, until it is known whether there is another. */
  #first: Buffer | undefined;

  constructor(response: ServerResponse) {
    super();
    this.#response = response;
  }

  setHead(head: unknown): void {
    this.#head = head as Head;
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (piece.length === 0 || !this.#isHeard) {
      done();
      return;
    }
    if (!this.#response.headersSent && this.#first === undefined) {
      this.#first = piece;
      done();
      return;
    }
    this.#begin();
    if (this.#response.write(piece)) done();
    else this.#whenDrained(done);
  }

  override _final(done: Done): void {
    if (this.#isHeard) {
      if (!this.#response.headersSent) {
        const body = this.#first ?? Buffer.alloc(0);
        this.#first = undefined;
        this.#sendHead({ 'Content-Length': String(body.length) });
        this.#response.end(body);
      } else this.#response.end();
    }
    done();
  }

  get #isHeard(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sends the head and the first piece of a response that has more. */
  #begin(): void {
    if (this.#first === undefined) return;
    this.#sendHead({});
    this.#response.write(this.#first);
    this.#first = undefined;
  }

  #sendHead(more: Readonly<Record<string, string>>): void {
    if (this.#head === undefined) throw new Error('the handler has begun an answer without a head');
    this.#response.writeHead(this.#head.statusCode, { ...this.#head.headers, ...more });
  }

  #whenDrained(done: Done): void {
    const goOn = () => {
      this.#response.off('drain', goOn).off('close', goOn);
      done();
    };
    this.#response.on('drain', goOn).on('close', goOn);
  }
}
