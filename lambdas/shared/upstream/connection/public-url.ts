import { BlockList, isIP } from 'node:net';

/** Networks that no public host is in, by the registries of special-purpose addresses of RFC 6890. */
const SPECIAL_NETWORKS: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];
/** Names that only mean something on a machine or in a network. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|localdomain|home\.arpa)\.?$/;

const special = new BlockList();
for (const [network, prefix, family] of SPECIAL_NETWORKS) special.addSubnet(network, prefix, family);

/**
 * Whether a URL is one of `https` to a host that its text does not already tell to be private. A name that only the
 * resolver would tell to be one is not found out: functions have no way into a private network anyway.
 */
export function isPublicHttps(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:') return false;
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  switch (isIP(host)) {
    case 0:
      return host.includes('.') && !PRIVATE_NAME.test(host);
    case 4:
      return !special.check(host, 'ipv4');
    default:
      return !special.check(host, 'ipv6');
  }
}
