import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '../runtime/clock.ts';
import { processBounds, requestsAtATime } from '../runtime/process-bounds.ts';

/** Time after which an idle connection is not used again, in milliseconds. */
export const IDLE_CONNECTION_MS = 10_000;

/**
 * The kept connections to one service. A function that was frozen does not know that its connections are gone, and a
 * write into one is ambiguous: each that was idle for long is closed, however busy the others were.
 */
export class Connections {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #idleSince = new WeakMap<Duplex, number>();

  constructor(protocol: string, clock: Clock) {
    // Further requests wait for a connection within their own time.
    const { awsConnections } = processBounds(requestsAtATime(), 0);
    const options: AgentOptions = { keepAlive: true, maxSockets: awsConnections };
    this.#agent = protocol === 'https:' ? new SecureAgent(options) : new Agent(options);
    this.#clock = clock;
    this.#agent.on('free', (socket: Duplex) => this.#idleSince.set(socket, clock.now()));
  }

  /** The pool that the next request takes its connection from. */
  take(): Agent {
    const usedSince = this.#clock.now() - IDLE_CONNECTION_MS;
    for (const socket of Object.values(this.#agent.freeSockets).flat())
      if (socket !== undefined && (this.#idleSince.get(socket) ?? 0) < usedSince) socket.destroy();
    return this.#agent;
  }
}
