import { matchesPattern } from '../../shared/methods/method-facts.ts';
import type { Entry, KeyBounds } from '../contract/key-bounds.ts';
import { isInNetworks, type Network, parseNetwork } from './network.ts';

/** Most bytes of a key's bounds as they are stored: the key's item is then read by one read unit of 4 KB. */
export const MAX_BOUNDS_BYTES = 3_072;

const LISTS = ['apis', 'methods', 'operations', 'contracts', 'chains', 'ips'] as const;
const AMOUNTS = ['cu_per_second', 'cu_per_day'] as const;
const KINDS: ReadonlySet<string> = new Set<keyof KeyBounds>([...LISTS, ...AMOUNTS, 'expires_at']);
const NONE: KeyBounds = {};

/** Networks of bounds that were looked at, so that they are read once. */
const networksOf = new WeakMap<KeyBounds, readonly Network[]>();

/**
 * Bounds of a key item; `undefined` if they cannot be kept to: they are damaged, or of a kind that this release does not
 * know. No request may then use the key.
 * @param stored attribute `bounds` of the item; absent: none
 */
export function readBounds(stored: unknown): KeyBounds | undefined {
  if (stored === undefined) return NONE;
  if (typeof stored !== 'string') return undefined;
  try {
    const bounds: unknown = JSON.parse(stored);
    return isBounds(bounds) ? bounds : undefined;
  } catch {
    return undefined;
  }
}

/** Why a request may not come in: by its interface, where it is from, and when. Undefined: it may. */
export function refusedEntry(
  bounds: KeyBounds,
  { api, address }: Entry,
  nowMs: number,
): 'api' | 'address' | 'expired' | undefined {
  const { apis, ips, expires_at: expiresAt } = bounds;
  if (expiresAt !== undefined && nowMs >= Date.parse(expiresAt)) return 'expired';
  if (apis !== undefined && api !== undefined && !apis.includes(api)) return 'api';
  if (ips === undefined) return undefined;
  return address !== undefined && isInNetworks(blocksOf(bounds), address) ? undefined : 'address';
}

/** Whether a key may ask of a chain. */
export function isChainAllowed({ chains }: KeyBounds = NONE, chain: string): boolean {
  return chains === undefined || chains.includes(chain);
}

/** Whether a key may call a method of JSON-RPC that its chain serves. */
export function isMethodAllowed({ methods }: KeyBounds = NONE, method: string): boolean {
  return methods === undefined || methods.some((pattern) => matchesPattern(method, pattern));
}

/** Whether a key may use an operation of the Data API. */
export function isOperationAllowed({ operations }: KeyBounds = NONE, operationId: string): boolean {
  return operations === undefined || operations.includes(operationId);
}

function blocksOf(bounds: KeyBounds): readonly Network[] {
  const known = networksOf.get(bounds);
  if (known !== undefined) return known;
  const networks = (bounds.ips ?? []).flatMap((text) => parseNetwork(text) ?? []);
  networksOf.set(bounds, networks);
  return networks;
}

function isBounds(value: unknown): value is KeyBounds {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const bounds = value as Record<string, unknown>;
  if (!Object.keys(bounds).every((kind) => KINDS.has(kind))) return false;
  const { expires_at: expiresAt } = bounds;
  const isTime = typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
  return (
    (expiresAt === undefined || isTime) &&
    LISTS.every((kind) => isList(bounds[kind])) &&
    AMOUNTS.every((kind) => isAmount(bounds[kind]))
  );
}

function isAmount(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) > 0);
}

function isList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}
