import type { PriceList } from '../bill/price-list.ts';
import { type Clock, hourOf } from '../runtime/clock.ts';
import type { ChainMethods } from '../runtime/settings.ts';
import {
  ALLOWED_PATTERNS,
  BLOCKED_METHODS,
  DEFAULT_WEIGHT,
  METHODS,
  type MethodClass,
  type MethodFacts,
  type MethodNeed,
  PREFIXES,
} from './method-table.ts';

const WILDCARD = '*';
const BLOCKED: ReadonlySet<string> = new Set(BLOCKED_METHODS);
/** No name has these: a node might cut or replace them, and so run a method that was not the one judged. */
const CONTROLS_AND_LONE_SURROGATES = /[\p{Cc}\p{Cs}]/u;

/** Whether calls of a method are passed on. A block wins over a pattern that allows. */
export function isMethodAvailable(method: string): boolean {
  if (BLOCKED.has(method) || CONTROLS_AND_LONE_SURROGATES.test(method)) return false;
  return ALLOWED_PATTERNS.some((pattern) => matchesPattern(method, pattern));
}

/** Whether a method is the one that a pattern names, or one of those. */
export function matchesPattern(method: string, pattern: string): boolean {
  return pattern.endsWith(WILDCARD)
    ? method.startsWith(pattern.slice(0, -WILDCARD.length))
    : method === pattern;
}

/** Patterns with what they stand for, in the order in which a name looks for its own: the longest is the narrowest. */
function longestFirst<Row>(rows: readonly Row[], patternOf: (row: Row) => string): readonly Row[] {
  const ranked = rows.map((row) => ({ row, length: patternOf(row).length }));
  return ranked.sort((one, other) => other.length - one.length).map(({ row }) => row);
}

/** Which methods a chain serves, as methods and patterns. A denial wins. */
interface EffectiveMethods {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Whether calls of a method are passed on to a chain: it is available at all, and the chain does not leave it out. */
export function isMethodServed(method: string, { allow, deny }: ChainMethods = {}): boolean {
  const matches = (pattern: string) => matchesPattern(method, pattern);
  return isMethodAvailable(method) && allow?.some(matches) !== false && deny?.some(matches) !== true;
}

/** What the policy of every chain and the chain's own come to. */
export function effectiveMethods({ allow, deny }: ChainMethods = {}): EffectiveMethods {
  return {
    allow: allow ?? ALLOWED_PATTERNS,
    deny: [...new Set([...BLOCKED_METHODS, ...(deny ?? [])])],
  };
}

/**
 * Longest time of a call at the node, in milliseconds, unless the stage's time-out is shorter. A read or execution that
 * takes longer is abandoned, because it occupies the node; it is not billed.
 */
const TIMEOUT_MS: Readonly<Record<MethodClass, number>> = {
  read: 10_000,
  execution: 10_000,
  logs: 20_000,
  trace: 30_000,
  send: 20_000,
  refused: 0,
};

const FACTS_BY_NAME: ReadonlyMap<string, MethodFacts> = new Map(METHODS.map((row) => [row.name, row]));
const LONGEST_PREFIX_FIRST = longestFirst(PREFIXES, ({ prefix }) => prefix);
/** How methods end whose first parameter is a hash. */
const HASH_NAME = /Hash(?:AndIndex)?$/;
const UNKNOWN: MethodFacts = { class: 'read', needs: 'head' };

/** Compute units of a call, by method or pattern: every weight that is not the default one. */
export const WEIGHTS: readonly (readonly [pattern: string, cu: number])[] = [
  ...METHODS.flatMap(({ name, cu }) => (cu === undefined ? [] : [[name, cu] as const])),
  ...PREFIXES.flatMap(({ prefix, cu }) => (cu === undefined ? [] : [[`${prefix}*`, cu] as const])),
];

/** Whether a method has a row of its own in the table. */
export function isKnownMethod(method: string): boolean {
  return FACTS_BY_NAME.has(method);
}

/** What is known of any method: its row, or what its name says. */
export function methodFacts(method: string): MethodFacts {
  const facts = FACTS_BY_NAME.get(method);
  if (facts !== undefined) return facts;
  const named = prefixesOf(method)[0] ?? UNKNOWN;
  return HASH_NAME.test(method) ? { ...named, needs: 'hash' } : named;
}

/** Compute units of a call: those of the method itself, or of the longest pattern, or the default. */
export function weightOf(method: string): number {
  const weight = FACTS_BY_NAME.get(method)?.cu ?? prefixesOf(method).find(({ cu }) => cu !== undefined)?.cu;
  return weight ?? DEFAULT_WEIGHT;
}

/** Whether a node may see a call of the method twice, and answer equal calls once: it changes nothing. */
export function isIdempotent(method: string): boolean {
  return methodFacts(method).class !== 'send';
}

/** Place of the parameter that names the block which a call needs. */
export function placeOfBlock(needs: Extract<MethodNeed, object>): number {
  return 'stateAt' in needs ? needs.stateAt : needs.blockAt;
}

/** Whether a method reads state, which nodes keep for their newest blocks only. */
export function readsState(method: string): boolean {
  const { needs } = methodFacts(method);
  return typeof needs === 'object' && 'stateAt' in needs;
}

function prefixesOf(method: string): (typeof PREFIXES)[number][] {
  return LONGEST_PREFIX_FIRST.filter(({ prefix }) => method.startsWith(prefix));
}

/** Longest time that a node has for calls that are sent together, in milliseconds. */
export function timeoutOf(calls: readonly { readonly method: string }[]): number {
  return TIMEOUT_MS[slowestClassOf(calls)];
}

/** The class of calls sent together: the one with the longest time. */
export function slowestClassOf(calls: readonly { readonly method: string }[]): MethodClass {
  const classes = calls.map(({ method }) => methodFacts(method).class);
  return classes.reduce((slowest, one) => (TIMEOUT_MS[one] > TIMEOUT_MS[slowest] ? one : slowest), 'read');
}

/** What calls cost in one hour: what is charged at these prices is charged to that hour. */
export interface HourPrices {
  readonly hour: string;
  /** Compute units of a call of JSON-RPC. */
  callCu(method: string): number;
  /** Compute units of an operation of the Data API, or of each of its items; `own`: those of its description. */
  operationCu(operationId: string, own: number): number;
}

/** A list as it is looked up. */
interface OpenList {
  readonly list: PriceList;
  /** The longest first, without their stars. */
  readonly prefixes: readonly (readonly [prefix: string, cu: number])[];
}

/**
 * The price lists that a release ships, of hours past and to come; before the first of them, its tables count. An hour has
 * one list, whatever clocks and releases are at work.
 */
export class Prices {
  readonly #lists: readonly OpenList[];
  readonly #clock: Clock;
  #current: HourPrices | undefined;

  constructor(lists: readonly PriceList[], clock: Clock) {
    this.#clock = clock;
    this.#lists = lists
      .toSorted((one, other) => (one.from < other.from ? -1 : 1))
      .map((list) => ({
        list,
        prefixes: longestFirst(
          Object.entries(list.prices)
            .filter(([name]) => name.endsWith('*'))
            .map(([name, cu]) => [name.slice(0, -1), cu] as const),
          ([prefix]) => prefix,
        ),
      }));
  }

  /** The prices of this hour. */
  now(): HourPrices {
    const hour = hourOf(this.#clock.now());
    if (this.#current?.hour !== hour) this.#current = this.#of(hour);
    return this.#current;
  }

  #of(hour: string): HourPrices {
    const open = this.#lists.findLast(({ list }) => list.from <= hour);
    if (open === undefined) return { hour, callCu: weightOf, operationCu: (_, own) => own };
    return {
      hour,
      callCu: (method) => listedCu(open, method) ?? open.list.default,
      operationCu: (operationId, own) => listedCu(open, `data/${operationId}`) ?? own,
    };
  }
}

function listedCu({ list, prefixes }: OpenList, name: string): number | undefined {
  if (Object.hasOwn(list.prices, name)) return list.prices[name];
  return prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
}
