import type { AnsweredCalls, CachedRequest } from '../../../lambdas/rpc/cache/response-cache.ts';
import type { AnsweredCall } from '../../../lambdas/rpc/response/rpc-response.ts';
import type { Call } from '../../../lambdas/shared/jsonrpc/calls.ts';
import type { Reason } from '../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import type { Weather } from '../weather.ts';
import { CACHED_CU, WEIGHTS } from './client-request.ts';
import type { Machine, SimulatedProcess } from './simulated-process.ts';

const MIN_LATENCY_MS = 2;
const MAX_LATENCY_MS = 60;
/** A slow node answers within this time, which may be after the deadline. */
const MAX_SLOW_MS = 20_000;
/** Chance that a call is answered with an error, and that it is answered from the cache. */
const ERROR_RATE = 0.08;
const CACHED_RATE = 0.05;
/** Longest time that it takes to share new responses with other instances. */
const MAX_SHARING_MS = 30;

const RESULT = Buffer.from('"0x1"');

/** Faults of an exchange with the node. */
export type NodeFault = 'unreachable' | 'silent' | 'slow' | 'malformed' | 'answers missing';

export const NODE_FAULTS: readonly [NodeFault, ...NodeFault[]] = [
  'unreachable',
  'silent',
  'slow',
  'slow',
  'malformed',
  'answers missing',
  'answers missing',
];

interface NodeErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly billed: boolean;
}

/** Errors of a node, and whether the specification bills them. */
const NODE_ERRORS: readonly [NodeErrorAnswer, ...NodeErrorAnswer[]] = [
  { code: 3, message: 'execution reverted', billed: true },
  { code: -32000, message: 'nonce too low', billed: true },
  { code: -32602, message: 'invalid argument 0', billed: true },
  { code: 4444, message: 'pruned history unavailable', billed: false },
  { code: -32000, message: 'historical state 0xabc is not available', billed: false },
  { code: -32002, message: 'resource unavailable', billed: false },
  { code: -32003, message: 'transaction rejected', billed: false },
  { code: -32600, message: 'invalid request', billed: false },
];

/** Where the node is and how it behaves. */
export interface NodeSite {
  readonly machine: Machine;
  readonly weather: Weather<NodeFault>;
}

/** A response, and what it is worth in compute units by the specification. */
interface WorthyAnswer extends AnsweredCall {
  readonly cu: number;
}

/** Node and cache as one process sees them for one request. Tells what the responses are worth as they arrive. */
export class SimulatedNode {
  readonly #site: NodeSite;
  readonly #process: SimulatedProcess;
  readonly #onAnswered: (cu: number) => void;
  /** Whether some call was not answered from the cache. */
  wasCalled = false;

  constructor(site: NodeSite, process: SimulatedProcess, onAnswered: (cu: number) => void) {
    this.#site = site;
    this.#process = process;
    this.#onAnswered = onAnswered;
  }

  /** Answers calls by the deadline, whatever happens. */
  answer({ calls, deadline }: Pick<CachedRequest, 'calls' | 'deadline'>): Promise<AnsweredCalls> {
    return new Promise((resolve) => {
      if (!this.#process.send()) return;
      const { machine, weather } = this.#site;
      const { time, random } = machine;
      const timeoutMs = time.nowMs + deadline - this.#process.clock.now();
      const fault = weather.next();
      const answerMs =
        time.nowMs + random.magnitude(MIN_LATENCY_MS, fault === 'slow' ? MAX_SLOW_MS : MAX_LATENCY_MS);
      const isLate = fault === 'silent' || answerMs >= timeoutMs;
      this.#process.receive(isLate ? timeoutMs : answerMs, () => {
        const answers = calls.map((call, place) => this.#answerCall(call, isLate ? 'silent' : fault, place));
        this.wasCalled = answers.some(({ cached }) => !cached);
        this.#onAnswered(answers.reduce((sum, { cu }) => sum + cu, 0));
        resolve({ responses: answers, share: () => this.#process.pause(random.integer(0, MAX_SHARING_MS)) });
      });
    });
  }

  #answerCall(call: Call, fault: NodeFault | undefined, place: number): WorthyAnswer {
    const { random } = this.#site.machine;
    const weight = WEIGHTS[call.method] ?? Number.NaN;
    if (random.chance(CACHED_RATE)) {
      return { call, response: { kind: 'result', result: RESULT }, cached: true, cu: CACHED_CU };
    }
    switch (fault) {
      case 'unreachable':
        return failure(call, 'upstream_unavailable');
      case 'silent':
        return failure(call, 'no_upstream_response');
      case 'malformed':
        return failure(call, 'malformed_upstream_response');
      case 'answers missing':
        if (place === 0) return failure(call, 'no_upstream_response');
    }
    if (!random.chance(ERROR_RATE)) {
      return { call, response: { kind: 'result', result: RESULT }, cached: false, cu: weight };
    }
    const { code, message, billed } = random.pick(NODE_ERRORS);
    const error = Buffer.from(JSON.stringify({ code, message }));
    return { call, response: { kind: 'error', error, code }, cached: false, cu: billed ? weight : 0 };
  }
}

function failure(call: Call, reason: Reason): WorthyAnswer {
  return { call, response: { kind: 'failed', error: { reason } }, cached: false, cu: 0 };
}
