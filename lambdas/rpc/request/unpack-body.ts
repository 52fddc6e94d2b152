import { crc32, inflateRawSync } from 'node:zlib';
import { MAX_BODY_BYTES } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';

/** Bytes that every gzip member begins with: its magic, and deflate, the only method. */
const MAGIC = [0x1f, 0x8b, 0x08] as const;
const HEADER_BYTES = 10;
/** CRC-32 and length of the unpacked bytes. */
const TRAILER_BYTES = 8;
const FLAGS_AT = 3;
const CRC_FLAG = 2;
const EXTRA_FLAG = 4;
const NAME_FLAG = 8;
const COMMENT_FLAG = 16;
const LENGTH_MODULUS = 2 ** 32;
/** Codings that a body may be said to have: it is known by its bytes. */
const READ_CODINGS: ReadonlySet<string> = new Set(['', 'identity', 'gzip', 'x-gzip']);

/** A body as it was before it was compressed, or why it cannot be read. */
type UnpackedBody = { readonly body: Uint8Array } | { readonly refused: CataloguedError };

/**
 * Unpacks a body that is gzip, which its first bytes tell: what stands before the function may have unpacked it and left
 * the header. It stops at the largest body, so that a small one cannot become more. One member, and nothing after it.
 * @param contentEncoding header of the request
 */
export function unpackBody(body: Uint8Array, contentEncoding = ''): UnpackedBody {
  if (!isGzip(body)) {
    if (READ_CODINGS.has(contentEncoding.trim().toLowerCase())) return { body };
    return { refused: { reason: 'unsupported_encoding', details: { rule: 'content_encoding' } } };
  }
  const start = dataStart(body);
  if (start === undefined) return MALFORMED;
  try {
    const packed = body.subarray(start, body.length - TRAILER_BYTES);
    const { buffer, engine } = inflate(packed);
    const isWhole = engine.bytesWritten === packed.length && fitsTrailer(buffer, body);
    return isWhole ? { body: buffer } : MALFORMED;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') return MALFORMED;
    const max = MAX_BODY_BYTES;
    return { refused: { reason: 'body_too_large', parameters: { max }, details: { max_bytes: max } } };
  }
}

/** Unpacked bytes, and how many of the packed ones they came from: the types of Node.js do not know of `info`. */
function inflate(packed: Uint8Array) {
  const options = { maxOutputLength: MAX_BODY_BYTES, info: true };
  return inflateRawSync(packed, options) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
}

const MALFORMED: UnpackedBody = { refused: { reason: 'parse_error', details: { rule: 'content_encoding' } } };

function isGzip(body: Uint8Array): boolean {
  return MAGIC.every((byte, index) => body[index] === byte);
}

/** Where the compressed data begin; undefined if the header does not end. */
function dataStart(body: Uint8Array): number | undefined {
  const flags = body[FLAGS_AT] ?? 0;
  let at = HEADER_BYTES;
  if ((flags & EXTRA_FLAG) !== 0) at += 2 + (body[at] ?? 0) + 256 * (body[at + 1] ?? 0);
  for (const flag of [NAME_FLAG, COMMENT_FLAG]) {
    if ((flags & flag) === 0) continue;
    const end = body.indexOf(0, at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  if ((flags & CRC_FLAG) !== 0) at += 2;
  return at + TRAILER_BYTES <= body.length ? at : undefined;
}

function fitsTrailer(unpacked: Uint8Array, body: Uint8Array): boolean {
  const trailer = new DataView(body.buffer, body.byteOffset + body.length - TRAILER_BYTES, TRAILER_BYTES);
  return (
    trailer.getUint32(0, true) === crc32(unpacked) &&
    trailer.getUint32(4, true) === unpacked.length % LENGTH_MODULUS
  );
}
