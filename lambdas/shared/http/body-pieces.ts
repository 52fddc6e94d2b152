import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
import type { Soon } from '../runtime/soon.ts';

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

/** Content codings that a response can have. */
type ContentCoding = 'br' | 'gzip';

/** What a client's `accept-encoding` allows. */
interface CodingChoice {
  /** The coding that the client likes best, if any; the first one of `CODINGS` among equals. */
  readonly coding: ContentCoding | undefined;
  /** False if the client refuses a body without a coding. */
  readonly identityAllowed: boolean;
}

const CODINGS: readonly ContentCoding[] = ['br', 'gzip'];
const QVALUE = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** Chooses by the quality values of an `accept-encoding` header (RFC 9110, section 12.5.3). */
export function chooseCoding(acceptEncoding: string | undefined): CodingChoice {
  const qualities = readQualities(acceptEncoding ?? '');
  const others = qualities.get('*');
  const identity = qualities.get('identity');
  let coding: ContentCoding | undefined;
  let best = identity ?? 0;
  for (const candidate of CODINGS) {
    const quality = qualities.get(candidate) ?? others ?? 0;
    if (quality > best || (coding === undefined && quality > 0 && quality === best)) {
      coding = candidate;
      best = quality;
    }
  }
  return { coding, identityAllowed: (identity ?? others) !== 0 };
}

function readQualities(acceptEncoding: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
    if (coding !== '') qualities.set(coding, readQuality(parameters));
  }
  return qualities;
}

/** Quality of a coding: 1 by default, and 0, which refuses it, if it is no number that we understand. */
function readQuality(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (quality === undefined) return 1;
  return QVALUE.test(quality) ? Number(quality) : 0;
}

/** A smaller body is not worth a coding. */
const MIN_COMPRESSED_BYTES = 1024;
const CHUNK_BYTES = 64 * 1024;

/** A body ready to be sent, and the headers that say how it is coded. */
export interface EncodedBody {
  readonly pieces: BodyPieces;
  readonly headers: { readonly vary: 'accept-encoding'; readonly 'content-encoding'?: ContentCoding };
}

/**
 * Compresses a body if the client accepts a supported coding. Bodies of any size are compressed: fast brotli takes 2 to
 * 5 ms a megabyte, while everything beyond the first 6 MB is sent at 2 MB a second. Memory holds the body and its
 * compressed form. What is not compressed is there at once.
 */
export function encodeBody(pieces: BodyPieces, acceptEncoding: string | undefined): Soon<EncodedBody> {
  const { coding, identityAllowed } = chooseCoding(acceptEncoding);
  const bytes = bytesOfPieces(pieces);
  if (coding === undefined || (identityAllowed && bytes < MIN_COMPRESSED_BYTES)) {
    return { pieces, headers: { vary: 'accept-encoding' } };
  }
  return compressBody(pieces, coding, bytes);
}

async function compressBody(pieces: BodyPieces, coding: ContentCoding, bytes: number): Promise<EncodedBody> {
  const compressor = createCompressor(coding, bytes);
  for (const piece of pieces) compressor.write(piece);
  compressor.end();
  const compressed: Buffer[] = await compressor.toArray();
  return { pieces: compressed, headers: { vary: 'accept-encoding', 'content-encoding': coding } };
}

/** @param bytes length of the body, where it is known. Fastest levels: on traces and blocks, brotli 1 is smaller than gzip 1 and takes less than half of its time. */
export function createCompressor(coding: ContentCoding, bytes?: number): BrotliCompress | Gzip {
  if (coding === 'gzip') return createGzip({ level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    ...(bytes !== undefined && { [constants.BROTLI_PARAM_SIZE_HINT]: bytes }),
  };
  return createBrotliCompress({ params, chunkSize: CHUNK_BYTES });
}

/** Value of a request's header, whatever the case in which the client wrote its name. `name`: in lower case. */
export function headerOf(
  headers: Readonly<Record<string, string | undefined>> | null,
  name: string,
): string | undefined {
  for (const presented in headers) {
    // Most names are distinguished by their length: each request is looked through several times.
    if (presented.length === name.length && presented.toLowerCase() === name) return headers[presented];
  }
  return undefined;
}
