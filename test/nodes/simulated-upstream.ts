import { UpstreamError, type UpstreamErrorKind } from '../../lambdas/shared/http/upstream-error.ts';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';
import type { NodeConnection } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { createRequestIds } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { callsOf, type RawResponse, type ReceivedCall, renderResponse } from './replies.ts';

/** What a simulated upstream does with one request: a response to each call, a whole response, or a failure. */
export type Fate =
  | { readonly kind: 'answer' }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly body: string;
      readonly retryAfter?: string | undefined;
    }
  | { readonly kind: 'failure'; readonly error: UpstreamErrorKind; readonly sent?: boolean }
  /** Nothing ever comes. */
  | { readonly kind: 'stall' };

export const ANSWER: Fate = { kind: 'answer' };

export interface SimulatedUpstreamOptions {
  readonly clock: Clock;
  readonly wait: Sleep;
  readonly answer: (call: ReceivedCall) => RawResponse;
  /** `isOwn`: whether the calls are the gateway's question for the head. @default answers everything */
  readonly fate?: (calls: readonly ReceivedCall[], isOwn: boolean) => Fate;
  /** @default 0 */
  readonly latencyMs?: () => number;
}

/** An upstream without a network, in a time of its own. */
export interface SimulatedUpstream {
  readonly connection: NodeConnection;
  /** Calls of clients that it was sent, in order; the gateway's questions for the head are not among them. */
  readonly received: ReceivedCall[];
  /** How often the gateway asked for the head. */
  polls(): number;
}

export const MAX_RESPONSE_BYTES = 1024 * 1024;

export function simulateUpstream(options: SimulatedUpstreamOptions): SimulatedUpstream {
  const { clock, wait, answer, fate = () => ANSWER, latencyMs = () => 0 } = options;
  const received: ReceivedCall[] = [];
  let polls = 0;

  const post: NodeConnection['post'] = async ({ body, deadline, signal }) => {
    const calls = callsOf(body);
    const isOwn = isPoll(body);
    if (isOwn) polls += 1;
    else received.push(...calls);
    const chosen = fate(calls, isOwn);
    const timeLeftMs = deadline - clock.now();
    const neededMs = chosen.kind === 'stall' ? Number.POSITIVE_INFINITY : latencyMs();
    await wait(Math.max(0, Math.min(neededMs, timeLeftMs)), signal);
    if (signal?.aborted) throw new UpstreamError('aborted', { sent: true, reusedSocket: false });
    if (neededMs > timeLeftMs) throw new UpstreamError('timeout', { sent: true, reusedSocket: false });
    switch (chosen.kind) {
      case 'failure':
        throw new UpstreamError(chosen.error, { sent: chosen.sent ?? true, reusedSocket: false });
      case 'response':
        return { status: chosen.status, body: Buffer.from(chosen.body), retryAfter: chosen.retryAfter };
      default: {
        const answers = calls.map((call) => renderResponse({ id: call.id, response: answer(call) }));
        const text = body[0] === '['.charCodeAt(0) ? `[${answers.join(',')}]` : answers.join('');
        return { status: 200, body: Buffer.from(text) };
      }
    }
  };

  const connection: NodeConnection = {
    maxResponseBytes: MAX_RESPONSE_BYTES,
    reserveIds: createRequestIds(),
    post,
    close: () => {},
  };
  return { connection, received, polls: () => polls };
}

/** Whether a request is the gateway's question for the head: with a space that clients of tests do not send. */
function isPoll(body: Uint8Array): boolean {
  return Buffer.from(body).includes('"params":["latest", false]');
}
