import type { RelaxableCheck, RelaxedCheck } from '../../shared/runtime/settings.ts';

/** Whether a check need not be passed by the block of this number. */
export type IsRelaxed = (check: RelaxableCheck, number: number) => boolean;

/** Every block passes every check. */
export const ALL_STRICT: IsRelaxed = () => false;

/** The checks that a chain's settings relax, each for its blocks. */
export function relaxedBy(relaxed: readonly RelaxedCheck[] = []): IsRelaxed {
  return (check, number) =>
    relaxed.some(
      ({ check: one, from = 0, to = Infinity }) => one === check && number >= from && number <= to,
    );
}

/** The relaxed checks in words, for a line in the log. */
export function describeRelaxed(relaxed: readonly RelaxedCheck[]): string {
  const bound = (word: string, block?: number) => (block === undefined ? '' : ` ${word} ${block}`);
  return relaxed.map(({ check, from, to }) => check + bound('from', from) + bound('to', to)).join(', ');
}
