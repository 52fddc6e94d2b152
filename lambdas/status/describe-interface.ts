import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type CodedResponse, compressResponse } from '../data/response/render-body.ts';
import { chooseCoding, headerOf } from '../shared/http/body-pieces.ts';
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

/** The description of an interface. */
interface InterfaceDescription {
  /** A weak one: the bytes that are sent depend on the coding. */
  readonly etag: string;
  /** All of it, as a client takes it: each coding is made for the first client that takes it. */
  coded(acceptEncoding: string | undefined): Promise<CodedResponse>;
}

/** A description with its tag. */
export function describedBy(text: string): InterfaceDescription {
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARACTERS);
  const whole = { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: text };
  const responses = new Map<string | undefined, Promise<CodedResponse>>();
  return {
    etag: `W/"${tag}"`,
    coded(acceptEncoding) {
      const { coding } = chooseCoding(acceptEncoding);
      const response = responses.get(coding) ?? compressResponse(whole, coding);
      responses.set(coding, response);
      return response;
    },
  };
}

/** Whether a path serves a description. */
export function isDescribed(path: string): path is DescriptionPath {
  return Object.hasOwn(DESCRIPTION_FILES, path);
}

/** Reads the descriptions that were put into the folder of the function when it was built. */
export function loadDescriptions(folder: string): Readonly<Record<DescriptionPath, InterfaceDescription>> {
  const load = (path: DescriptionPath) =>
    describedBy(readFileSync(join(folder, DESCRIPTION_FILES[path]), 'utf8'));
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
): Promise<CodedResponse> {
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
  const coded = await description.coded(headerOf(headers, 'accept-encoding'));
  return { ...coded, headers: { ...shared, ...coded.headers } };
}
