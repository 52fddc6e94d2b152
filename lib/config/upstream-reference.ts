import {
  type ChainSettings,
  type UpstreamEntry,
  upstreamReference,
} from '../../lambdas/shared/runtime/settings.ts';
import { isPublicHttps } from '../../lambdas/shared/upstream/connection/public-url.ts';

const SECRET_PREFIX = 'secret:';
/** Name of a Secrets Manager secret. */
const SECRET_NAME = /^[A-Za-z0-9/_+=.@-]{1,512}$/;

/** What an upstream of a stage file may be, for its error message. */
export const UPSTREAM_REFERENCE_FORMS =
  'an https:// URL (http:// with privateUpstreams, no user name or password), "secret:NAME" or "embedded"';

/** Why the URL of an upstream is refused that only private upstreams can have. */
export const PUBLIC_UPSTREAM_REASON =
  'must be an https:// URL of a public host; privateUpstreams of the chain allows any';

/** Whether an upstream of a stage file is one of the forms that a function understands. */
export function isUpstreamReference(reference: string): boolean {
  if (reference === 'embedded') return true;
  if (reference.startsWith(SECRET_PREFIX)) return secretName(reference) !== undefined;
  const url = URL.parse(reference);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

/** Whether an upstream can be in no private network: the URL in a secret is checked as it is read. */
export function isPublicUpstream(entry: UpstreamEntry): boolean {
  const reference = upstreamReference(entry);
  return reference === 'embedded' || reference.startsWith(SECRET_PREFIX) || isPublicHttps(reference);
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
