import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesMentioning, untilNoneMentions } from '../local/processes.ts';
import { result, stalling } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { ENVIRONMENT_SCRIPTS, HOSTINGS, type Hosting, hosted } from './hostings.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { chargedCu } from './operator/charged-cu.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const CLIENTS = 8;
const ANSWERS_BEFORE_END = 60;
/** Keeps calls in flight at the node, so that the end of a run meets some. */
const NODE_DELAY_MS = 20;
const END_TIMEOUT_MS = 120_000;
const RAW_TRANSACTION_CU = 30;
/**
 * Requests without their charge: the answered ones of a run that ends wait for theirs, and a kill leaves one of each client without.
 * An environment of many requests is killed either way, with what it holds back: of these clients less than its bound.
 */
const MOST_LOST: Readonly<Record<Hosting, Readonly<Record<'atEnd' | 'atKill', number>>>> = {
  event: { atEnd: 0, atKill: CLIENTS },
  instances: { atEnd: Number.POSITIVE_INFINITY, atKill: Number.POSITIVE_INFINITY },
};

/** The body of a 502 whose function was killed. */
const UNREACHABLE = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32030, message: 'rpc gateway unreachable', data: { reason: 'gateway_unreachable' } },
};

describe.each(HOSTINGS)('the end of a run, hosting %s', (hosting) => {
  const answered = result('"0x1"');
  let folder: string;
  let node: ScriptedNode;
  let gateway: RunningGateway;

  const start = () =>
    startGateway({ config: hosted(nodeStage(node.url), hosting), dataDir: join(folder, 'data') });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'restart-'));
    // The usual data folder stands in this project, whose modules are ES modules.
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    node = await startScriptedNode((request, response) => {
      setTimeout(() => answered(request, response), NODE_DELAY_MS);
    });
    gateway = await start();
  });

  afterAll(async () => {
    await stopGateways();
    await node?.close();
    await untilNoneMentions(folder, END_TIMEOUT_MS);
    rmSync(folder, { recursive: true });
  });

  async function send(): Promise<Response> {
    return fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
      body: '{"jsonrpc":"2.0","id":7,"method":"eth_sendRawTransaction","params":["0x00"]}',
    });
  }

  async function operator(...args: string[]) {
    return JSON.parse((await gateway.operator([...args, '--json'])).stdout);
  }

  const charged = (least?: number) => chargedCu(gateway, gateway.gatewayJson.demo_account, least);

  /** Calls from several clients, ends the gateway meanwhile, and resolves with what the answers were billed. */
  async function callUntilGone(signal: 'SIGINT' | 'SIGKILL'): Promise<number> {
    let answers = 0;
    let billedCu = 0;
    const client = async () => {
      for (;;) {
        const response = await send().catch(() => undefined);
        const body = await response?.text().catch(() => undefined);
        if (response?.status !== 200 || body === undefined) return;
        billedCu += Number(response.headers.get('x-cu-billed'));
        answers += 1;
        if (answers === ANSWERS_BEFORE_END) gateway.process.kill(signal);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    if (answers < ANSWERS_BEFORE_END) throw new Error(`only ${answers} calls were answered`);
    return billedCu;
  }

  test.each([
    { signal: 'SIGINT', lost: 'atEnd' },
    { signal: 'SIGKILL', lost: 'atKill' },
  ] as const)(
    '$signal under load loses no more charges than the mode of the stage may, and doubles none',
    async ({ signal, lost }) => {
      const mostLost = MOST_LOST[hosting][lost];
      const [chargedBefore, askedBefore] = [await charged(), node.requests.length];
      const ended = new Promise((resolve) => gateway.process.once('close', resolve));
      const billedCu = await callUntilGone(signal);
      await ended;
      await untilNoneMentions(folder, END_TIMEOUT_MS);

      gateway = await start();
      // What its processes had queued is charged by now.
      const least = chargedBefore + billedCu - mostLost * RAW_TRANSACTION_CU;
      const chargedMore = (await charged(least)) - chargedBefore;
      expect(billedCu).toBeGreaterThanOrEqual(ANSWERS_BEFORE_END * RAW_TRANSACTION_CU);
      expect(chargedMore).toBeLessThanOrEqual((node.requests.length - askedBefore) * RAW_TRANSACTION_CU);
      expect(await operator('audit')).toMatchObject({ ok: true });
    },
    TWO_RUNS_MS,
  );

  test('a function that is killed while the node works is a 502, unbilled; the next call gets another', async () => {
    const chargedBefore = await charged();
    const asked = new Promise<void>((resolve) => {
      node.script((request, response) => {
        stalling(request, response);
        resolve();
      });
    });
    const answer = send();
    await Promise.race([asked, answer]);
    for (const id of functionProcesses()) process.kill(id, 'SIGKILL');
    const response = await answer;
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject(UNREACHABLE);
    const next = await send();
    expect(next.status).toBe(200);
    expect(next.headers.get('x-cu-billed')).toBe(String(RAW_TRANSACTION_CU));
    const expected = chargedBefore + RAW_TRANSACTION_CU;
    expect(await charged(expected)).toBe(expected);
  });

  /** The processes of the run's functions: its children. */
  function functionProcesses(): number[] {
    return processesMentioning(ENVIRONMENT_SCRIPTS[hosting]).filter((id) => {
      const parent = / \(.*\) \w (\d+) /.exec(` ${readFileSync(`/proc/${id}/stat`, 'utf8')}`)?.[1];
      return Number(parent) === gateway.process.pid;
    });
  }
});
