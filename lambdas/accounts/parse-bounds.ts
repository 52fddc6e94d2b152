import { InputError } from '../access/contract/input-error.ts';
import { APIS, type BoundApi, type KeyBounds } from '../access/contract/key-bounds.ts';
import { MAX_BOUNDS_BYTES } from '../access/keys/api-key.ts';
import { isAligned, parseNetwork, renderNetwork } from '../access/keys/network.ts';
import { isMethodAvailable, matchesPattern, weightOf } from '../shared/methods/method-facts.ts';
import { ALLOWED_PATTERNS, DEFAULT_WEIGHT, METHODS, PREFIXES } from '../shared/methods/method-table.ts';

/** Most entries of one list. */
const MAX_BOUND_ENTRIES = 50;
/** What a list of kinds to be taken away names, and the kind. */
export const BOUND_NAMES = {
  apis: 'apis',
  methods: 'methods',
  operations: 'operations',
  contracts: 'contracts',
  chains: 'chains',
  ips: 'ips',
  'cu-per-second': 'cu_per_second',
  'cu-per-day': 'cu_per_day',
  expires: 'expires_at',
} as const satisfies Readonly<Record<string, keyof KeyBounds>>;
export type BoundName = keyof typeof BOUND_NAMES;

/** Bounds as an operator writes them; absent: as they were. */
type WrittenBounds = { readonly [Name in BoundName]?: string | undefined };

/** What a gateway has that bounds can name. */
interface Boundable {
  readonly chains: readonly string[];
  /** Compute units of the Data API's operations, by name. */
  readonly operations: ReadonlyMap<string, number>;
}

const MAX_NAME_LENGTH = 128;
const METHOD_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const WILDCARD = '*';
const ADDRESS = /^0x[0-9a-f]{40}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2})?Z)?$/;

/**
 * Bounds of a key: those that it had, without what is taken away, with what is written in their place. Throws
 * {@link InputError} for what cannot be, and for bounds that contradict one another.
 * @param clear kinds that are taken away, separated by commas
 */
export function parseBounds(
  { clear, ...written }: WrittenBounds & { readonly clear?: string | undefined },
  { boundable, nowMs }: { readonly boundable: Boundable; readonly nowMs: number },
  before: KeyBounds = {},
): KeyBounds {
  const cleared = clear === undefined ? [] : entriesOf('clear', clear).map(nameOf);
  const both = cleared.find((name) => written[name] !== undefined);
  if (both !== undefined) throw new InputError(`--clear takes away ${both}, and --${both} sets it`);
  const remaining = Object.entries(before).filter(
    ([kind]) => !cleared.some((name) => BOUND_NAMES[name] === kind),
  );
  const bounds: KeyBounds = { ...Object.fromEntries(remaining), ...readWritten(written, boundable, nowMs) };
  requireConsistent(bounds, boundable);
  const bytes = Buffer.byteLength(renderBounds(bounds));
  if (bytes > MAX_BOUNDS_BYTES)
    throw new InputError(`the bounds of a key have at most ${MAX_BOUNDS_BYTES} bytes, these have ${bytes}`);
  return bounds;
}

/** Bounds as a key item has them: kinds in one order, so that equal bounds are equal texts. */
export function renderBounds(bounds: KeyBounds): string {
  return JSON.stringify(bounds, Object.values(BOUND_NAMES));
}

/** What a person has to know of bounds that do less than they may seem to; a sentence each. */
export function notesOn({ contracts, ips, expires_at: expiresAt }: KeyBounds): readonly string[] {
  return [
    ...(contracts === undefined
      ? []
      : [
          'Contracts bound JSON-RPC alone: the Data API and the tools of MCP that read its data are not bounded by them.',
        ]),
    ...(ips === undefined
      ? []
      : [
          'Addresses are those that API Gateway sees; behind a proxy of your own, all requests have its address, unless the stage file has clientAddress.',
        ]),
    ...(expiresAt === undefined ? [] : [`The key is unknown from ${expiresAt} on.`]),
  ];
}

function readWritten(
  { apis, methods, operations, contracts, chains, ips, expires, ...amounts }: WrittenBounds,
  boundable: Boundable,
  nowMs: number,
): KeyBounds {
  const { 'cu-per-second': perSecond, 'cu-per-day': perDay } = amounts;
  return {
    ...(perSecond !== undefined && { cu_per_second: readAmount('cu-per-second', perSecond) }),
    ...(perDay !== undefined && { cu_per_day: readAmount('cu-per-day', perDay) }),
    ...(apis !== undefined && { apis: listOf('apis', apis, readApi) }),
    ...(methods !== undefined && { methods: listOf('methods', methods, readMethod) }),
    ...(operations !== undefined && {
      operations: listOf('operations', operations, (id) =>
        known('operation', id, [...boundable.operations.keys()]),
      ),
    }),
    ...(contracts !== undefined && { contracts: listOf('contracts', contracts, readAddress) }),
    ...(chains !== undefined && {
      chains: listOf('chains', chains, (name) => known('chain', name, boundable.chains)),
    }),
    ...(ips !== undefined && { ips: listOf('ips', ips, readBlock) }),
    ...(expires !== undefined && { expires_at: readTime(expires, nowMs) }),
  };
}

/** Bounds of which one leaves nothing of another are a mistake. */
function requireConsistent(bounds: KeyBounds, boundable: Boundable): void {
  const { apis, methods, operations, contracts } = bounds;
  const has = (...some: readonly BoundApi[]) => apis === undefined || some.some((api) => apis.includes(api));
  if (!has('rpc', 'mcp') && (methods !== undefined || contracts !== undefined))
    throw new InputError('methods and contracts bound JSON-RPC, which the apis of the key leave out');
  if (!has('data', 'mcp') && operations !== undefined)
    throw new InputError('operations bound the Data API, which the apis of the key leave out');
  const dearest = Math.max(
    has('rpc', 'mcp') ? dearestCall(methods) : 0,
    has('data', 'mcp') ? dearestOperation(operations, boundable) : 0,
  );
  if (bounds.cu_per_day !== undefined && bounds.cu_per_day < dearest)
    throw new InputError(
      `--cu-per-day ${bounds.cu_per_day} is below one call of the dearest method allowed, ${dearest} CU`,
    );
}

/** Compute units of the dearest method that entries of a list allow. */
function dearestCall(methods: readonly string[] = ALLOWED_PATTERNS): number {
  const named = [...METHODS.map(({ name }) => name), ...PREFIXES.map(({ prefix }) => prefix)];
  const weights = methods.flatMap((entry) =>
    entry.endsWith(WILDCARD)
      ? [DEFAULT_WEIGHT, ...named.filter((name) => matchesPattern(name, entry)).map(weightOf)]
      : [weightOf(entry)],
  );
  // A pattern within a prefix, such as debug_traceCall*, has that prefix's weight.
  const within = methods.filter((entry) => entry.endsWith(WILDCARD)).map((entry) => weightOf(entry));
  return Math.max(...weights, ...within);
}

function dearestOperation(operations: readonly string[] | undefined, boundable: Boundable): number {
  const prices = [...boundable.operations].filter(([id]) => operations?.includes(id) ?? true);
  return prices.reduce((most, [, cu]) => Math.max(most, cu), 0);
}

/** The entries of a list, each once, in their order. */
function listOf<T extends string>(name: BoundName, text: string, read: (entry: string) => T): readonly T[] {
  return [...new Set(entriesOf(name, text).map(read))];
}

function entriesOf(name: string, text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.includes(''))
    throw new InputError(`--${name} has an empty entry; without --${name} there is no bound`);
  if (entries.length > MAX_BOUND_ENTRIES)
    throw new InputError(`--${name} has ${entries.length} entries, and may have ${MAX_BOUND_ENTRIES}`);
  return entries;
}

function nameOf(entry: string): BoundName {
  if (Object.hasOwn(BOUND_NAMES, entry)) return entry as BoundName;
  throw new InputError(`no bound is called ${printable(entry)} (${Object.keys(BOUND_NAMES).join(', ')})`);
}

function readApi(entry: string): BoundApi {
  const api = APIS.find((one) => one === entry);
  if (api === undefined) throw new InputError(`unknown api ${printable(entry)} (${APIS.join(', ')})`);
  return api;
}

function readMethod(entry: string): string {
  const isPattern = entry.endsWith(WILDCARD);
  const name = isPattern ? entry.slice(0, -WILDCARD.length) : entry;
  const isName = name.length <= MAX_NAME_LENGTH && METHOD_NAME.test(name);
  const isServed = isPattern
    ? ALLOWED_PATTERNS.some((allowed) => name.startsWith(allowed.slice(0, -WILDCARD.length)))
    : isMethodAvailable(name);
  if (isName && isServed) return entry;
  throw new InputError(
    `${printable(entry)} is outside of the method policy (a method or a pattern within ${ALLOWED_PATTERNS.join(', ')})`,
  );
}

function readAddress(entry: string): string {
  const address = entry.toLowerCase();
  if (ADDRESS.test(address)) return address;
  throw new InputError(`${printable(entry)} is no address: 0x and 40 hex digits`);
}

function readBlock(entry: string): string {
  const network = parseNetwork(entry);
  if (network === undefined)
    throw new InputError(`${printable(entry)} is no IPv4 or IPv6 address or CIDR block`);
  if (isAligned(network)) return renderNetwork(network);
  throw new InputError(`${printable(entry)} has bits behind its prefix: a block begins at its first address`);
}

function readAmount(name: BoundName, text: string): number {
  const amount = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (amount >= 1) return amount;
  throw new InputError(`--${name} is a whole number of CU from 1 to 999999999999999, in digits`);
}

function readTime(text: string, nowMs: number): string {
  const [, day, minutes = '00:00', seconds = ':00'] = TIME.exec(text) ?? [];
  const time = Date.parse(`${day}T${minutes}${seconds}Z`);
  // Days that a month does not have become others.
  const isTime =
    !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${day}T${minutes}${seconds}`);
  if (!isTime) throw new InputError('--expires is a time of UTC, such as 2027-01-31T12:00Z, or a day');
  if (time <= nowMs) throw new InputError(`--expires ${text} is past`);
  return new Date(time).toISOString();
}

function known(what: string, name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  throw new InputError(`unknown ${what} ${printable(name)}`);
}

/** What was typed, short and harmless. */
function printable(text: string): string {
  return text.slice(0, MAX_NAME_LENGTH).replace(/[^\x20-\x7e]/g, '?');
}
