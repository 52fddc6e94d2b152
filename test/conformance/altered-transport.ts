import { createHash } from 'node:crypto';
import { parseJson, type Seen, type SendRequest } from './seen.ts';
import type { Transport } from './transport.ts';

/** One way in which a gateway may be wrong: answers are altered on their way to the client. */
export interface Alteration {
  readonly name: string;
  /** Clauses of which at least one differs where this is seen, or one that says that it is not looked at. */
  readonly shownBy: string;
  /** Another answer; the same one where the alteration has nothing to do with the request. */
  readonly alter?: (seen: Seen, request: SendRequest) => Seen;
  /** Status of the answer to a request for a WebSocket. */
  readonly socketStatus?: number;
}

/**
 * Remembers what a gateway answered, so that one run serves for all alterations: the n-th of equal requests of a clause gets
 * the n-th answer, and a clause can be checked again by itself.
 */
export class RecordedTransport implements Transport {
  /** Id of the clause that is being checked. */
  clause = '';
  readonly #answers = new Map<string, Seen[]>();
  readonly #sockets = new Map<string, number>();
  readonly #gateway: Transport;

  constructor(gateway: Transport) {
    this.#gateway = gateway;
  }

  async send(request: SendRequest): Promise<Seen> {
    const seen = await this.#gateway.send(request);
    const key = keyOf(this.clause, request);
    this.#answers.set(key, [...(this.#answers.get(key) ?? []), seen]);
    return seen;
  }

  async openSocket(request: Pick<SendRequest, 'path' | 'headers'>): Promise<number> {
    const status = await this.#gateway.openSocket(request);
    this.#sockets.set(request.path, status);
    return status;
  }

  /** Answers a clause from memory, altered. What was not asked before goes to the gateway. */
  altered(
    clause: string,
    { alter = (seen) => seen, socketStatus }: Omit<Alteration, 'name' | 'shownBy'>,
  ): Transport {
    const asked = new Map<string, number>();
    return {
      send: async (request) => {
        const key = keyOf(clause, request);
        const responses = this.#answers.get(key);
        const at = asked.get(key) ?? 0;
        asked.set(key, at + 1);
        const seen = responses?.[Math.min(at, responses.length - 1)] ?? (await this.#gateway.send(request));
        return alter(seen, request);
      },
      openSocket: async (request) =>
        socketStatus ?? this.#sockets.get(request.path) ?? this.#gateway.openSocket(request),
    };
  }
}

function keyOf(clause: string, { method, path, headers, body = '' }: SendRequest): string {
  const digest = createHash('sha256').update(body).digest('base64');
  return JSON.stringify([clause, method, path, Object.entries(headers).sort(), digest]);
}

/** The same answer with another body. */
export function withText(seen: Seen, text: string): Seen {
  return { ...seen, text, json: parseJson(text) };
}
