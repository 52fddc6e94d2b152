/** Connections are kept, bounded and never used when they may be dead. */
import { Connections } from '../../../lambdas/shared/http/connections.ts';
import { sendRequest } from '../../../lambdas/shared/http/send-request.ts';
import type { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { closing, result, stalling } from '../../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';

type SentRequest = Parameters<typeof sendRequest>[0];
type ConnectionsOptions = ConstructorParameters<typeof Connections>[0];

const IDLE_MS = 50_000;
const AMPLE_MS = 20_000;
const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');

let node: ScriptedNode;
let connections: Connections;
let nowMs: number;

beforeEach(async () => {
  node = await startScriptedNode(result('"0x1"'));
  nowMs = 1_000_000;
});

afterEach(async () => {
  connections.close();
  await node.close();
});

function open(bounds: Partial<ConnectionsOptions> = {}): void {
  const usual = { most: 64, mostIdle: 64, idleMs: IDLE_MS };
  connections = new Connections({ origin: node.url, clock: { now: () => nowMs }, ...usual, ...bounds });
}

function send(timeoutMs = AMPLE_MS, times: Pick<SentRequest, 'connectTimeoutMs'> = {}) {
  return sendRequest({
    ...times,
    connections,
    method: 'POST',
    path: '/',
    headers: [],
    body: BODY,
    timeoutMs,
    maxResponseBytes: 1_000,
  });
}

async function failureOf(exchange: Promise<unknown>): Promise<UpstreamError | undefined> {
  try {
    await exchange;
    return undefined;
  } catch (error) {
    return error as UpstreamError;
  }
}

/** A reply that is held back, and what lets go of all that are. */
function holding(): { readonly hold: Reply; readonly release: () => void; readonly held: () => number } {
  const held: (() => void)[] = [];
  return {
    hold: (request, response) => void held.push(() => result('"0x1"')(request, response)),
    release: () => {
      for (const reply of held.splice(0)) reply();
    },
    held: () => held.length,
  };
}

/** Begins something and leaves the event loop no turn, just before it looks at its timers. */
async function standStillAfter<T>(begin: () => T, ms: number): Promise<T> {
  await new Promise(setImmediate);
  const begun = begin();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return begun;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('the connections of one burst carry the next', async () => {
  open();
  for (let burst = 0; burst < 2; burst += 1) {
    const { hold, release, held } = holding();
    node.script(...Array.from({ length: 64 }, () => hold));
    const all = Array.from({ length: 64 }, () => send());
    await until(() => held() === 64);
    release();
    await Promise.all(all);
  }
  expect([node.requests.length, node.connectionCount()]).toEqual([128, 64]);
});

test('after a minute that the process stood still, no connection of before is used', async () => {
  open();
  await Promise.all([send(), send()]);
  const before = node.connectionCount();
  nowMs += 60_000;
  await send();
  expect(node.connectionCount()).toBe(before + 1);
  expect(await failureOf(send())).toBeUndefined();
  expect(node.connectionCount()).toBe(before + 1);
});

test('a process that stood still reads what came meanwhile before its times are over', async () => {
  open();
  const connected = await standStillAfter(() => send(AMPLE_MS, { connectTimeoutMs: 20 }), 100);
  expect(connected.status).toBe(200);
  const { hold, release, held } = holding();
  node.script(hold);
  const answered = send(1_000);
  await until(() => held() === 1);
  await standStillAfter(release, 1_100);
  expect((await answered).status).toBe(200);
});

test('a busy connection does not keep those that are idle for long', async () => {
  open();
  const { hold, release, held } = holding();
  node.script(hold, hold);
  const both = [send(), send()];
  await until(() => held() === 2);
  release();
  await Promise.all(both);
  for (let time = 0; time < 3; time += 1) {
    nowMs += IDLE_MS / 2;
    await send();
  }
  node.script(hold, hold);
  const later = [send(), send()];
  await until(() => held() === 2);
  release();
  await Promise.all(later);
  expect(node.connectionCount()).toBe(3);
});

test('beyond the bound requests wait for a connection, and those that waited too long have sent nothing', async () => {
  open({ most: 2, mostIdle: 2 });
  const { hold, release, held } = holding();
  node.script(hold, hold);
  const both = [send(), send()];
  await until(() => held() === 2);
  const third = send();
  expect(await failureOf(send(30))).toMatchObject({ kind: 'timeout', sent: false, reusedSocket: false });
  expect(node.requests).toHaveLength(2);
  release();
  await Promise.all([...both, third]);
  expect([node.requests.length, node.connectionCount()]).toEqual([3, 2]);
});

test('a connection that fails makes room for one that waits', async () => {
  open({ most: 1, mostIdle: 1 });
  node.script(stalling);
  const first = failureOf(send(50));
  const second = send();
  expect(await first).toMatchObject({ kind: 'timeout', sent: true });
  expect((await second).status).toBe(200);
  expect(node.connectionCount()).toBe(2);
});

test('no more are kept than may be idle, and where none may be each carries one request', async () => {
  open({ mostIdle: 0 });
  await Promise.all([send(), send()]);
  await send();
  expect(node.connectionCount()).toBe(3);
  expect(node.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close', 'close']);
  await node.idle();
});

test('whether a connection had carried a request is told with its failure', async () => {
  open();
  node.script(closing);
  expect(await failureOf(send())).toMatchObject({ kind: 'closed', sent: true, reusedSocket: false });
  await send();
  node.script(closing);
  expect(await failureOf(send())).toMatchObject({ kind: 'closed', sent: true, reusedSocket: true });
  node.script(closing);
  expect(await failureOf(send())).toMatchObject({ kind: 'closed', sent: true, reusedSocket: false });
});

test('a kept connection that the server has closed carries nothing', async () => {
  await node.close();
  node = await startScriptedNode((request, response) => {
    response.once('close', () => request.connection === 0 && response.socket?.destroy());
    result('"0x1"')(request, response);
    if (request.connection === 0) setImmediate(() => response.socket?.destroy());
  });
  open();
  await send();
  await node.idle();
  expect(await failureOf(send())).toBeUndefined();
  expect(node.requests.map(({ connection }) => connection)).toEqual([0, 1]);
});
