/** A body as pieces to write one after the other; large parts are not copied. */
export type BodyPieces = readonly Uint8Array[];

/** Length of a body, in bytes. */
export function bytesOfPieces(pieces: BodyPieces): number {
  return pieces.reduce((bytes, piece) => bytes + piece.length, 0);
}

/** Bytes of a request's body as the client sent it; none where it has no body. */
export function bodyOf({
  body,
  isBase64Encoded,
}: {
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
}): Buffer {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
}

const MILLISECONDS_PER_SECOND = 1_000;

/**
 * Bytes of a streamed response that go out as fast as they are written (AWS Lambda Developer Guide, "Bandwidth limits
 * for response streaming": the first 6 MB of a response are not capped). API Gateway lets 10 MB pass.
 */
const STREAM_BURST_BYTES = 6_000_000;
/** Rate of what follows them, in bytes a second: 2 MB at most, at Lambda as at API Gateway. */
const STREAM_BYTES_PER_SECOND = 2_000_000;

/** Time that a response is on its way out of the function, in whole milliseconds. It is the function's own time. */
export function streamMs(bytes: number): number {
  const capped = Math.max(0, bytes - STREAM_BURST_BYTES);
  return Math.ceil((capped * MILLISECONDS_PER_SECOND) / STREAM_BYTES_PER_SECOND);
}

/** Most bytes of a response that go out within a time. `durationMs`: below zero counts as zero. */
export function bytesWithin(durationMs: number): number {
  const seconds = Math.max(0, durationMs) / MILLISECONDS_PER_SECOND;
  return STREAM_BURST_BYTES + Math.floor(seconds * STREAM_BYTES_PER_SECOND);
}
