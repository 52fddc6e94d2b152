import { setTimeout as sleep } from 'node:timers/promises';
import { functionProcesses } from '../../local/processes.ts';
import { result } from '../../nodes/replies.ts';
import { startScriptedNode } from '../../nodes/scripted-node.ts';
import { type RunningGateway, startGateway, stopGateways } from '../running-gateway.ts';
import { nodeStage } from './node-stage.ts';

const SECONDS = { rpc: 10, data: 6 };
/** Time in which a process ends what it does after its answer. */
const CONCLUDED_MS = 500;
const MAX_TRIES = 20;

let gateway: RunningGateway;
let node: Awaited<ReturnType<typeof startScriptedNode>>;
beforeAll(async () => {
  node = await startScriptedNode(result('"0x1"'));
  const stage = nodeStage(node.url);
  gateway = await startGateway({
    config: {
      ...stage,
      chains: stage.chains.map((chain) => ({ ...chain, maxResponseBytes: 1_000_000 })),
      upstreamTimeoutMs: 4_000,
      functions: { rpc: { timeoutSeconds: SECONDS.rpc }, data: { timeoutSeconds: SECONDS.data } },
    },
  });
});
afterAll(async () => {
  await stopGateways();
  await node?.close();
});

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

const call = () =>
  fetch(`${gateway.baseUrl}/v1/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  });
const askData = () =>
  fetch(`${gateway.baseUrl}/v1/data/chains`, { headers: { 'x-api-key': gateway.apiKey } });

/** What both functions answer that hang at the same time: each takes as long as its time-out. */
let hung: { readonly rpc: Response; readonly data: Response };
beforeAll(async () => {
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
