/**
 * Stands in for the SDK's `@smithy/node-http-handler` in what is deployed: every client here has a handler of its own
 * (`client-settings.ts`), which gives whole bodies.
 */
export const NodeHttpHandler = {
  create: <Handler>(handler: Handler): Handler => handler,
};

/** Reads a body that comes in pieces: there is none. */
export async function streamCollector(): Promise<never> {
  throw new Error('a body of an answer is whole');
}
