import { headerOf } from '../../shared/http/header-of.ts';

/** Where a request may carry its key. Header names are matched in any case. */
interface CredentialSource {
  /** The key of the URL path, if the route has one. */
  readonly pathKey?: string | undefined;
  readonly headers: Readonly<Record<string, string | undefined>> | null;
}

const BEARER = /^bearer\s+(.*)$/is;

/**
 * The key that a request presents: the key in the path, even an invalid one; else a non-empty `x-api-key`; else
 * `Authorization: Bearer`. Undefined if there is none. Only white space around a header's value is dropped.
 */
export function presentedKey({ pathKey, headers }: CredentialSource): string | undefined {
  if (pathKey !== undefined) return pathKey;
  const apiKey = headerOf(headers, 'x-api-key')?.trim() ?? '';
  if (apiKey !== '') return apiKey;
  const bearer = BEARER.exec(headerOf(headers, 'authorization')?.trim() ?? '')?.[1];
  return bearer === '' ? undefined : bearer;
}
