import type { HttpResponse } from 'gateway-access';
import { encodeBody } from '../../shared/http/body-pieces.ts';
import type { ResponseMeta } from '../plan/response-meta.ts';

const OK = 200;
/** A response as API Gateway takes it whole: bytes are written in base64, and are bytes again for the client. */
export interface CodedResponse extends HttpResponse {
  readonly isBase64Encoded?: true;
}

/** `meta` of the envelope, whose fields and order are those of the specification. */
export interface Meta {
  readonly asOfBlock: number;
  readonly finalizedBlock: number;
  readonly coverage: ResponseMeta['coverage'];
  /** ISO 8601. */
  readonly refreshedAt: string;
  /** Absent where it is not known. */
  readonly rowsRead: number | undefined;
  readonly queryMs: number;
}

/** The envelope around data that is JSON already. */
export function renderBody(data: string, nextCursor: string | undefined, meta: Meta): string {
  const fields = {
    as_of_block: meta.asOfBlock,
    finalized_block: meta.finalizedBlock,
    coverage: meta.coverage,
    refreshed_at: meta.refreshedAt,
    ...(meta.rowsRead !== undefined && { rows_read: meta.rowsRead }),
    query_ms: meta.queryMs,
  };
  const next = nextCursor === undefined ? '' : `"next_cursor":${JSON.stringify(nextCursor)},`;
  return `{"data":${data},${next}"meta":${JSON.stringify(fields)}}`;
}

/** Compresses what was found, if the client takes a coding that we have and it is worth it. Errors are short. */
export async function encodeFound(
  response: HttpResponse,
  acceptEncoding: string | undefined,
): Promise<HttpResponse> {
  const { statusCode, body } = response;
  if (statusCode !== OK || typeof body !== 'string') return response;
  const { pieces, headers } = await encodeBody([Buffer.from(body)], acceptEncoding);
  const isCoded = headers['content-encoding'] !== undefined;
  return { ...response, headers: { ...response.headers, ...headers }, body: isCoded ? pieces : body };
}

/** The same of a response that goes out whole. */
export async function compressResponse(
  response: HttpResponse,
  acceptEncoding: string | undefined,
): Promise<CodedResponse> {
  const { body, ...others } = await encodeFound(response, acceptEncoding);
  if (typeof body === 'string') return { ...others, body };
  return { ...others, body: Buffer.concat(body).toString('base64'), isBase64Encoded: true };
}
