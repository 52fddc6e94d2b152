import { setTimeout as sleep } from 'node:timers/promises';
import { functionProcesses } from '../../local/processes.ts';
import type { RunningGateway } from '../running-gateway.ts';

/** Time in which a process ends what it does after its answer. */
const CONCLUDED_MS = 500;
const MAX_TRIES = 20;

let gateway: RunningGateway;

/** Stops the processes of a function, as a loop without end in its code would. */
function hang(name: string): number {
  const hung = functionProcesses(gateway.dataDir, name);
  for (const pid of hung) process.kill(pid, 'SIGSTOP');
  return hung.length;
}

/** Asks a function that hangs. One that was stopped before it had concluded is not called: another is, and so again. */
async function askHung(name: string, ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    await sleep(CONCLUDED_MS);
    expect(hang(name)).toBeGreaterThan(0);
    const response = await ask();
    if (response.status !== 200 || tries === MAX_TRIES) return response;
    await response.arrayBuffer();
  }
}

const TIMED_OUT = {
  jsonrpc: '2.0',
  id: null,
  error: expect.objectContaining({ code: -32030, message: 'rpc gateway timed out' }),
};

/** A call whose result no cache has, so that other tests of the run find none. */
const call = () =>
  fetch(`${gateway.baseUrl}/v1/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_foo"}',
  });
const askData = () =>
  fetch(`${gateway.baseUrl}/v1/data/chains`, { headers: { 'x-api-key': gateway.apiKey } });

/**
 * A function that hangs is ended at its time-out, and the next request gets another process.
 * @param running a stage whose functions have short time-outs and few processes yet
 */
export function describeHungFunction(running: () => RunningGateway): void {
  /** What both functions answer that hang at the same time: each takes as long as its time-out. */
  let hung: { readonly rpc: Response; readonly data: Response };
  beforeAll(async () => {
    gateway = running();
    expect([(await call()).status, (await askData()).status]).toEqual([200, 200]);
    const [rpc, data] = await Promise.all([askHung('FunctionsRpc', call), askHung('FunctionsData', askData)]);
    hung = { rpc, data };
  });

  test('JSON-RPC: 504, `rpc gateway timed out`, and the next request is served', async () => {
    expect(hung.rpc.status).toBe(504);
    expect(await hung.rpc.json()).toEqual(TIMED_OUT);
    expect((await call()).status).toBe(200);
  });

  test('Data API: 504 as well', async () => {
    expect(hung.data.status).toBe(504);
    expect(await hung.data.json()).toEqual(TIMED_OUT);
  });
}
