import { pipeline, Readable } from 'node:stream';
import { chooseCoding, createCompressor, encodeBody } from '../../shared/http/body-pieces.ts';
import type { DataHttpResponse, FileStream } from './data-http-response.ts';

const OK = 200;

/** A response as it is written to the client. */
export interface StreamedDataResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** Compresses what was found, if the client takes a coding that we have and it is worth it. Errors are short. */
export async function streamDataResponse(
  { statusCode, headers, body, file }: DataHttpResponse,
  acceptEncoding: string | undefined,
): Promise<StreamedDataResponse> {
  if (file !== undefined) return streamExport({ statusCode, headers, file }, acceptEncoding);
  const text = String(body);
  if (statusCode !== OK) return { statusCode, headers, body: text };
  const coded = await encodeBody([Buffer.from(text)], acceptEncoding);
  const isCoded = coded.headers['content-encoding'] !== undefined;
  return {
    statusCode,
    headers: { ...headers, ...coded.headers },
    body: isCoded ? Readable.from(coded.pieces) : text,
  };
}

/** A file is compressed as it goes, whatever its length: it is not known. A client that goes away ends the pages too. */
function streamExport(
  {
    statusCode,
    headers,
    file: { stream, isCompressed, sent },
  }: Required<Pick<DataHttpResponse, 'statusCode' | 'headers' | 'file'>>,
  acceptEncoding: string | undefined,
): StreamedDataResponse {
  const sending = (pieces: AsyncIterable<string | Uint8Array>) =>
    Readable.from(counted(pieces, sent), { objectMode: true, highWaterMark: 1 });
  if (isCompressed) return { statusCode, headers, body: sending(stream) };
  const { coding } = chooseCoding(acceptEncoding);
  const vary = { vary: 'accept-encoding' };
  if (coding === undefined) return { statusCode, headers: { ...headers, ...vary }, body: sending(stream) };
  const compressor = createCompressor(coding);
  // An error ends both: the reader of the compressor gets it.
  pipeline(Readable.from(stream, { objectMode: true, highWaterMark: 1 }), compressor, () => {});
  return {
    statusCode,
    headers: { ...headers, ...vary, 'content-encoding': coding },
    body: sending(compressor),
  };
}

async function* counted<Piece extends string | Uint8Array>(
  pieces: AsyncIterable<Piece>,
  sent: FileStream['sent'],
): AsyncGenerator<Piece, void, void> {
  for await (const piece of pieces) {
    sent.bytes += Buffer.byteLength(piece);
    yield piece;
  }
}
