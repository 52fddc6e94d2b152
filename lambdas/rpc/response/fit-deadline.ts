import { type BodyPieces, byteLength } from '../../shared/http/body-pieces.ts';
import { encodeBody } from '../../shared/http/compress.ts';
import { failed } from '../../shared/jsonrpc/match-responses.ts';
import { limitBytes } from '../../shared/upstream/routing/response-budget.ts';
import type { AnsweredCall } from '../cache/merge-answers.ts';

/** What of a response arrives. */
export interface SendingRoom {
  /** Bytes that go out before the function ends. */
  readonly bytes: number;
  readonly acceptEncoding?: string | undefined;
}

/** Answers of a request, and the response that they make, before it is compressed. */
export interface Sending {
  readonly answers: readonly AnsweredCall[];
  readonly body: BodyPieces;
}

/**
 * Leaves out the largest results of a response that cannot be streamed before the deadline, so that nobody pays for
 * half of one. A response that fits once it is compressed stays whole.
 * `render`: makes the response of results.
 */
export async function fitDeadline(
  answers: readonly AnsweredCall[],
  render: (answers: readonly AnsweredCall[]) => BodyPieces,
  { bytes, acceptEncoding }: SendingRoom,
): Promise<Sending> {
  const body = render(answers);
  if (byteLength(body) <= bytes) return { answers, body };
  const { pieces } = await encodeBody(body, acceptEncoding);
  if (byteLength(pieces) <= bytes) return { answers, body };
  const frameBytes = byteLength(render(answers.map(leaveOut)));
  const limited = limitBytes(
    answers.map(({ answer }) => answer),
    bytes - frameBytes,
  );
  const fitting = answers.map((one, index) => (limited[index] === one.answer ? one : leaveOut()));
  return { answers: fitting, body: render(fitting) };
}

function leaveOut(): AnsweredCall {
  return { answer: failed('upstream_response_too_large'), cached: false };
}
