import type { DataApiEndpoint } from '../../local/database/data-api-endpoint.ts';

/** What the SDK sends, as far as the RDS Data API looks at it. */
interface SentRequest {
  readonly path: string;
  readonly body?: string | Uint8Array;
}

/**
 * Takes requests of the SDK to an endpoint of this process without a connection: in tests that make thousands, half
 * of their time went into sockets. The tests of the endpoint itself go through one.
 */
export function inProcess(answer: DataApiEndpoint['answer']) {
  return {
    async handle({ path, body = '' }: SentRequest) {
      const input = typeof body === 'string' ? body : new TextDecoder().decode(body);
      const { status, headers, body: text } = await answer(path, input);
      return { response: { statusCode: status, headers, body: Buffer.from(text) } };
    },
  };
}
