import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { type GuardRefusal, refuseUnsigned } from '../guard/refusal.ts';
import { type LocalServer, listenLocally } from '../processes/listen-locally.ts';

const REQUEST_TIMEOUT_MS = 60_000;
/** Largest object. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;
const RANGE = /^bytes=(\d{1,15})-(\d{1,15})$/;
/** Bucket and key: segments of a key begin with a letter or a digit, so that none leads out of the folder. */
const PATH = /^\/([a-z0-9][a-z0-9.-]{2,62})\/([A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*){0,9})$/;

interface S3Options {
  /** Their names; may be filled later. */
  readonly buckets: ReadonlySet<string>;
  /** Where objects are kept, as files. */
  readonly folder: string;
  /** The only access key that it knows. */
  readonly accessKeyId: string;
}

interface ObjectResponse {
  readonly status: number;
  readonly body?: Buffer | string;
}

/**
 * Serves what the gateway asks of S3 on a free port of 127.0.0.1: puts, puts of objects that are not there yet, and reads,
 * also of a part. Bucket and key stand in the path. It keeps no versions.
 */
export async function startS3Endpoint(options: S3Options): Promise<LocalServer> {
  const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: 0 };
  const server = createServer(timeouts, (request, response) => void serve(options, request, response));
  return listenLocally(server);
}

async function serve(options: S3Options, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body = '' } = await respond(options, request).catch((error) => ({
    status: 500,
    body: errorBody('InternalError', String(error)),
  }));
  const headers = { 'x-amz-request-id': randomUUID(), 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

async function respond(options: S3Options, request: IncomingMessage): Promise<ObjectResponse> {
  const { method = '', headers, url = '' } = request;
  const [, name = '', key = ''] = PATH.exec(url) ?? [];
  const refusal: GuardRefusal | undefined = refuseUnsigned({ method, headers }, options.accessKeyId);
  if (refusal !== undefined)
    return { status: refusal.status, body: errorBody('AccessDenied', refusal.message) };
  if (!options.buckets.has(name))
    return { status: 404, body: errorBody('NoSuchBucket', 'no such bucket, or no key') };
  const file = join(options.folder, name, key);
  if (method === 'GET') return read(file, headers.range);
  if (method === 'PUT') return write(file, request, headers['if-none-match'] === '*');
  return { status: 405, body: errorBody('MethodNotAllowed', `${method} is not supported locally`) };
}

async function read(file: string, range: string | undefined): Promise<ObjectResponse> {
  const object = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (object === undefined) return { status: 404, body: errorBody('NoSuchKey', 'no such object') };
  if (range === undefined) return { status: 200, body: object };
  const [, first, last] = RANGE.exec(range) ?? [];
  const from = Number(first);
  if (first === undefined || from >= object.length || Number(last) < from)
    return { status: 416, body: errorBody('InvalidRange', 'no such bytes') };
  return { status: 206, body: object.subarray(from, Number(last) + 1) };
}

/** Writes a temporary file and renames it: a concurrent reader finds the whole object, or none. */
async function write(file: string, request: IncomingMessage, isNew: boolean): Promise<ObjectResponse> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_OBJECT_BYTES) chunks.push(chunk);
  }
  if (length > MAX_OBJECT_BYTES) return { status: 400, body: errorBody('EntityTooLarge', 'too large') };
  await mkdir(dirname(file), { recursive: true });
  const written = `${file}.${randomUUID()}`;
  await writeFile(written, Buffer.concat(chunks), { mode: 0o600 });
  if (!isNew) {
    await rename(written, file);
    return { status: 200 };
  }
  try {
    await link(written, file);
    return { status: 200 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { status: 412, body: errorBody('PreconditionFailed', 'the object is there') };
  } finally {
    await rm(written);
  }
}

function errorBody(code: string, message: string): string {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${text}</Message></Error>`;
}
