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
