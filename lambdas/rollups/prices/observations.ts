import { EXCHANGES } from '../../chain-data/decode/exchanges.ts';
import type { DexProtocol } from '../../shared/runtime/settings.ts';
import { type Moment, STANDING_BLOCKS, STANDING_SECONDS } from './block-times.ts';
import { compare, type Decimal, ratio } from './decimal.ts';

/** States of a pool within so many seconds are one observation. */
export const SLOT_SECONDS = 20;
/** Both sides of the square of a square root with 96 binary places. */
const SQUARE_BITS = 192n;

/** A figure of each of a pool's two tokens. */
type Both<Figure> = readonly [Figure, Figure];

/** What a pool was in a slot of time, from its first state there until that of the next observation. */
export interface Observation {
  readonly slot: number;
  readonly first: Moment;
  readonly last: Moment;
  /** Raw units of the other token for one raw unit of the first, and of the second, at the end of the slot; undefined without a price. */
  readonly rates: Both<Decimal> | undefined;
  /** Depth in raw units of each token at the end of the slot, and the least in it. */
  readonly depths: Both<bigint>;
  readonly least: Both<bigint>;
}

/** What a state of a pool shows. */
interface ObservedState {
  readonly protocol: DexProtocol;
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly sqrtPriceX96: bigint | null;
}

/** One state of a pool as an observation. */
export function observe(pool: ObservedState, moment: Moment, depths: Both<bigint>): Observation {
  const slot = Math.floor(moment.time / SLOT_SECONDS);
  return { slot, first: moment, last: moment, rates: ratesOf(pool), depths, least: depths };
}

/** Adds the newest observation: one of a slot takes the place of the earlier of the same slot, and what is too old goes. */
export function withObservation(known: readonly Observation[], added: Observation): readonly Observation[] {
  const previous = known.at(-1);
  const isSameSlot = previous?.slot === added.slot;
  const merged = isSameSlot
    ? { ...added, first: previous.first, least: lesser(previous.least, added.least) }
    : added;
  const kept = isSameSlot ? known.slice(0, -1) : known;
  const start = windowAt(added.last);
  return [...kept.filter((_, index) => isAfter(kept[index + 1]?.first ?? merged.first, start)), merged];
}

/** The moment before which nothing counts any more. */
export function windowAt({ block, time }: Moment): Moment {
  return { block: block - STANDING_BLOCKS, time: time - STANDING_SECONDS };
}

/** What a pool says of one of its tokens over a window, in raw units of the other one. */
interface StoodEvidence {
  /** The least depth of the window: 0 if the pool is younger. */
  readonly depth: bigint;
  /** For one raw unit: the median over the time of the window, the lowest, the highest, and the last. */
  readonly median: Decimal;
  readonly lowest: Decimal;
  readonly highest: Decimal;
  readonly last: Decimal;
}

/** What stood from a moment until now. Undefined where the pool has no price. */
export function evidenceOf(
  observations: readonly Observation[],
  { isFirst, start, now }: { readonly isFirst: boolean; readonly start: Moment; readonly now: Moment },
): StoodEvidence | undefined {
  const [token, quote] = isFirst ? ([0, 1] as const) : ([1, 0] as const);
  const seen = observations.filter((_, index) => {
    const next = observations[index + 1];
    return next === undefined || isAfter(next.first, start);
  });
  const rates = seen.flatMap(({ rates, first }, index) => {
    const until = seen[index + 1]?.first ?? now;
    const weight = Math.max(0, until.time - Math.max(first.time, start.time));
    return rates === undefined ? [] : [{ value: rates[token], weight }];
  });
  const last = rates.at(-1)?.value;
  if (last === undefined) return undefined;
  const sorted = [...rates].sort((one, other) => compare(one.value, other.value));
  const isYoung = isAfter(seen[0]?.first ?? now, start);
  const depths = seen.map((one) => (isAfter(one.last, start) ? one.least[quote] : one.depths[quote]));
  return {
    depth: isYoung ? 0n : depths.reduce((one, other) => (one < other ? one : other)),
    median: medianOf(sorted) ?? last,
    lowest: sorted[0]?.value ?? last,
    highest: sorted.at(-1)?.value ?? last,
    last,
  };
}

/** The value that half of the weight is at or below; undefined where there is no weight. */
export function medianOf(
  sorted: readonly { readonly value: Decimal; readonly weight: number }[],
): Decimal | undefined {
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const { value, weight } of sorted) {
    passed += weight;
    if (weight > 0 && passed >= half) return value;
  }
  return undefined;
}

/** Whether a moment is after another in time or in blocks. */
function isAfter(moment: Moment, other: Moment): boolean {
  return moment.time > other.time || moment.block > other.block;
}

function lesser([one, two]: Both<bigint>, [first, second]: Both<bigint>): Both<bigint> {
  return [one < first ? one : first, two < second ? two : second];
}

function ratesOf({ protocol, amount0, amount1, sqrtPriceX96 }: ObservedState): Both<Decimal> | undefined {
  const [one, other] =
    EXCHANGES[protocol].pricing === 'reserves'
      ? [amount1, amount0]
      : [(sqrtPriceX96 ?? 0n) ** 2n, 1n << SQUARE_BITS];
  return one <= 0n || other <= 0n ? undefined : [ratio(one, other), ratio(other, one)];
}
