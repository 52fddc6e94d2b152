/** Variable that `npm test -- --deep` sets: whether tests repeat at length what a quick run samples. */
export const AT_LENGTH_VARIABLE = 'GATEWAY_TEST_AT_LENGTH';
/** A quick run repeats a fifth as often: a fault that takes hundreds of tries to be found waits for the deep run. */
const QUICK_SHARE = 0.2;
const LEAST_REPETITIONS = 3;

/** Whether this run repeats everything at length. */
export const isAtLength = process.env[AT_LENGTH_VARIABLE] === '1';

/**
 * How often a test tries something in this run.
 * @param atLength how often the deep run tries it
 */
export function repetitions(atLength: number): number {
  if (isAtLength) return atLength;
  return Math.min(atLength, Math.max(LEAST_REPETITIONS, Math.ceil(atLength * QUICK_SHARE)));
}

/**
 * Of cases, such as the points at which a process can die, those that this run tries: every fifth, with the first and
 * the last, or all of them.
 */
export function sampled<Case>(cases: readonly Case[]): readonly Case[] {
  if (isAtLength) return cases;
  const step = Math.round(1 / QUICK_SHARE);
  return cases.filter((_, place) => place % step === 0 || place === cases.length - 1);
}
