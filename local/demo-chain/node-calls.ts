/** A bound for a node that hangs; no machine is so busy that a batch takes as long. */
const CALL_TIMEOUT_MS = 600_000;

/** A JSON-RPC call. */
export interface DemoCall {
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
 * @throws Error when the node cannot be reached or answers a call with an error
 */
export async function callNode(url: string, calls: readonly DemoCall[]): Promise<readonly unknown[]> {
  if (calls.length === 0) return [];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const responses = (await response.json()) as readonly NodeResponse[];
  const results = new Map(responses.map((response) => [response.id, response]));
  return calls.map(({ method }, id) => {
    const response = results.get(id);
    if (response?.error !== undefined || response?.result === undefined) {
      throw new Error(`the node refused ${method}: ${response?.error?.message ?? 'no result'}`);
    }
    return response.result;
  });
}
