import type { Clock } from '../shared/runtime/clock.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';

/** Time that a request may take, name, certificate and response included, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longest response that is read, in characters: both are far shorter. */
const MAX_RESPONSE = 100_000;
const QUANTITY = /^0x[0-9a-f]+$/;
const JSON_TYPE = { 'content-type': 'application/json' };
const HEAD_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });

/** What a run works with. */
interface ProbeParts {
  /** Public URL of the stage, without a slash at the end. */
  readonly url: string;
  /** Chain whose data are asked for; absent: the stage has no chain database. */
  readonly dataChain: string | undefined;
  /** Reads the operator's API key. It is in no line, and in no URL. */
  readonly readKey: () => Promise<string>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Asks the stage as a client does, by its public name and with a key: the head of the default chain by JSON-RPC, and how
 * fresh its data are by the Data API. Tells of each whether it failed; why is in the log. Never rejects.
 */
export async function runProbe(parts: ProbeParts): Promise<void> {
  const { dataChain, clock, telemetry } = parts;
  const failed = async (of: string, check: () => Promise<void>): Promise<0 | 1> => {
    const startedMs = clock.now();
    try {
      await check();
      return 0;
    } catch (error) {
      const durationMs = clock.now() - startedMs;
      telemetry.log('error', 'probe_failed', { method: of, durationMs, error: reasonOf(error) });
      return 1;
    }
  };
  const [rpc, data] = await Promise.all([
    failed('rpc', () => askRpc(parts)),
    dataChain === undefined ? undefined : failed('data', () => askData(parts, dataChain)),
  ]);
  const values = { RpcProbeFailures: rpc, ...(data !== undefined && { DataProbeFailures: data }) };
  telemetry.emit({ values }, clock.now());
}

async function askRpc(parts: ProbeParts): Promise<void> {
  const init = { method: 'POST', headers: JSON_TYPE, body: HEAD_CALL };
  const { result, error } = await ask(parts, '/v1/', init);
  if (typeof result !== 'string' || !QUANTITY.test(result))
    throw new Error(`no head: ${JSON.stringify(error) ?? 'no result'}`);
}

async function askData(parts: ProbeParts, chain: string): Promise<void> {
  const { data, error } = await ask(parts, `/v1/data/${chain}/status/freshness`, {});
  if (data === undefined) throw new Error(`no data: ${JSON.stringify(error) ?? 'none'}`);
}

/** @throws Error if there is no response 200 with an object, whose text holds neither key nor URL */
async function ask({ url, readKey, fetch }: ProbeParts, path: string, init: RequestInit) {
  const key = await readKey();
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { ...init.headers, 'x-api-key': key },
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  if (text.length > MAX_RESPONSE) throw new Error('an answer that is too long');
  return readResponse(text);
}

function readResponse(text: string): Readonly<Record<string, unknown>> {
  const response: unknown = JSON.parse(text);
  if (typeof response !== 'object' || response === null) throw new Error('an answer that is no object');
  return response as Readonly<Record<string, unknown>>;
}

/** Why there was no response: the code of the connection's error says more than its text, which may hold a URL. */
function reasonOf(error: unknown): string {
  const code = (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? `${error.name}: ${error.message}` : 'failed';
}
