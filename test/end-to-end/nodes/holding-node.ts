import { setTimeout as sleep } from 'node:timers/promises';
import { callsOf, result } from '../../nodes/replies.ts';
import { startScriptedNode } from '../../nodes/scripted-node.ts';

/** It is asked once whatever happens. */
const TRANSACTION = 'eth_sendRawTransaction';
const ANSWER = result('"0x1"');
/** Its answer is near the largest that is served. */
export const LARGE_METHOD = 'debug_traceTransaction';
const LARGE = result(JSON.stringify('a'.repeat(9_000_000)));
const LOOK_INTERVAL_MS = 20;
/** Longer than a busy machine takes to have 64 requests under way. */
const UNDER_WAY_WITHIN_MS = 120_000;

/** A node that holds back the answers to transactions while it is told to, and answers all else at once. */
export interface HoldingNode {
  readonly url: string;
  /**
   * Sends requests that each lead to a transaction. Resolves once the node holds the answers to all of them back; rejects with
   * what came instead if one of them is answered by itself.
   */
  hold<T>(count: number, send: () => Promise<T>): Promise<Promise<T>[]>;
  /** Answers all that it holds back. */
  release(): void;
  /** Never answers what it holds back. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function startHoldingNode(): Promise<HoldingNode> {
  let held: (() => void)[] = [];
  let holding = 0;
  const node = await startScriptedNode((request, response) => {
    const method = callsOf(request.body)[0]?.method;
    if (method === LARGE_METHOD) return LARGE(request, response);
    if (method !== TRANSACTION || holding === 0) return ANSWER(request, response);
    holding -= 1;
    held.push(() => ANSWER(request, response));
  });
  return {
    url: node.url,
    async hold(count, send) {
      const before = held.length;
      holding += count;
      const requests = Array.from({ length: count }, () => send());
      const early: unknown[] = [];
      for (const request of requests)
        request.then(
          (answer) => early.push(answer),
          (error: unknown) => early.push(error),
        );
      const deadline = Date.now() + UNDER_WAY_WITHIN_MS;
      while (held.length < before + count) {
        if (early.length > 0 || Date.now() > deadline)
          throw new Error(
            `of ${count} requests, the node has ${held.length - before}: ${JSON.stringify(early)}`,
          );
        await sleep(LOOK_INTERVAL_MS);
      }
      return requests;
    },
    release() {
      for (const answer of held.splice(0)) answer();
    },
    forget() {
      held = [];
    },
    close: node.close,
  };
}
