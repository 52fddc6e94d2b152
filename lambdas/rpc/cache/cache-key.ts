import { hash } from 'node:crypto';
import type { ChainSettings } from '../../settings.ts';
import type { Call } from '../calls.ts';
import { isIdempotent } from '../idempotence.ts';
import { compactJson } from './compact-json.ts';

/** Changes with what a key or a kept answer means, so that nobody reads what an older version wrote. */
const VERSION = 'answer-2';
const LENGTH_BYTES = 4;

/** Hash that names the answer of a call: equal if and only if chain, method and parameters are, white space aside. */
export function cacheKey(
  { chain, chainId }: Pick<ChainSettings, 'chain' | 'chainId'>,
  { method, params }: Pick<Call, 'method' | 'params'>,
): string {
  return hash('sha256', encodeFields(chain, chainId, method, params), 'base64url');
}

/** Key of a call that may share the answer of an equal one; undefined for one that acts: no two of these are equal. */
export function sharingKey(
  chain: Pick<ChainSettings, 'chain' | 'chainId'>,
  call: Pick<Call, 'method' | 'params'>,
): string | undefined {
  return isIdempotent(call.method) ? cacheKey(chain, call) : undefined;
}

/** Each field behind its length, so that none can reach into the next. Absent params are the only empty ones. */
function encodeFields(
  chain: string,
  chainId: number,
  method: string,
  params: Uint8Array | undefined,
): Buffer {
  const names = [VERSION, chain, String(chainId), method].map((name) => Buffer.from(name));
  const fields = [...names, params === undefined ? new Uint8Array() : compactJson(params)];
  const encoded = Buffer.allocUnsafe(fields.reduce((bytes, { length }) => bytes + LENGTH_BYTES + length, 0));
  let at = 0;
  for (const field of fields) {
    at = encoded.writeUInt32BE(field.length, at);
    encoded.set(field, at);
    at += field.length;
  }
  return encoded;
}
