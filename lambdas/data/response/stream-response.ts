import { pipeline, Readable } from 'node:stream';
import type { ToldBill } from 'gateway-access';
import { chooseCoding, createCompressor, encodeBody } from '../../shared/http/body-pieces.ts';
import type { DataHttpResponse, FileStream } from './data-http-response.ts';

const OK = 200;
/** What the end of a file tells of its bill, in each format: the name stands last there, as rows may have it as a text. */
const BILL_NAME = 'billed_cu';
const BILLED = /^billed_cu\D{1,4}(\d{1,16})/;
const LAST_CHARGE = /"([^"\s]{1,128}) \d{1,16}"\]/;
/** Bytes of the last piece of a file in which that is looked for. */
const END_BYTES = 64 * 1024;

/** A response as it is written to the client. */
export interface StreamedDataResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/**
 * Compresses what was found, if the client takes a coding that we have and it is worth it. Errors are short.
 * @param onEnd called with what the end of a file tells of its bill, once that is taken
 */
export async function streamDataResponse(
  { statusCode, headers, body, file }: DataHttpResponse,
  acceptEncoding: string | undefined,
  onEnd: (bill: ToldBill) => void = () => {},
): Promise<StreamedDataResponse> {
  if (file !== undefined) {
    const stream = readBill(file.stream, onEnd);
    return streamExport({ statusCode, headers, file: { ...file, stream } }, acceptEncoding);
  }
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

/** The same pieces; the bill is read of the last one. */
async function* readBill(
  pieces: FileStream['stream'],
  onEnd: (bill: ToldBill) => void,
): FileStream['stream'] {
  let last: string | Uint8Array = '';
  for await (const piece of pieces) {
    last = piece;
    yield piece;
  }
  const text = Buffer.from(last).subarray(-END_BYTES).toString('latin1');
  const bill = text.slice(Math.max(text.lastIndexOf(BILL_NAME), 0));
  const billed = BILLED.exec(bill)?.[1];
  if (billed !== undefined) onEnd({ billedCu: Number(billed), lane: LAST_CHARGE.exec(bill)?.[1] });
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
