import { pipeline, Readable } from 'node:stream';
import { chooseCoding, createCompressor } from '../../shared/http/body-pieces.ts';
import type { DataHttpResponse, FileStream } from './data-http-response.ts';
import { encodeFound } from './render-body.ts';

/** A response as it is written to the client. */
export interface StreamedDataResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** Writes a response as it goes out: what was found compressed, a file as it is read. */
export async function streamDataResponse(
  { statusCode, headers, body, file }: DataHttpResponse,
  acceptEncoding: string | undefined,
): Promise<StreamedDataResponse> {
  if (file !== undefined) return streamExport({ statusCode, headers, file }, acceptEncoding);
  const coded = await encodeFound({ statusCode, headers, body }, acceptEncoding);
  return { ...coded, body: typeof coded.body === 'string' ? coded.body : Readable.from(coded.body) };
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
