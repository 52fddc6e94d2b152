import type { Duplex } from 'node:stream';

/** Descriptor of the process of an environment on which it is connected to the run. */
export const CONNECTION_DESCRIPTOR = 3;

/** Kinds of frames between a run and the process of an environment. Each is about one invocation. */
export const FRAMES = {
  /** To the process: the context of an invocation, as JSON of an {@link InvocationContext}. Its event follows. */
  CONTEXT: 1,
  /** To the process: the event of the invocation, as JSON. */
  EVENT: 2,
  /** From the process, as all that follow: its code cannot be loaded; an error report. */
  INIT_ERROR: 3,
  /** The invocation has failed; an error report. */
  ERROR: 4,
  /** Bytes of the response. */
  DATA: 5,
  /** A streamed response is at its end, which is an error if there is a report. The function may go on. */
  END: 6,
  /** The code is loaded. It belongs to no invocation. */
  READY: 7,
  /** The invocation is over. */
  DONE: 8,
  /** To the process: the response of the invocation is not read at the moment; and it is read again. */
  PAUSE: 9,
  RESUME: 10,
} as const;

/** The context of an invocation that a function gets beside the event. */
export interface InvocationContext {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly functionArn: string;
}

/** A byte for the kind, four for the number of the invocation, four for the length of the content. */
const HEADER_BYTES = 9;
const INVOCATION_OFFSET = 1;
const LENGTH_OFFSET = 5;
/** Number of no invocation. */
export const NO_INVOCATION = 0;

/** Writes one frame; `false` if the other side is behind and `drain` is to be waited for. */
export function writeFrame(
  connection: Duplex,
  kind: number,
  invocation: number,
  content: Uint8Array,
): boolean {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(kind);
  header.writeUInt32LE(invocation, INVOCATION_OFFSET);
  header.writeUInt32LE(content.length, LENGTH_OFFSET);
  const isTaken = connection.write(header);
  return content.length === 0 ? isTaken : connection.write(content);
}

/**
 * Makes the reader of one side, which takes what comes however it is cut.
 * @param onPiece takes each piece of a frame as soon as it is there; of an empty frame one empty piece
 */
export function frameReader(
  onPiece: (kind: number, invocation: number, piece: Buffer, isLast: boolean) => void,
): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let leftBytes = 0;
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (headerBytes < HEADER_BYTES) {
        const taken = rest.copy(header, headerBytes);
        headerBytes += taken;
        rest = rest.subarray(taken);
        if (headerBytes < HEADER_BYTES) return;
        leftBytes = header.readUInt32LE(LENGTH_OFFSET);
        if (leftBytes > 0) continue;
      }
      const piece = rest.subarray(0, leftBytes);
      rest = rest.subarray(piece.length);
      leftBytes -= piece.length;
      if (leftBytes === 0) headerBytes = 0;
      onPiece(header.readUInt8(), header.readUInt32LE(INVOCATION_OFFSET), piece, leftBytes === 0);
    }
  };
}
