import type { OnReadOpts, Socket } from 'node:net';

/** Bytes that a socket reads at a time, as many as Node reads by itself. */
const READ_BYTES = 64 * 1024;
/** What every socket reads into whose bytes have no place yet: they are copied before anything else is read. */
const SHARED_MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** What knows where bytes belong before they are read. */
export interface ReadPlace {
  /** Memory for the bytes that follow `waitingBytes` which are read and not yet added; undefined if it is absent. */
  placeAfter(waitingBytes: number): Buffer | undefined;
}

/**
 * Reads of a socket. Node allocates memory for each, which is copied into that of the body and is garbage from then on: of a
 * large body as much again as the body itself. Here a body whose length is known is read into its own memory.
 */
export class SocketReads {
  /** Set while a body comes that has memory. */
  place: ReadPlace | undefined;
  /** Reads that wait until there is room for what they belong to, and whether they do. */
  readonly #heldBack: Buffer[] = [];
  #isHeldBack = false;
  readonly #socket: () => Socket | undefined;
  readonly onread: OnReadOpts = {
    buffer: () => this.place?.placeAfter(this.#socket()?.readableLength ?? 0) ?? SHARED_MEMORY,
    callback: (bytes, memory) => this.#push(bytes, memory as Buffer),
  };

  /** @param socket the one that was made with `onread`, once it is */
  constructor(socket: () => Socket | undefined) {
    this.#socket = socket;
  }

  /** Reads no further: what the other side sends stays with it, but for one read. */
  holdBack(): void {
    this.#isHeldBack = true;
  }

  /** Reads on. */
  goOn(): void {
    this.#isHeldBack = false;
    for (const read of this.#heldBack.splice(0)) this.#socket()?.push(read);
  }

  /** Whether the socket continues reading. */
  #push(bytes: number, memory: Buffer): boolean {
    const inMemory = memory.subarray(0, bytes);
    const read = memory === SHARED_MEMORY ? Buffer.from(inMemory) : inMemory;
    if (!this.#isHeldBack) return this.#socket()?.push(read) ?? false;
    this.#heldBack.push(read);
    return false;
  }
}
