import type { WaitingStore } from '../../../lambdas/shared/upstream/health/waiting-room.ts';

/** Waiting time in memory, by the rule of the store that all instances share. */
export function memoryWaitingStore(
  clock: { now(): number },
  burstMs: number,
): Pick<WaitingStore, 'draw' | 'giveBack'> {
  const fullAt = new Map<string, number>();
  return {
    draw: async ({ of, seats }, ms) => {
      const until = Math.max(clock.now(), fullAt.get(of) ?? 0) + ms / seats;
      const granted = until <= clock.now() + burstMs;
      if (granted) fullAt.set(of, until);
      return { granted, silentAt: 0, unheardAt: 0 };
    },
    giveBack: async ({ of, seats }, ms) => {
      fullAt.set(of, (fullAt.get(of) ?? 0) - ms / seats);
    },
  };
}
