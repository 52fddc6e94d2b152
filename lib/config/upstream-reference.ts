import {
  type ChainSettings,
  type DescribedUpstream,
  type UpstreamEntry,
  upstreamReference,
} from '../../lambdas/shared/runtime/settings.ts';
import { isPublicHttps } from '../../lambdas/shared/upstream/connection/public-url.ts';

const SECRET_PREFIX = 'secret:';
/** Name of a Secrets Manager secret. */
const SECRET_NAME = /^[A-Za-z0-9/_+=.@-]{1,512}$/;

/** Form of an upstream in a stage file, for its error message. */
export const UPSTREAM_REFERENCE_FORMS =
  'an https:// URL (http:// with privateUpstreams, no user name or password), "secret:NAME" or "embedded"';

/** Why the URL of an upstream is refused that only private upstreams can have. */
export const PUBLIC_UPSTREAM_REASON =
  'must be an https:// URL of a public host; privateUpstreams of the chain allows any';

/** Whether an upstream of a stage file is one of the forms that a function understands. */
export function isUpstreamReference(reference: string): boolean {
  if (reference === 'embedded') return true;
  if (reference.startsWith(SECRET_PREFIX)) return nameOf(reference) !== undefined;
  const url = URL.parse(reference);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

/** Whether an upstream can be in no private network: the URL in a secret is checked as it is read. */
export function isPublicUpstream(entry: UpstreamEntry): boolean {
  const reference = upstreamReference(entry);
  return reference === 'embedded' || reference.startsWith(SECRET_PREFIX) || isPublicHttps(reference);
}

/** Whether an upstream answers nobody, and is compared with those that do. */
export function isShadow(entry: UpstreamEntry): boolean {
  return typeof entry !== 'string' && entry.shadow !== undefined;
}

/** A chain as the functions have it, its shadows apart from its upstreams. */
export function shadowsApart<Chain extends Pick<ChainSettings, 'upstreams'>>(chain: Chain): Chain {
  const shadows = chain.upstreams.filter((entry) => typeof entry !== 'string' && isShadow(entry));
  if (shadows.length === 0) return chain;
  const named = shadows.map((entry, index) => ({
    name: `shadow-${index + 1}`,
    ...(entry as DescribedUpstream),
  }));
  return { ...chain, upstreams: chain.upstreams.filter((entry) => !isShadow(entry)), shadows: named };
}

/** Form of a header's value, for its error message. */
export const HEADER_VALUE_FORMS = 'printable ASCII of at most 1,024 characters, or "secret:NAME"';
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;

/** Whether a text may be the value of a header, or name the secret that holds it. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value) && (!value.startsWith(SECRET_PREFIX) || nameOf(value) !== undefined);
}

/** Names of the secrets that hold the URL and the headers of an upstream. */
export function secretNames(entry: UpstreamEntry): readonly string[] {
  const headers = typeof entry === 'string' ? {} : (entry.headers ?? {});
  return [upstreamReference(entry), ...Object.values(headers)].flatMap((value) => nameOf(value) ?? []);
}

function nameOf(reference: string): string | undefined {
  if (!reference.startsWith(SECRET_PREFIX)) return undefined;
  const name = reference.slice(SECRET_PREFIX.length);
  return SECRET_NAME.test(name) ? name : undefined;
}

/** Whether one of a chain's upstreams is the embedded node. */
export function hasEmbeddedUpstream({ upstreams }: Pick<ChainSettings, 'upstreams'>): boolean {
  return upstreams.some((entry) => upstreamReference(entry) === 'embedded');
}
