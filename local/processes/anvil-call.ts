import { LocalRunError } from './local-run-error.ts';

/** A bound for a node that hangs: one that is busy writing its chain answers late. */
const CALL_TIMEOUT_MS = 600_000;

/**
 * Calls anvil.
 * @returns the result
 * @throws LocalRunError if it answers with an error
 */
export async function callAnvil(
  url: string,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  const response = await postToAnvil(url, method, params, signal);
  const body = (await response.json()) as {
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
  if (body.error !== undefined) throw new LocalRunError(`anvil refuses ${method}: ${body.error.message}`);
  return body.result;
}

/** The same, with the response as it comes. @param signal ends the call, and the reading of its response */
export function postToAnvil(
  url: string,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<Response> {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
}
