import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { encodeLane } from '../../lambdas/access/charge/lane-message.ts';
import { hourOf } from '../../lambdas/shared/runtime/hour.ts';
import { localClientConfig } from '../../local/client-config.ts';
import { processesMentioning } from '../local/processes.ts';
import { result } from '../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { untilTrue } from '../support/until-true.ts';
import { HOSTINGS, hosted } from './hostings.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { chargedSoFar } from './operator/charged-cu.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const APPLIED_WITHIN_MS = 120_000;
const LOOK_INTERVAL_MS = 200;
const RAW_TRANSACTION_CU = 30;
const CALLS_IN_FLIGHT = 3;

/** The embedded DynamoDB is halted in the middle of requests: no account pays for nothing, and none pays twice. */
describe.each(HOSTINGS)('an outage of the store, hosting %s', (hosting) => {
  const answered = result('"0x1"');
  let folder: string;
  let node: ScriptedNode;
  let gateway: RunningGateway;
  /** What all answers so far said that they were billed. */
  let billedCu: number;

  const start = () =>
    startGateway({
      config: hosted(nodeStage(node.url), hosting),
      dataDir: join(folder, 'data'),
    });

  beforeAll(async () => {
    billedCu = 0;
    folder = mkdtempSync(join(tmpdir(), 'outage-'));
    node = await startScriptedNode(answered);
    gateway = await start();
  });

  afterEach(() => signalStore('SIGCONT'));

  afterAll(async () => {
    await stopGateways();
    await node?.close();
    rmSync(folder, { recursive: true });
  });

  function signalStore(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    for (const id of processesMentioning(join(gateway.dataDir, 'dynamodb'))) process.kill(id, signal);
  }

  async function send(apiKey = gateway.apiKey) {
    const response = await fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: '{"jsonrpc":"2.0","id":7,"method":"eth_sendRawTransaction","params":["0x00"]}',
    });
    billedCu += Number(response.headers.get('x-cu-billed'));
    return { response, body: await response.json() };
  }

  async function operator(...args: string[]) {
    return JSON.parse((await gateway.operator([...args, '--json'])).stdout);
  }

  const chargedCu = () => chargedSoFar(gateway, gateway.gatewayJson.demo_account);

  /** Waits until everything is charged that was billed. */
  async function untilCharged(): Promise<void> {
    await until(async () => (await chargedCu()) >= billedCu);
    expect(await chargedCu()).toBe(billedCu);
  }

  function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return untilTrue(condition, {
      withinMs: APPLIED_WITHIN_MS,
      everyMs: LOOK_INTERVAL_MS,
      failure: () => 'in vain',
    });
  }

  function expectUnavailable({ response, body }: Awaited<ReturnType<typeof send>>, id: number | null) {
    expect(response.status).toBe(503);
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id,
      error: { code: -32021, message: 'billing data temporarily unavailable' },
    });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(response.headers.get('x-cu-billed')).toBe('0');
  }

  test('before the node is asked: 503, unbilled, and the node never hears of it', async () => {
    expect((await send()).response.status).toBe(200);
    await untilCharged();
    signalStore('SIGSTOP');
    const asked = node.requests.length;
    expectUnavailable(await send(), 7);
    expectUnavailable(await send(`rgw_${'5'.repeat(64)}`), null);
    expect(node.requests).toHaveLength(asked);
    signalStore('SIGCONT');
    expect((await send()).response.status).toBe(200);
    await untilCharged();
  });

  test('after the node has answered: the client gets its answer, and is charged for it once', async () => {
    const before = await chargedCu();
    const failedAttempts = () => gateway.logs().split('charge_attempt_failed').length - 1;
    const failedBefore = failedAttempts();
    const waiting: (() => void)[] = [];
    const halting: Reply = (request, response) => {
      waiting.push(() => answered(request, response));
      if (waiting.length < CALLS_IN_FLIGHT) return;
      signalStore('SIGSTOP');
      for (const respond of waiting) respond();
    };
    node.script(...Array.from({ length: CALLS_IN_FLIGHT }, () => halting));
    const responses = await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, () => send()));
    await until(() => failedAttempts() > failedBefore);
    signalStore('SIGCONT');
    for (const { response, body } of responses) {
      expect(body).toEqual({ jsonrpc: '2.0', id: 7, result: '0x1' });
      expect(response.headers.get('x-cu-billed')).toBe(String(RAW_TRANSACTION_CU));
    }
    await untilCharged();
    expect((await chargedCu()) - before).toBe(CALLS_IN_FLIGHT * RAW_TRANSACTION_CU);
  });

  test('a queued lane that is delivered twice is stored once', async () => {
    const lane = encodeLane({
      account: gateway.gatewayJson.demo_account,
      shard: 0,
      hour: hourOf(Date.now()),
      lane: 'delivered-2',
      charges: 1,
      total: BigInt(RAW_TRANSACTION_CU),
      used: `example_mainnet eth_sendRawTransaction:1:${RAW_TRANSACTION_CU}`,
    });
    const client = new SQSClient(localClientConfig(gateway.endpoints.sqs, gateway.gatewayJson.access_key_id));
    const QueueUrl = String(gateway.gatewayJson.outputs.ChargeQueueUrl);
    for (let delivery = 1; delivery <= 2; delivery += 1) {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: lane }));
    }
    client.destroy();
    billedCu += RAW_TRANSACTION_CU;
    await untilCharged();
  });

  test(
    'a store that dies after the node has answered ends the run; the next one makes the charge',
    async () => {
      const ended = new Promise((resolve) => gateway.process.once('close', resolve));
      node.script((request, response) => {
        signalStore('SIGKILL');
        answered(request, response);
      });
      const { response, body } = await send();
      expect(body).toEqual({ jsonrpc: '2.0', id: 7, result: '0x1' });
      expect(response.headers.get('x-cu-billed')).toBe(String(RAW_TRANSACTION_CU));
      expect(await ended).toBe(1);
      gateway = await start();
      await untilCharged();
    },
    TWO_RUNS_MS,
  );

  test('and the books balance', async () => {
    expect(await operator('audit')).toMatchObject({ ok: true });
    expect(gateway.logs()).not.toContain('charge_lost');
    expect(gateway.logs()).not.toMatch(/rgw_[0-9a-f]{64}/);
  });
});
