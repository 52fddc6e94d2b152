import { LocalRunError } from './local-run-error.ts';

/** A bound for a node that hangs: one that is busy writing its chain answers late. */
const CALL_TIMEOUT_MS = 600_000;

/** A JSON-RPC call. */
export interface AnvilCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface NodeResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * Sends calls to a node in one batch; returns their results in the order of the calls.
 * @param signal ends the calls
 * @throws LocalRunError when the node answers a call with an error
 */
export async function callNode(
  url: string,
  calls: readonly AnvilCall[],
  signal?: AbortSignal,
): Promise<readonly unknown[]> {
  if (calls.length === 0) return [];
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const responses = (await (await postToNode(url, body, signal)).json()) as readonly NodeResponse[];
  const results = new Map(responses.map((response) => [response.id, response]));
  return calls.map(({ method }, id) => {
    const response = results.get(id);
    if (response?.error !== undefined || response?.result === undefined)
      throw new LocalRunError(`the node refused ${method}: ${response?.error?.message ?? 'no result'}`);
    return response.result;
  });
}

/** Sends a call, or a list of calls, and returns the response as it comes. @param signal ends it, and its reading */
export function postToNode(url: string, body: object, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
}

/** Whether a node answers, and has a chain id. */
export async function hasChainId(url: string, chainId: number): Promise<boolean> {
  const [response] = await callNode(url, [{ method: 'eth_chainId', params: [] }]);
  return Number(response) === chainId;
}
