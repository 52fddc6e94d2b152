import type { HttpResponse } from 'gateway-access';
import { encodeBody } from '../../shared/http/compress.ts';

const OK = 200;

/** A response as API Gateway takes it whole: bytes are written in base64, and are bytes again for the client. */
export interface CodedResponse extends HttpResponse {
  readonly isBase64Encoded?: true;
}

/** Compresses what was found, if the client takes a coding that we have and it is worth it. Errors are short. */
export async function compressResponse(
  response: HttpResponse,
  acceptEncoding: string | undefined,
): Promise<CodedResponse> {
  const { statusCode, body } = response;
  if (statusCode !== OK || typeof body !== 'string') return response;
  const { pieces, headers } = await encodeBody([Buffer.from(body)], acceptEncoding);
  const coded = { ...response, headers: { ...response.headers, ...headers } };
  if (headers['content-encoding'] === undefined) return coded;
  return { ...coded, body: Buffer.concat(pieces).toString('base64'), isBase64Encoded: true };
}
