import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type ContentCoding, chooseCoding, headerOf } from '../shared/http/body-pieces.ts';
import { isFresh } from '../shared/http/if-none-match.ts';
import { PUBLIC_CORS, SECURITY_HEADERS } from '../shared/http/json-response.ts';

/** Files of the function with the descriptions of the interfaces, by the paths that serve them. */
export const DESCRIPTION_FILES = {
  '/v1/openapi.json': 'openapi.json',
  '/v1/openrpc.json': 'openrpc.json',
  '/v1/contract.json': 'contract.json',
} as const;

type DescriptionPath = keyof typeof DESCRIPTION_FILES;

/** A description changes with a deployment only: this long a client need not ask for it again. */
const MAX_AGE_SECONDS = 3_600;
const TAG_CHARACTERS = 27;
/** A little below the best, which takes 15 times as long for a tenth less. */
const BROTLI_QUALITY = 9;

/** Compresses a whole description, for some 20 ms: the bytes that are sent are unbilled. */
const COMPRESS: Readonly<Record<ContentCoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** The description of an interface, ready to be sent. Each coding is made for the first client that takes it. */
export class InterfaceDescription {
  /** A weak one: the bytes that are sent depend on the coding. */
  readonly etag: string;
  readonly #plain: Promise<string>;
  readonly #body: Buffer;
  readonly #coded = new Map<ContentCoding, Promise<string>>();

  constructor(body: Buffer) {
    this.#body = body;
    this.#plain = Promise.resolve(body.toString('base64'));
    const tag = createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS);
    this.etag = `W/"${tag}"`;
  }

  /** The bytes in a coding, in base64 as API Gateway takes them. */
  bytes(coding: ContentCoding | undefined): Promise<string> {
    if (coding === undefined) return this.#plain;
    const known = this.#coded.get(coding);
    if (known !== undefined) return known;
    const made = COMPRESS[coding](this.#body).then((bytes) => bytes.toString('base64'));
    this.#coded.set(coding, made);
    return made;
  }
}

/** Whether a path serves a description. */
export function isDescribed(path: string): path is DescriptionPath {
  return Object.hasOwn(DESCRIPTION_FILES, path);
}

/** Reads the descriptions that were put into the folder of the function when it was built. */
export function loadDescriptions(folder: string): Readonly<Record<DescriptionPath, InterfaceDescription>> {
  const load = (path: DescriptionPath) =>
    new InterfaceDescription(readFileSync(join(folder, DESCRIPTION_FILES[path])));
  return {
    '/v1/openapi.json': load('/v1/openapi.json'),
    '/v1/openrpc.json': load('/v1/openrpc.json'),
    '/v1/contract.json': load('/v1/contract.json'),
  };
}

/** Answers a description, 304 to a client that has it: public, to be kept for an hour, without a look into any table. */
export async function descriptionResponse(
  description: InterfaceDescription,
  { headers, requestContext }: Pick<APIGatewayProxyEvent, 'headers' | 'requestContext'>,
) {
  const { etag } = description;
  const shared = {
    ...PUBLIC_CORS,
    ...SECURITY_HEADERS,
    'X-Request-Id': requestContext.requestId,
    'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
    ETag: etag,
    vary: 'accept-encoding',
  };
  if (isFresh(headerOf(headers, 'if-none-match'), etag))
    return { statusCode: 304, headers: shared, body: '' };
  const { coding } = chooseCoding(headerOf(headers, 'accept-encoding'));
  return {
    statusCode: 200,
    headers: {
      ...shared,
      ...(coding !== undefined && { 'content-encoding': coding }),
      'Content-Type': 'application/json',
    },
    body: await description.bytes(coding),
    isBase64Encoded: true,
  };
}
