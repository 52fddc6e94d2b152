import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Clock } from '../clock.ts';

/** Time after which an idle connection is not used again, in milliseconds. */
export const IDLE_CONNECTION_MS = 10_000;
/** Most connections at once; further requests wait for one within their own time. */
const MAX_CONNECTIONS = 50;
const AGENT_OPTIONS: AgentOptions = { keepAlive: true, maxSockets: MAX_CONNECTIONS };

/**
 * The kept connections to one service. A function that was frozen does not know that its connections are gone, and a
 * write into one is ambiguous: those that were idle for long are closed.
 */
export class Connections {
  readonly #agent: Agent;
  readonly #clock: Clock;
  #usedAt = 0;

  constructor(protocol: string, clock: Clock) {
    this.#agent = protocol === 'https:' ? new SecureAgent(AGENT_OPTIONS) : new Agent(AGENT_OPTIONS);
    this.#clock = clock;
  }

  /** The pool that the next request takes its connection from. */
  take(): Agent {
    const now = this.#clock.now();
    if (now - this.#usedAt > IDLE_CONNECTION_MS)
      for (const socket of Object.values(this.#agent.freeSockets).flat()) socket?.destroy();
    this.#usedAt = now;
    return this.#agent;
  }
}
