import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { dispatch } from '../../lambdas/shared/upstream/asking/dispatch.ts';
import { openChainUpstreams, type UpstreamOptions } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { createCallPace } from '../../lambdas/shared/upstream/health/call-pace.ts';
import { countUnknownWords } from '../../lambdas/shared/upstream/health/refused-words.ts';
import type { LimitNotice } from '../../lambdas/shared/upstream/health/upstream-health.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { countDisagreements } from '../../lambdas/shared/upstream/routing/serve-chain.ts';
import type { PayAgain, Sender } from '../../lambdas/shared/upstream/routing/terms.ts';
import { Random } from '../simulation/random.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import type { ReceivedCall } from './replies.ts';
import { SimulatedChain } from './simulated-chain.ts';
import {
  type Fate,
  MAX_RESPONSE_BYTES,
  type SimulatedUpstream,
  simulateUpstream,
} from './simulated-upstream.ts';
import { VirtualClock } from './virtual-clock.ts';

const CHAIN_NAME = 'simulated';
/** Time that a request has for its upstreams, in milliseconds. */
const REQUEST_MS = 20_000;

/** One upstream of a simulated gateway. Figures are looked at with every request, so that they can change. */
export interface Character extends Pick<UpstreamOptions, 'priority' | 'weight' | 'abilities'> {
  callsPerSecond?: number;
  /** Blocks behind the chain. @default 0 */
  lag?: number | undefined;
  latencyMs?: () => number;
  fate?: ((calls: readonly ReceivedCall[]) => Fate) | undefined;
  /** Overrides what the chain says. */
  respond?: ((call: ReceivedCall) => ReturnType<SimulatedChain['answer']> | undefined) | undefined;
}

/** A chain, its upstreams and the gateway's dispatch to them, in virtual time. */
export class SimulatedGateway {
  readonly clock = new VirtualClock();
  readonly random: Random;
  readonly chain: SimulatedChain;
  readonly upstreams: readonly SimulatedUpstream[];
  readonly node: ChainClient;
  readonly telemetry = new RecordedTelemetry();
  /** What became of breakers, in order, such as `upstream-1 open`. */
  readonly breakers: string[] = [];
  /** Upstreams that were left alone for a limit of their own, in order, with the reason and the time in milliseconds. */
  readonly pauses: (readonly [upstream: string, limit: LimitNotice['limit'], ms: number])[] = [];

  constructor(characters: readonly Character[], seed = 1, agreement: 1 | 2 = 1) {
    this.random = new Random(seed);
    this.chain = new SimulatedChain(this.clock);
    this.upstreams = characters.map((character) =>
      simulateUpstream({
        clock: this.clock,
        wait: this.clock.wait,
        answer: (call) => character.respond?.(call) ?? this.chain.answer(call, character.lag),
        fate: (calls) => character.fate?.(calls) ?? { kind: 'answer' },
        latencyMs: () => character.latencyMs?.() ?? 0,
      }),
    );
    const options = characters.map(({ priority, weight, abilities, callsPerSecond }, index) => ({
      name: `upstream-${index + 1}`,
      connection: {
        ...(this.upstreams[index] as SimulatedUpstream).connection,
        hearUnknownWords: countUnknownWords({ chain: CHAIN_NAME, upstream: `upstream-${index + 1}` }, this),
      },
      priority,
      weight,
      abilities,
      pace: callsPerSecond === undefined ? undefined : createCallPace(this.clock, callsPerSecond),
    }));
    this.node = createChainClient(
      openChainUpstreams(options, {
        clock: this.clock,
        wait: this.clock.wait,
        random: () => this.random.fraction(),
        maxResponseBytes: MAX_RESPONSE_BYTES,
        agreement,
        onDisagreement: countDisagreements(CHAIN_NAME, this),
        onBreaker: (upstream, state) => this.breakers.push(`${upstream} ${state}`),
        onLimit: (upstream, { limit }, ms) => this.pauses.push([upstream, limit, ms]),
      }),
    );
  }

  /** Sends calls without letting time pass. */
  start(
    calls: readonly Call[],
    timeoutMs = REQUEST_MS,
    payAgain?: PayAgain,
  ): Promise<readonly UpstreamResponse[]> {
    return dispatch(calls, this.node, this.clock.now() + timeoutMs, { payAgain });
  }

  /** Sends calls of a key, and lets time pass until they are answered. */
  ask(calls: readonly Call[], sender: Sender = {}): Promise<readonly UpstreamResponse[]> {
    return this.clock.until(dispatch(calls, this.node, this.clock.now() + REQUEST_MS, sender));
  }

  /** Sends calls, and lets time pass until they are answered. */
  async send(
    calls: readonly Call[],
    timeoutMs = REQUEST_MS,
    payAgain?: PayAgain,
  ): Promise<readonly string[]> {
    return (await this.clock.until(this.start(calls, timeoutMs, payAgain))).map(told);
  }

  /** Calls of clients that upstreams received, of all or of one. */
  received(upstream?: number): readonly ReceivedCall[] {
    const asked = upstream === undefined ? this.upstreams : [this.upstreams[upstream] as SimulatedUpstream];
    return asked.flatMap((one) => one.received);
  }
}

/** A call as a client sends it. */
export function call(method: string, params?: readonly unknown[]): Call {
  const json = params === undefined ? undefined : Buffer.from(JSON.stringify(params));
  return { id: Buffer.from('1'), method, params: json };
}

/** A response in a form that compares well: its raw JSON or its reason. */
export function told(answer: UpstreamResponse): string {
  switch (answer.kind) {
    case 'result':
      return Buffer.from(answer.result).toString();
    case 'error':
      return `error ${answer.code} ${Buffer.from(answer.error)}`;
    case 'failed':
      return answer.error.reason;
  }
}
