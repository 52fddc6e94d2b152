import type { Meter } from '../../lambdas/access/contract/metering.ts';

/** A meter that admits everything and notes what is charged. `onCharge`: told of each charge, in compute units. */
export function admittingMeter(
  onCharge: (cu: number) => void = () => {},
): Pick<Meter, 'expectsAdmission' | 'usedUpBalance' | 'admit' | 'charge' | 'noteRefusal'> {
  return {
    expectsAdmission: () => false,
    noteRefusal: () => {},
    usedUpBalance: async () => undefined,
    admit: async () => ({ admitted: true, balanceCu: 1_000n, limits: [] }),
    charge: (_, cu) => {
      onCharge(cu);
      return { lane: undefined, store: async () => 'stored' };
    },
  };
}
