import { SIGNED_FOR_MS } from '../../../lambdas/access/charge/lane.ts';
import type { Machine, SimulatedProcess } from '../actors/simulated-process.ts';

/** Time that a client waits for a response, in milliseconds. */
const TIMEOUT_MS = 1_000;
const MIN_LATENCY_MS = 1;
const MAX_LATENCY_MS = 12;
/** Chance of a message that takes much longer, and its longest time. */
const SLOW_RATE = 0.02;
const MAX_SLOW_MS = 450;
/** A message that is late or doubled arrives by this time after it was sent. */
const MAX_DELAY_MS = 12 * 3_600_000;

/** Faults of a message to a service that stores, or of its response. */
export type RemoteFault =
  /** Refused, and the caller knows. */
  | 'throttled'
  | 'conflict'
  /** The caller waits in vain; nothing is applied. */
  | 'request lost'
  /** The caller waits in vain; it is applied. */
  | 'answer lost'
  /** The caller waits in vain; it is applied later, perhaps hours. */
  | 'request late'
  /** Applied, answered, and applied again later, perhaps hours. */
  | 'request doubled'
  /** Answered with a 500; nothing is applied. */
  | 'failed'
  /** Answered with a 500; it is applied. */
  | 'failed after applying';

export const REMOTE_FAULTS: readonly [RemoteFault, ...RemoteFault[]] = [
  'throttled',
  'conflict',
  'request lost',
  'answer lost',
  'answer lost',
  'request late',
  'request late',
  'request doubled',
  'request doubled',
  'failed',
  'failed after applying',
];

/** One message of a process, and what it is to do. */
export interface Exchange<T> {
  readonly machine: Machine;
  readonly process: SimulatedProcess;
  readonly nextFault: () => RemoteFault | undefined;
  /** The error that the process gets in place of a response. `maybeApplied`: whether the message may have had its effect. */
  readonly failure: (message: string, maybeApplied: boolean) => Error;
  readonly apply: () => Promise<T>;
}

/** Sends a message over a network that loses, delays, doubles and reorders. Never ends in a process that is dead. */
export function exchange<T>({ machine, process, nextFault, failure, apply }: Exchange<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (!process.send()) return;
    const sentMs = machine.time.nowMs;
    const signedMs = process.clock.now();
    const fault = nextFault();
    // Made on arrival: few frames are above it then, which an error takes down with it.
    const fail = (timeMs: number, message: string, maybeApplied: boolean) =>
      process.receive(timeMs, () => reject(failure(message, maybeApplied)));
    const unanswered = () => fail(sentMs + TIMEOUT_MS, 'no answer', true);
    const refused = (message: string, maybeApplied: boolean) =>
      fail(sentMs + latencyMs(machine), message, maybeApplied);
    const arrive = (timeMs: number, answer?: (result: T) => void) =>
      machine.time.at(timeMs, () => {
        if (machine.time.nowMs > signedMs + SIGNED_FOR_MS) return;
        apply().then(answer ?? (() => {}), (error) => process.receive(timeMs, () => reject(error)));
      });
    const answer = (result: T) =>
      process.receive(machine.time.nowMs + latencyMs(machine), () => resolve(result));

    switch (fault) {
      case undefined:
        return arrive(sentMs + latencyMs(machine), answer);
      case 'throttled':
      case 'conflict':
        return refused(fault, false);
      case 'failed':
        return refused('internal error', true);
      case 'request lost':
        return unanswered();
      case 'failed after applying':
        arrive(sentMs + latencyMs(machine));
        return refused('internal error', true);
      case 'answer lost':
        arrive(sentMs + latencyMs(machine));
        return unanswered();
      case 'request late':
        arrive(sentMs + delayMs(machine));
        return unanswered();
      case 'request doubled':
        arrive(sentMs + delayMs(machine));
        return arrive(sentMs + latencyMs(machine), answer);
    }
  });
}

function latencyMs({ random }: Machine): number {
  return random.integer(MIN_LATENCY_MS, random.chance(SLOW_RATE) ? MAX_SLOW_MS : MAX_LATENCY_MS);
}

function delayMs({ random }: Machine): number {
  return random.magnitude(MIN_LATENCY_MS, MAX_DELAY_MS);
}
