import type { PriceList } from '../bill/price-list.ts';
import type { Clock } from '../runtime/clock.ts';
import { hourOf } from '../runtime/hour.ts';
import { longestFirst, weightOf } from './method-facts.ts';

/** What calls cost in one hour: what is charged at these prices is charged to that hour. */
export interface HourPrices {
  readonly hour: string;
  /** Compute units of a call of JSON-RPC. */
  weightOf(method: string): number;
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
    if (open === undefined) return { hour, weightOf, operationCu: (_, own) => own };
    return {
      hour,
      weightOf: (method) => listedCu(open, method) ?? open.list.default,
      operationCu: (operationId, own) => listedCu(open, `data/${operationId}`) ?? own,
    };
  }
}

function listedCu({ list, prefixes }: OpenList, name: string): number | undefined {
  if (Object.hasOwn(list.prices, name)) return list.prices[name];
  return prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
}
