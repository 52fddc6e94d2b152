import type { Clock } from '../runtime/clock.ts';
import { countsOfUpstream } from '../runtime/metrics.ts';
import type { Telemetry } from '../runtime/telemetry.ts';

/** Of which chain is reported, and where. */
export interface ReportParts {
  readonly chain: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Counts and logs a wrong answer of a node.
 * @param kind the part of the block that is wrong
 * @param reason in words: block, member and what contradicts it
 */
export function reportWrongAnswer(
  { chain, clock, telemetry }: ReportParts,
  { upstream, kind, reason }: { readonly upstream: string; readonly kind: string; readonly reason: string },
): void {
  telemetry.log('error', 'wrong_answer', { chain, upstream, kind, reason });
  const counts = countsOfUpstream(chain, upstream, { WrongAnswers: 1 });
  telemetry.emit({ ...counts, fields: { kind } }, clock.now());
}
