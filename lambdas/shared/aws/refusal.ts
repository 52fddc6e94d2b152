/** First and last status by which a service says that it has refused a request, and so has done nothing. */
const REFUSED = { from: 400, below: 500 } as const;

/** What an exception of the SDK carries beside its name and its message. */
interface Answered {
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/**
 * HTTP status of the response that an exception of the SDK, or what it caused, stands for; undefined if there was no whole
 * response.
 */
export function responseStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  return (error as Answered).$metadata?.httpStatusCode ?? responseStatus(error.cause);
}

/** Whether a service has answered that it did not carry out the request. Otherwise the outcome is unknown. */
export function isRefusal(error: unknown): boolean {
  const status = responseStatus(error);
  return status !== undefined && status >= REFUSED.from && status < REFUSED.below;
}
