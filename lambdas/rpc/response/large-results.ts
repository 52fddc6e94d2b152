import { LargeBodies } from '../../shared/http/large-bodies.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { pacedCount } from '../../shared/runtime/paced-count.ts';
import { processBounds } from '../../shared/runtime/process-bounds.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';

/** How often refusals are told, in milliseconds. */
const TELL_INTERVAL_MS = 1_000;

/** Room of a process for the large results of its requests. What is refused is logged, and when all of it is free again. */
export function openLargeBodies(
  requests: number,
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Pick<Telemetry, 'log'> },
): LargeBodies {
  let bytes = 0;
  const countRefused = pacedCount(clock, TELL_INTERVAL_MS, (count) =>
    telemetry.log('warn', 'large_results_refused', { count, bytes }),
  );
  return new LargeBodies(processBounds(requests, 1).largeBodyBytes, {
    refused: (takenBytes) => {
      bytes = takenBytes;
      countRefused();
    },
    emptied: () => telemetry.log('info', 'large_results_over', { bytes: 0 }),
  });
}
