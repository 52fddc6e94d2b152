import { isIP } from 'node:net';
import type { ReadSecret } from '../../aws/cached-secrets.ts';
import {
  type ChainSettings,
  type DescribedUpstream,
  type UpstreamEntry,
  upstreamReference,
} from '../../runtime/settings.ts';

const SECRET_PREFIX = 'secret:';
/** Longest label before a country's that is taken for a part of the suffix, as in `example.co.uk`. */
const MAX_SUFFIX_LABEL = 3;
const COUNTRY_LENGTH = 2;

/** Who runs an upstream, by its name. Rejects where its URL cannot be read. */
export type OperatorOf = (upstream: string) => Promise<string>;

/** Tells which upstreams of a chain are one voice: those of one operator, by the stage file or by the domain of the URL. */
export function operatorsOf(
  { upstreams }: Pick<ChainSettings, 'upstreams'>,
  readSecret: ReadSecret,
): OperatorOf {
  const entries = new Map(
    upstreams.map((entry, index) => [describedBy(entry).name ?? `upstream-${index + 1}`, entry] as const),
  );
  return async (name) => {
    const entry = entries.get(name);
    if (entry === undefined) return name;
    const { operator } = describedBy(entry);
    if (operator !== undefined) return operator;
    const reference = upstreamReference(entry);
    const url = reference.startsWith(SECRET_PREFIX)
      ? await readSecret(reference.slice(SECRET_PREFIX.length))
      : reference;
    return domainOf(url);
  };
}

function describedBy(entry: UpstreamEntry): DescribedUpstream {
  return typeof entry === 'string' ? {} : entry;
}

/** The domain that somebody registered; an address, or a name without one, with its port. */
export function domainOf(url: string): string {
  const { hostname, host } = URL.parse(url) ?? { hostname: url, host: url };
  const labels = hostname.split('.');
  if (labels.length === 1 || isIP(hostname) !== 0 || hostname.startsWith('[')) return host;
  const [suffix = '', second = ''] = labels.toReversed();
  const kept = suffix.length === COUNTRY_LENGTH && second.length <= MAX_SUFFIX_LABEL ? 3 : 2;
  return labels.slice(-kept).join('.');
}
