import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import type { WaitingStore } from '../../shared/upstream/health/waiting-room.ts';

/** Longest time that an export has its place, in milliseconds: the function behind API Gateway runs no longer. */
export const PLACE_MS = 30_000;

/** Where exports of a key have places, over all instances. */
export interface ExportPlaces {
  /** Takes a place of a key; undefined: it has none left. Never rejects. */
  take(keyId: string): Promise<ExportPlace | undefined>;
}

interface ExportPlace {
  /** Gives the place back. Never rejects. */
  leave(): Promise<void>;
}

/**
 * Places as time that all instances draw from one bucket: an export draws the longest time that it may take, and gives back what is
 * left of it. So many exports begin at once, and no more of the time of so many flows back: a process that dies in between gives nothing
 * back, and its place is free when its time is over. What the store does not tell counts for the client.
 * @param store its burst is {@link PLACE_MS}
 */
export function createExportPlaces(
  { exportsPerKey: seats }: { readonly exportsPerKey: number },
  store: Pick<WaitingStore, 'draw' | 'giveBack'>,
  clock: Pick<Clock, 'now'>,
): ExportPlaces {
  return {
    async take(keyId) {
      const room = { of: `exports of ${keyId}`, kind: 'exports', seats };
      const takenAt = clock.now();
      try {
        const { granted } = await store.draw(room, PLACE_MS);
        if (!granted) return undefined;
      } catch (error) {
        log('warn', 'export_place_unknown', { error: errorField(error) });
        return { leave: async () => {} };
      }
      return {
        leave: () =>
          store
            .giveBack(room, Math.max(PLACE_MS - (clock.now() - takenAt), 0))
            .catch((error: unknown) => log('warn', 'export_place_kept', { error: errorField(error) })),
      };
    },
  };
}
