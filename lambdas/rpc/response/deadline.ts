import { type BodyPieces, bytesOfPieces } from '../../shared/http/body-pieces.ts';
import { encodeBody } from '../../shared/http/compress.ts';
import type { CallOutcome } from '../outcome/call-outcome.ts';
import { leaveOut, limitOutcomes } from '../outcome/limit-outcomes.ts';

/** What of a response arrives. */
interface SendingRoom {
  /** Bytes that go out before the function ends. */
  readonly bytes: number;
  readonly acceptEncoding?: string | undefined;
}
/** Outcomes of a request, and the response that they make, before it is compressed. */
interface Sending {
  readonly outcomes: readonly CallOutcome[];
  readonly body: BodyPieces;
}

/**
 * Time that a function keeps for the charge and the response once the node's time is over, in milliseconds: 3.5 s for a
 * charge that store and queue let wait as long as they may, and the rest to compress the response.
 */
export const CHARGE_RESERVE_MS = 5_000;

/**
 * When the node must have answered, in milliseconds since the epoch: after its own time-out, and early enough for
 * the charge and the response to be done before the function ends.
 */
export function deadlineOf(nowMs: number, remainingMs: number, upstreamTimeoutMs: number): number {
  return nowMs + Math.max(0, Math.min(upstreamTimeoutMs, remainingMs - CHARGE_RESERVE_MS));
}

/**
 * Leaves out the largest results of a response that cannot be streamed before the deadline, so that no client
 * pays for half of one. A response that fits once it is compressed stays whole.
 * `render`: makes the response of results.
 */
export async function fitDeadline(
  outcomes: readonly CallOutcome[],
  render: (outcomes: readonly CallOutcome[]) => BodyPieces,
  { bytes, acceptEncoding }: SendingRoom,
): Promise<Sending> {
  const body = render(outcomes);
  if (bytesOfPieces(body) <= bytes) return { outcomes, body };
  const { pieces } = await encodeBody(body, acceptEncoding);
  if (bytesOfPieces(pieces) <= bytes) return { outcomes, body };
  const frameBytes = bytesOfPieces(render(outcomes.map(leaveOut)));
  const fitting = limitOutcomes(outcomes, bytes - frameBytes);
  return { outcomes: fitting, body: render(fitting) };
}
