import { hash } from 'node:crypto';
import type { Call } from '../../shared/jsonrpc/calls.ts';
import { isIdempotent } from '../../shared/methods/method-facts.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { compactJson } from './compact-json.ts';

/**
 * Changes when the meaning of a key or a cached result changes, so that no instance reads results of an older version.
 */
const VERSION = 'answer-5';
const LENGTH_BYTES = 4;

/**
 * Hash that names the response of a call: equal if and only if chain, method and parameters are, white space aside, and
 * the version of the chain's cache.
 */
export function cacheKey(
  { chain, chainId }: Pick<ChainSettings, 'chain' | 'chainId'>,
  { method, params }: Pick<Call, 'method' | 'params'>,
  version = '',
): string {
  const names = [VERSION, version, chain, String(chainId), method];
  return hash('sha256', encodeFields(names, params), 'base64url');
}

/**
 * Key of a call that may share the response of an equal one; undefined for one that acts: no two of these are equal. It
 * lives as long as the call is on its way, so it is the call itself and no hash: no method can reach into the params.
 */
export function sharingKey(
  { chain, chainId }: Pick<ChainSettings, 'chain' | 'chainId'>,
  { method, params }: Pick<Call, 'method' | 'params'>,
  version = '',
): string | undefined {
  if (!isIdempotent(method)) return undefined;
  const compact = params === undefined ? '' : compactJson(params).toString('latin1');
  return `${chain} ${chainId} ${version} ${method.length}:${method}${compact}`;
}

/** Each field behind its length, so that none can reach into the next. Absent params are the only empty ones. */
function encodeFields(names: readonly string[], params: Uint8Array | undefined): Buffer {
  const fields = [
    ...names.map((name) => Buffer.from(name)),
    params === undefined ? Buffer.alloc(0) : compactJson(params),
  ];
  const encoded = Buffer.allocUnsafe(fields.reduce((bytes, { length }) => bytes + LENGTH_BYTES + length, 0));
  let at = 0;
  for (const field of fields) {
    at = encoded.writeUInt32BE(field.length, at);
    encoded.set(field, at);
    at += field.length;
  }
  return encoded;
}
