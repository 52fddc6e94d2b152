import type { PriceList } from '../shared/bill/price-list.ts';
import { type Clock, hourOf } from '../shared/runtime/clock.ts';
import { LruMap } from '../shared/runtime/expiring-memory.ts';
import { REMEMBERED_LANES } from './charge/charge.ts';
import type { ListOfHour } from './store/price-lists.ts';

/** Responses of a process of which one has its price worked out again. */
const RESPONSES_PER_PRICE = 64;
const POSITION = /^(\S{1,64});n=(\d{1,16});total=(\d{1,20})$/;
const NOTHING: Position = { n: 0, total: 0n };
const CACHE_HIT = 'hit';

/** What a response and its charge can contradict each other in. */
type BillRule =
  /** Compute units are billed, and nothing is charged to a lane. */
  | 'billed_without_lane'
  | 'lane_without_billed'
  /** A lane rose by other than one charge, and what was charged. */
  | 'lane_rise'
  /** The response tells of other charges than were made. */
  | 'charged_otherwise'
  /** A response is billed as one of a node, and no node was called. */
  | 'billed_without_call'
  /** Request and response have another price by the lists of the ledger. */
  | 'price';

/** What a lane has come to. */
interface Position {
  readonly n: number;
  readonly total: bigint;
}

/** One charge of a request. */
interface BilledCharge {
  readonly cu: number;
  /** What its lane has come to with it; undefined: nothing was charged. */
  readonly lane: string | undefined;
  readonly hasRisen: boolean;
}

/** What a response tells of its bill. */
export interface ToldBill {
  readonly billedCu: number;
  /** As {@link BilledCharge} has it, of the last charge. */
  readonly lane: string | undefined;
  /** Of JSON-RPC: for each call whether it was answered from the cache. */
  readonly cacheMarks?: string | undefined;
}

/** A request that has been answered. */
interface BilledRequest {
  readonly charges: readonly BilledCharge[];
  /** Undefined: the response was not sent to its end, where that is. */
  readonly told: ToldBill | undefined;
  /** Whether its process has called a node meanwhile, for whatever request. */
  readonly hasCalledNodes: boolean;
}

/** The least and the most that a response can cost, in compute units: one amount, but where the response does not tell. */
export interface PriceBounds {
  readonly least: number;
  readonly most: number;
}

/** Works the price of an answered request out by a list; undefined: it is not known of this one. */
export type PriceAgain = (list: PriceList) => PriceBounds | undefined;

/** What is wrong with a bill. */
interface Disagreement {
  readonly rule: BillRule;
  readonly detail: string;
}

interface BillCheckOptions {
  readonly clock: Clock;
  /** @default prices are not worked out again */
  readonly listOf?: ListOfHour | undefined;
  /** @default Math.random */
  readonly random?: () => number;
}

/**
 * Holds the bills of one process to each other, as they leave: each response to its charges, and each charge to the rise of
 * its lane. Charges are compared in memory and in their order, so it is no matter which of them are stored together, which
 * responses leave first, or what the store does. One response in about 64 has its price worked out again.
 */
export class BillCheck {
  readonly #options: BillCheckOptions;
  readonly #random: () => number;
  /** Charging forgets the same lanes at the same charges: what is not here is new. */
  readonly #lanes = new LruMap<Position>(REMEMBERED_LANES);
  /** Responses until the next one whose price is worked out. */
  #until: number;

  constructor(options: BillCheckOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#until = this.#next();
  }

  /** Compares a charge with the rise of its lane. To be called with each charge of the process, in their order. */
  charged(cu: number, lane: string | undefined): BilledCharge {
    const [, name = '', n, total = 0] = POSITION.exec(lane ?? '') ?? [];
    if (name === '') return { cu, lane, hasRisen: false };
    const before = this.#lanes.get(name) ?? NOTHING;
    const now = { n: Number(n), total: BigInt(total) };
    this.#lanes.set(name, now);
    const hasRisen = now.n === before.n + 1 && now.total === before.total + BigInt(cu);
    return { cu, lane, hasRisen };
  }

  /** The first rule that a bill breaks as it stands, whatever its price is; undefined: it breaks none. */
  brokenRule({ charges, told, hasCalledNodes }: BilledRequest): BillRule | undefined {
    if (told !== undefined && told.billedCu > 0 && told.lane === undefined) return 'billed_without_lane';
    if (told !== undefined && told.billedCu === 0 && told.lane !== undefined) return 'lane_without_billed';
    if (charges.some(({ hasRisen }) => !hasRisen)) return 'lane_rise';
    if (told === undefined) return undefined;
    if (told.billedCu !== chargedCu(charges) || told.lane !== charges.at(-1)?.lane)
      return 'charged_otherwise';
    const { cacheMarks } = told;
    if (cacheMarks === undefined || hasCalledNodes) return undefined;
    const hits = cacheMarks.split(', ').filter((mark) => mark === CACHE_HIT).length;
    return told.billedCu > hits ? 'billed_without_call' : undefined;
  }

  /** What is wrong with the bill of a request; undefined: nothing. Rejects if the lists cannot be read. */
  async find(request: BilledRequest, priceAgain?: PriceAgain): Promise<Disagreement | undefined> {
    const rule = this.brokenRule(request);
    if (rule !== undefined) return { rule, detail: describe(request) };
    const { told } = request;
    if (told === undefined || priceAgain === undefined || !this.#isNext()) return undefined;
    return this.#wrongPrice(told, priceAgain);
  }

  /** A list that was put meanwhile is read before a price is called wrong. */
  async #wrongPrice({ billedCu, lane }: ToldBill, priceAgain: PriceAgain): Promise<Disagreement | undefined> {
    const { clock, listOf } = this.#options;
    const [hour = ''] = lane?.split('/') ?? [hourOf(clock.now())];
    let detail = 'no price list had begun';
    for (const isAnew of [false, true]) {
      const list = await listOf?.(hour, isAnew);
      const bounds = list && priceAgain(list);
      if (listOf === undefined || (list !== undefined && bounds === undefined)) return undefined;
      if (bounds !== undefined && billedCu >= bounds.least && billedCu <= bounds.most) return undefined;
      if (bounds !== undefined) detail = `billed ${billedCu} CU, by the price list ${bounds.least}`;
    }
    return { rule: 'price', detail };
  }

  #isNext(): boolean {
    this.#until -= 1;
    if (this.#until > 0) return false;
    this.#until = this.#next();
    return true;
  }

  /** Each distance is as likely, so that no rhythm of the clients stays between two of them. */
  #next(): number {
    return 1 + Math.floor(this.#random() * (2 * RESPONSES_PER_PRICE - 1));
  }
}

/** Sum of charges, in compute units. */
export function chargedCu(charges: readonly BilledCharge[]): number {
  return charges.reduce((sum, { cu }) => sum + cu, 0);
}

function describe({ charges, told }: BilledRequest): string {
  const made = charges.map(({ cu, lane }) => `${lane} ${cu}`).join(', ');
  return `told ${told?.lane} ${told?.billedCu}; charged ${made || 'nothing'}`;
}
