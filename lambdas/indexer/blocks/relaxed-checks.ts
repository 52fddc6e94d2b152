import type { RelaxableCheck, RelaxedCheck } from '../../shared/runtime/settings.ts';

/** Whether a check need not be passed by the block of this number. */
export type IsRelaxed = (check: RelaxableCheck, number: number) => boolean;

/** Every block passes every check. */
export const ALL_STRICT: IsRelaxed = () => false;

/** The checks that a chain's settings relax, each for its blocks. */
export function relaxedBy(relaxed: readonly RelaxedCheck[] = []): IsRelaxed {
  if (relaxed.length === 0) return ALL_STRICT;
  return (check, number) =>
    relaxed.some(
      (one) =>
        one.check === check && number >= (one.from ?? 0) && number <= (one.to ?? Number.POSITIVE_INFINITY),
    );
}

/** The relaxed checks in words, for a line in the log. */
export function describeRelaxed(relaxed: readonly RelaxedCheck[]): string {
  return relaxed
    .map(({ check, from, to }) => {
      const parts = [
        check,
        ...(from === undefined ? [] : [`from ${from}`]),
        ...(to === undefined ? [] : [`to ${to}`]),
      ];
      return parts.join(' ');
    })
    .join(', ');
}
