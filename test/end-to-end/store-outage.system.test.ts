/**
 * That no account pays for nothing, none pays twice and none is forgotten, whatever ends in the midst of requests: the
 * store, a function, or the whole run; that a key gets what its balance and its bucket hold, and no more; and that clients
 * and operators get what is promised whatever the node answers, whatever bytes a client sends, while keys change and
 * functions hang. One run of each hosting, at a node that does what a test tells it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeLane } from '../../lambdas/access/charge/lane-message.ts';
import { hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { processesMentioning, untilNoneMentions } from '../local/processes.ts';
import { result, stalling } from '../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { isAtLength } from '../support/at-length.ts';
import { untilTrue } from '../support/until-true.ts';
import { ENVIRONMENT_SCRIPTS, type Hosting, hosted, TRIED_HOSTINGS } from './hostings.ts';
import { testInstances } from './instances.ts';
import { describeLimits, TRICKLE } from './limits.ts';
import { describeDisabledKeys } from './nodes/disabled-keys.ts';
import { describeHttpEdge } from './nodes/http-edge.ts';
import { describeHungFunction } from './nodes/hung-function.ts';
import { describeMisbehavingNode, MAX_RESPONSE_BYTES } from './nodes/misbehaving-node.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { operate } from './operator/account.ts';
import { chargedCu as chargedInAll, chargedSoFar } from './operator/charged-cu.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';
import { sendMessage } from './send-message.ts';

/** Longer than the queue waits before it delivers a charge again, which is 180 s. */
const APPLIED_WITHIN_MS = 240_000;
const LOOK_INTERVAL_MS = 200;
const RAW_TRANSACTION_CU = 30;
const CALLS_IN_FLIGHT = 3;
const CLIENTS = 8;
const ANSWERS_BEFORE_END = 30;
/** Time that the node takes for a call in which the run ends. */
const NODE_DELAY_MS = 20;
const END_TIMEOUT_MS = 120_000;
/**
 * Requests without their charge: the answered ones of a run that ends wait for theirs, and a kill leaves one of each client without.
 * An environment of many requests is killed either way, with what it holds back: of these clients less than its bound.
 */
const MOST_LOST: Readonly<Record<Hosting, Readonly<Record<'atEnd' | 'atKill', number>>>> = {
  event: { atEnd: 0, atKill: CLIENTS },
  instances: { atEnd: Number.POSITIVE_INFINITY, atKill: Number.POSITIVE_INFINITY },
};

/** Far more than it takes to answer, however busy this machine is; two calls wait for it. */
const UPSTREAM_TIMEOUT_MS = 4_000;
/** Little more than a stage with such an answer of the node may have, since a test waits for each. */
const SECONDS = { rpc: 12, data: 6 };

/** The body of a 502 whose function was killed. */
const UNREACHABLE = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32030, message: 'rpc gateway unreachable', data: { reason: 'gateway_unreachable' } },
};

describe.each(TRIED_HOSTINGS)('what ends in the midst of requests, hosting %s', (hosting) => {
  const answered = result('"0x1"');
  let folder: string;
  let node: ScriptedNode;
  let gateway: RunningGateway;
  /** Keeps calls in flight at the node, so that the end of a run meets some. */
  let nodeDelayMs = 0;
  /** What all answers so far said that they were billed. */
  let billedCu = 0;

  const start = () => {
    const { plans, chains, ...stage } = nodeStage(node.url);
    const config = {
      ...stage,
      chains: chains.map((chain) => ({ ...chain, maxResponseBytes: MAX_RESPONSE_BYTES })),
      plans: { ...plans, trickle: TRICKLE },
      upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
      functions: {
        rpc: { timeoutSeconds: SECONDS.rpc },
        data: { timeoutSeconds: SECONDS.data },
        status: { reservedConcurrency: 2 },
      },
    };
    return startGateway({ config: hosted(config, hosting), dataDir: join(folder, 'data') });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'outage-'));
    // The usual data folder stands in this project, whose modules are ES modules.
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    node = await startScriptedNode((request, response) => {
      setTimeout(() => answered(request, response), nodeDelayMs);
    });
    gateway = await start();
  });

  afterEach(() => signalStore('SIGCONT'));

  afterAll(async () => {
    await stopGateways();
    await node?.close();
    await untilNoneMentions(folder, END_TIMEOUT_MS);
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
    return { response, body: (await response.json()) as { readonly id: unknown } };
  }

  const chargedCu = () => chargedSoFar(gateway, gateway.gatewayJson.demo_account);

  /** Waits until everything is charged that was billed. */
  async function untilCharged(): Promise<void> {
    await until(async () => (await chargedCu()) >= billedCu);
    expect(await chargedCu()).toBe(billedCu);
  }

  /** Waits until a call is answered: a store that was stopped takes a while to answer again. */
  const untilServed = () => until(async () => (await send()).response.status === 200);

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

  if (hosting === 'event') {
    const [running, scripted] = [() => gateway, () => node];
    // First, while functions have few processes: those that hang are stopped one by one.
    describe('a hung function', () => describeHungFunction(running));
    describe('a misbehaving node', () => describeMisbehavingNode(running, scripted));
    describe('keys that change', () => describeDisabledKeys(running));
    describe('HTTP at its edges', () => describeHttpEdge(running, scripted));
  }
  describe('the limits of a key', () => describeLimits(() => gateway));

  describe('an outage of the store', () => {
    beforeAll(async () => {
      billedCu = await chargedInAll(gateway, gateway.gatewayJson.demo_account);
    });

    test('before the node is asked: 503, unbilled, and the node never hears of it', async () => {
      let asked = 0;
      let refused: Awaited<ReturnType<typeof send>> | undefined;
      // A key is remembered for some seconds, in which a busy machine may not come so far: again until one is.
      await until(async () => {
        signalStore('SIGCONT');
        await untilServed();
        await untilCharged();
        signalStore('SIGSTOP');
        asked = node.requests.length;
        refused = await send();
        return refused.body.id === 7;
      });
      if (refused === undefined) throw new Error('no call was made');
      expectUnavailable(refused, 7);
      expectUnavailable(await send(`rgw_${'5'.repeat(64)}`), null);
      expect(node.requests).toHaveLength(asked);
      signalStore('SIGCONT');
      await untilServed();
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
      for (let delivery = 1; delivery <= 2; delivery += 1) await sendMessage(gateway, lane);
      billedCu += RAW_TRANSACTION_CU;
      await untilCharged();
    });

    test('a store that dies after the node has answered is started again, and the charge is made', async () => {
      node.script((request, response) => {
        signalStore('SIGKILL');
        answered(request, response);
      });
      const { response, body } = await send();
      expect(body).toEqual({ jsonrpc: '2.0', id: 7, result: '0x1' });
      expect(response.headers.get('x-cu-billed')).toBe(String(RAW_TRANSACTION_CU));
      await untilServed();
      await untilCharged();
    });

    test('and the books balance', async () => {
      expect(await operate(gateway, 'audit')).toMatchObject({ ok: true });
      expect(gateway.logs()).not.toContain('charge_lost');
      expect(gateway.logs()).not.toMatch(/rgw_[0-9a-f]{64}/);
    });
  });

  describe('the end of a run', () => {
    beforeAll(() => {
      nodeDelayMs = NODE_DELAY_MS;
    });

    async function sendPlain(): Promise<Response> {
      return fetch(`${gateway.baseUrl}/v1/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
        body: '{"jsonrpc":"2.0","id":7,"method":"eth_sendRawTransaction","params":["0x00"]}',
      });
    }

    const charged = (least?: number) => chargedInAll(gateway, gateway.gatewayJson.demo_account, least);

    /** Calls from several clients, ends the gateway meanwhile, and resolves with what the answers were billed. */
    async function callUntilGone(signal: 'SIGINT' | 'SIGKILL'): Promise<number> {
      let answers = 0;
      let billedCu = 0;
      const client = async () => {
        for (;;) {
          const response = await sendPlain().catch(() => undefined);
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

    const ends = [
      { signal: 'SIGINT', lost: 'atEnd' },
      { signal: 'SIGKILL', lost: 'atKill' },
    ] as const;
    test.each(ends.slice(isAtLength ? 0 : 1))(
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
        expect(await operate(gateway, 'audit')).toMatchObject({ ok: true });
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
      const answer = sendPlain();
      await Promise.race([asked, answer]);
      const killed = functionProcesses();
      for (const id of killed) process.kill(id, 'SIGKILL');
      const response = await answer;
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject(UNREACHABLE);
      // The run has noticed the end of each once its process is no more.
      await until(() => !killed.some((id) => existsSync(`/proc/${id}`)));
      const next = await sendPlain();
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
});

describe('requests that share an environment', testInstances);
