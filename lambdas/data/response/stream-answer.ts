import { pipeline, Readable } from 'node:stream';
import { chooseCoding } from '../../shared/http/accept-encoding.ts';
import { createCompressor, encodeBody } from '../../shared/http/compress.ts';
import type { DataAnswer } from './data-answer.ts';

const OK = 200;

/** An answer as it is written to the client. */
export interface StreamedAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** Compresses what was found, if the client takes a coding that we have and it is worth it. Errors are short. */
export async function streamAnswer(
  { statusCode, headers, body, stream }: DataAnswer,
  acceptEncoding: string | undefined,
): Promise<StreamedAnswer> {
  if (stream !== undefined) return streamExport({ statusCode, headers, stream }, acceptEncoding);
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

/** A file is compressed as it goes, whatever its length: nobody knows it. A client that goes away ends the pages too. */
function streamExport(
  { statusCode, headers, stream }: Required<Pick<DataAnswer, 'statusCode' | 'headers' | 'stream'>>,
  acceptEncoding: string | undefined,
): StreamedAnswer {
  const { coding } = chooseCoding(acceptEncoding);
  const lines = Readable.from(stream, { objectMode: true, highWaterMark: 1 });
  const vary = { vary: 'accept-encoding' };
  if (coding === undefined) return { statusCode, headers: { ...headers, ...vary }, body: lines };
  const compressor = createCompressor(coding);
  // An error ends both: whoever reads the compressor is told of it.
  pipeline(lines, compressor, () => {});
  return { statusCode, headers: { ...headers, ...vary, 'content-encoding': coding }, body: compressor };
}
