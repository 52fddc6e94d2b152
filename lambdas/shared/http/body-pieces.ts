/** A body as pieces to write one after the other; large parts are not copied. */
export type BodyPieces = readonly Uint8Array[];

/** Length of a body, in bytes. */
export function bytesOfPieces(pieces: BodyPieces): number {
  return pieces.reduce((bytes, piece) => bytes + piece.length, 0);
}
