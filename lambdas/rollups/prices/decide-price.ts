import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { add, compare, type Decimal, decimal, multiply, ZERO } from './decimal.ts';
import type { Spoken } from './feeds.ts';

/** How well a price is founded. */
export type Confidence = 'low' | 'medium' | 'high';

/** Why a price is not founded better. */
export type PriceReason =
  | 'young'
  | 'thin'
  | 'single_source'
  | 'jump'
  | 'peg'
  | 'oracle'
  | 'quote'
  | 'no_depth'
  | 'decimals';

/** USD of depth that a pool needs for any price, and a price for each confidence. */
const MIN_DEPTH = decimal(25n);
const MEDIUM_DEPTH = decimal(1_000n);
const HIGH_DEPTH = decimal(10_000n);
/** A pool counts if it has this part of the depth of the deepest one. */
const MIN_SHARE = decimal(1n, -1);
/** Prices of pools agree within this part, and pools that quote in different stable tokens within that. */
const AGREEMENT = decimal(5n, -2);
const PEG_AGREEMENT = decimal(2n, -2);
/** A price that is farther from the one before than this part waits. */
const JUMP = decimal(2n, -1);
const HALF = decimal(5n, -1);
const RANKS: Readonly<Record<Confidence, number>> = { low: 0, medium: 1, high: 2 };

/** What a pool says that a token costs, in USD for one raw unit, and what stands behind it. */
export interface Source {
  readonly poolId: Hex;
  /** The median of what stood, its lowest and highest, and the last one. */
  readonly usd: Decimal;
  readonly lowest: Decimal;
  readonly highest: Decimal;
  readonly last: Decimal;
  /** USD that moves its price by 2 %: the least that stood. */
  readonly depthUsd: Decimal;
  readonly quote: {
    readonly token: Hex;
    readonly confidence: Confidence;
    readonly reasons: readonly PriceReason[];
  };
}

/** What is known of a token's price from before. */
export interface PriceBefore {
  /** The last price, and the pools that it came from. */
  readonly usd: Decimal;
  readonly sources: readonly Hex[];
  /** The median of the last half hour; undefined where the token has had no price for as long as evidence stands. */
  readonly reference: Decimal | undefined;
}

/** A price that is decided. */
interface PriceDecision {
  readonly usd: Decimal;
  readonly confidence: Confidence;
  readonly reasons: readonly PriceReason[];
  /** What the price becomes if it stands; null where it does not wait. */
  readonly pendingUsd: Decimal | null;
  /** Depth of all pools that agree, and what has to be spent at least to move the price by 2 %. */
  readonly depthUsd: Decimal;
  readonly costToMoveUsd: Decimal | null;
  /** Pools that agree, the deepest first. */
  readonly sources: readonly Source[];
}

/**
 * Decides a price: what a fresh oracle says, else what stood in pools: their median by depth, where no pool has more than half of
 * the weight if there is another. A jump of theirs waits until all that stood is on its side, or until another pool agrees.
 * Undefined where neither an oracle nor depth is.
 */
export function decidePrice(
  found: readonly Source[],
  before: PriceBefore | undefined,
  spoken?: Spoken,
): PriceDecision | undefined {
  const sources = counted(found, before?.sources);
  if (spoken?.isFresh === true) return spokenPrice(sources, spoken.usd);
  const [deepest] = sources;
  if (deepest === undefined) return undefined;
  const weights = weightsOf(sources);
  const near = before?.usd ?? deepest.usd;
  const middle = weightedMedian(sources, weights, (source) => source.usd, near);
  const agreeing = sources.filter(({ usd }) => isWithin(usd, middle, AGREEMENT));
  const [main = deepest, ...others] = agreeing;
  const reference = before?.reference;
  const isTaken =
    reference === undefined ||
    isWithin(middle, reference, JUMP) ||
    others.length > 0 ||
    (compare(middle, reference) > 0
      ? !isWithin(main.lowest, reference, JUMP) && compare(main.lowest, reference) > 0
      : !isWithin(main.highest, reference, JUMP) && compare(main.highest, reference) < 0);
  const usd = isTaken || before === undefined ? middle : before.usd;
  const next = isTaken ? weightedMedian(sources, weights, (source) => source.last, usd) : middle;
  const pendingUsd = reference === undefined || isWithin(next, usd, JUMP) ? null : next;
  const depthUsd = depthOf(agreeing);
  const total = weights.reduce(add, ZERO);
  const level = levelOf(
    { agreeing, all: sources, depthUsd },
    {
      isYoung: reference === undefined,
      isPending: pendingUsd !== null,
      away: spoken && awayFrom(spoken.usd, usd),
    },
  );
  return {
    usd,
    ...level,
    pendingUsd,
    depthUsd,
    costToMoveUsd: sources.length === 1 ? deepest.depthUsd : multiply(total, HALF),
    sources: [main, ...others],
  };
}

/** What a fresh oracle says. It is a source of its own: with pools that agree there are two. */
function spokenPrice(sources: readonly Source[], usd: Decimal): PriceDecision {
  const agreeing = sources.filter((source) => isWithin(source.usd, usd, AGREEMENT));
  const depthUsd = depthOf(agreeing);
  const isContradicted = compare(depthOf(sources), add(depthUsd, depthUsd)) > 0;
  const founded = ((): Pick<PriceDecision, 'confidence' | 'reasons'> => {
    if (isContradicted) return { confidence: 'low', reasons: ['oracle'] };
    if (sources.length === 0) return { confidence: 'low', reasons: ['no_depth'] };
    if (compare(depthUsd, MEDIUM_DEPTH) < 0) return { confidence: 'low', reasons: ['thin'] };
    if (compare(depthUsd, HIGH_DEPTH) < 0) return { confidence: 'medium', reasons: ['thin'] };
    return { confidence: 'high', reasons: [] };
  })();
  return { usd, ...founded, pendingUsd: null, depthUsd, costToMoveUsd: null, sources: agreeing };
}

/** By how much a price is away from the last answer of an oracle that is not fresh: what it may be at most, if it is. */
function awayFrom(answer: Decimal, usd: Decimal): Confidence | undefined {
  if (!isWithin(usd, answer, JUMP)) return 'low';
  return isWithin(usd, answer, AGREEMENT) ? undefined : 'medium';
}

function depthOf(sources: readonly Source[]): Decimal {
  return sources.reduce((sum, { depthUsd }) => add(sum, depthUsd), ZERO);
}

/**
 * Pools that count, the deepest first; of two that are equally deep, the lower id. One that made the last price counts however
 * deep others are: else a new one could outweigh it alone.
 */
function counted(found: readonly Source[], known: readonly Hex[] = []): readonly Source[] {
  const deep = found.filter(({ depthUsd }) => compare(depthUsd, MIN_DEPTH) >= 0);
  const sorted = [...deep].sort(
    (one, other) => compare(other.depthUsd, one.depthUsd) || (one.poolId < other.poolId ? -1 : 1),
  );
  const [deepest] = sorted;
  if (deepest === undefined) return [];
  const least = multiply(deepest.depthUsd, MIN_SHARE);
  return sorted.filter(({ poolId, depthUsd }) => known.includes(poolId) || compare(depthUsd, least) >= 0);
}

function weightsOf([deepest, ...others]: readonly Source[]): readonly Decimal[] {
  if (deepest === undefined) return [];
  const rest = others.reduce((sum, { depthUsd }) => add(sum, depthUsd), ZERO);
  const isCapped = others.length > 0 && compare(deepest.depthUsd, rest) > 0;
  return [isCapped ? rest : deepest.depthUsd, ...others.map(({ depthUsd }) => depthUsd)];
}

/** Where two values halve the weight, the one that is nearer to what is known. */
function weightedMedian(
  sources: readonly Source[],
  weights: readonly Decimal[],
  priceOf: (source: Source) => Decimal,
  near: Decimal,
): Decimal {
  const half = multiply(weights.reduce(add, ZERO), HALF);
  const sorted = sources
    .map((source, index) => ({ value: priceOf(source), weight: weights[index] ?? ZERO }))
    .sort((one, other) => compare(one.value, other.value));
  let passed = ZERO;
  for (const [index, { value, weight }] of sorted.entries()) {
    passed = add(passed, weight);
    const side = compare(passed, half);
    if (side < 0) continue;
    const next = sorted[index + 1]?.value;
    if (side > 0 || next === undefined) return value;
    return compare(distance(next, near), distance(value, near)) < 0 ? next : value;
  }
  return near;
}

interface Founded {
  readonly agreeing: readonly Source[];
  readonly all: readonly Source[];
  readonly depthUsd: Decimal;
}

interface Doubts {
  readonly isYoung: boolean;
  readonly isPending: boolean;
  /** What the price may be at most, as it is away from what an oracle said last. */
  readonly away: Confidence | undefined;
}

function levelOf(
  { agreeing, all, depthUsd }: Founded,
  { isYoung, isPending, away }: Doubts,
): Pick<PriceDecision, 'confidence' | 'reasons'> {
  const reasons = new Set<PriceReason>();
  let confidence: Confidence = 'high';
  const lower = (to: Confidence, reason: PriceReason) => {
    if (RANKS[to] < RANKS[confidence]) confidence = to;
    reasons.add(reason);
  };
  if (isPending) lower('low', 'jump');
  if (isYoung) lower('low', 'young');
  if (compare(depthUsd, MEDIUM_DEPTH) < 0) lower('low', 'thin');
  else if (compare(depthUsd, HIGH_DEPTH) < 0) lower('medium', 'thin');
  if (agreeing.length < 2) lower('medium', 'single_source');
  if (away !== undefined) lower(away, 'oracle');
  if (partedTokens(all).length > 0) lower('low', 'peg');
  const best = agreeing.reduce<Confidence>(
    (most, { quote }) => (RANKS[quote.confidence] > RANKS[most] ? quote.confidence : most),
    'low',
  );
  const isUnpegged = agreeing.some(({ quote }) => quote.reasons.includes('peg'));
  if (RANKS[best] < RANKS[confidence] || (best === confidence && isUnpegged))
    lower(best, isUnpegged ? 'peg' : 'quote');
  return { confidence, reasons: [...reasons] };
}

/** Quoted tokens whose deepest pools part: all of them, as nobody knows which one lost its peg. */
export function partedTokens(found: readonly Source[]): readonly Hex[] {
  const deepest = [...Map.groupBy(counted(found), ({ quote }) => quote.token).values()].flatMap((sources) =>
    sources.slice(0, 1),
  );
  const prices = deepest.map(({ usd }) => usd).sort(compare);
  const [lowest, highest] = [prices[0], prices.at(-1)];
  if (lowest === undefined || highest === undefined || isWithin(highest, lowest, PEG_AGREEMENT)) return [];
  return deepest.map(({ quote }) => quote.token);
}

/** Whether a stable token is worth something else than its peg, as its oracle says. */
export function isOffPeg(spoken: Spoken | undefined, peg: Decimal): boolean {
  return spoken?.isFresh === true && !isWithin(spoken.usd, peg, PEG_AGREEMENT);
}

function isWithin(one: Decimal, other: Decimal, part: Decimal): boolean {
  return compare(distance(one, other), multiply(other, part)) <= 0;
}

function distance(one: Decimal, other: Decimal): Decimal {
  const difference = add(one, { ...other, digits: -other.digits });
  return { ...difference, digits: difference.digits < 0n ? -difference.digits : difference.digits };
}
