import { type ChainSettings, type UpstreamEntry, upstreamReference } from '../lambdas/settings.ts';

const SECRET_PREFIX = 'secret:';
/** Name of a Secrets Manager secret. */
const SECRET_NAME = /^[A-Za-z0-9/_+=.@-]{1,512}$/;
const LOOPBACK_ADDRESS = /^127(\.\d{1,3}){3}$/;

/** What an upstream of a stage file may be, for its error message. */
export const UPSTREAM_REFERENCE_FORMS =
  'an https:// URL (http:// only on this machine, no user name or password), "secret:NAME" or "embedded"';

/** Whether an upstream of a stage file is one of the forms that a function understands. */
export function isUpstreamReference(reference: string): boolean {
  if (reference === 'embedded') return true;
  if (reference.startsWith(SECRET_PREFIX)) return secretName(reference) !== undefined;
  const url = URL.parse(reference);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** Name of the secret that holds the URL of an upstream; undefined if it is none. */
export function secretName(entry: UpstreamEntry): string | undefined {
  const reference = upstreamReference(entry);
  if (!reference.startsWith(SECRET_PREFIX)) return undefined;
  const name = reference.slice(SECRET_PREFIX.length);
  return SECRET_NAME.test(name) ? name : undefined;
}

/** Whether one of a chain's upstreams is the embedded node. */
export function hasEmbeddedUpstream({ upstreams }: Pick<ChainSettings, 'upstreams'>): boolean {
  return upstreams.some((entry) => upstreamReference(entry) === 'embedded');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || LOOPBACK_ADDRESS.test(host);
}
