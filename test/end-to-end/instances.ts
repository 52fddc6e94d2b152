import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesMentioning } from '../local/processes.ts';
import { describeAtLength } from '../support/at-length-tests.ts';
import { untilTrue } from '../support/until-true.ts';
import { type HoldingNode, LARGE_METHOD, startHoldingNode } from './nodes/holding-node.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { chargedSoFar } from './operator/charged-cu.ts';
import { type RunningGateway, START_TIMEOUT_MS, startGateway, stopGateways } from './running-gateway.ts';

/** A function on instances takes 64 requests in an environment, and loses no charge. */
export function testInstances(): void {
  const LOOK_INTERVAL_MS = 50;
  const WITHIN_MS = 30_000;
  const REQUESTS = 64;
  const LARGE_BYTES = 9_000_000;
  /** Time for which a request holds its place behind its answer, at the most. */
  const TAIL_MS = 1_500;
  const RAW_TRANSACTION_CU = 30;
  /** Above the time that 64 requests take to get under way on a busy machine. */
  const UPSTREAM_TIMEOUT_MS = 20_000;
  /** So many that one key may have all these requests wait, for as long as a busy machine takes. */
  const MAX_ENVIRONMENTS = 64;
  /** Each has few of the requests, so that none is refused for the sake of the others. */
  const CHAINS = ['one', 'two', 'three', 'four'];

  interface Answered {
    readonly status: number;
    readonly answer: unknown;
  }

  /** A stage whose JSON-RPC function runs on instances, at a node that answers when it is told to. */
  describeAtLength('a function on instances', () => {
    let node: HoldingNode;
    let gateway: RunningGateway;
    /** What all answers so far said that they were billed. */
    let billedCu = 0;
    let sent = 0;

    beforeAll(async () => {
      node = await startHoldingNode();
      const { chains: [chain] = [], ...stage } = nodeStage(node.url);
      if (chain === undefined) throw new Error('the stage has no chain');
      gateway = await startGateway({
        config: {
          ...stage,
          chains: CHAINS.map((name, index) => ({ ...chain, chain: name, default: index === 0 })),
          plans: { standard: { bucketCapacity: 1_000_000, refillPerSecond: 10_000 } },
          upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
          functions: { rpc: { hosting: 'instances', environments: { min: 1, max: MAX_ENVIRONMENTS } } },
        },
      });
    }, START_TIMEOUT_MS);

    afterAll(async () => {
      node?.release();
      await stopGateways();
      await node?.close();
    });

    /** Process ids of the environments of this run. */
    const environments = () =>
      processesMentioning('functions/threads.ts').filter((pid) =>
        readlinkSync(`/proc/${pid}/cwd`).startsWith(gateway.dataDir),
      );

    /** Sends a transaction, which is asked of the node once whatever happens. */
    async function send(): Promise<Answered> {
      sent += 1;
      const chain = CHAINS[sent % CHAINS.length];
      const response = await fetch(`${gateway.baseUrl}/v1/${chain}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
        body: `{"jsonrpc":"2.0","id":${sent},"method":"eth_sendRawTransaction","params":["0x${String(sent).padStart(8, '0')}"]}`,
      });
      billedCu += Number(response.headers.get('x-cu-billed') ?? 0);
      return { status: response.status, answer: await response.json() };
    }

    const hold = (count: number) => node.hold(count, send);

    const chargedCu = () => chargedSoFar(gateway, gateway.gatewayJson.demo_account);

    function until(condition: () => boolean | Promise<boolean>): Promise<void> {
      return untilTrue(condition, {
        withinMs: WITHIN_MS,
        everyMs: LOOK_INTERVAL_MS,
        failure: () => `in vain:\n${gateway.logs().slice(-5_000)}`,
      });
    }

    test('serves 64 requests in one environment, the 65th in a second one, and the 129th in a third', async () => {
      expect((await send()).status).toBe(200);
      await sleep(TAIL_MS);
      const requests = await hold(REQUESTS);
      expect(environments()).toHaveLength(1);
      const next = [...(await hold(1)), ...(await hold(REQUESTS - 1))];
      expect(environments()).toHaveLength(2);
      next.push(...(await hold(1)));
      expect(environments()).toHaveLength(3);
      node.release();
      const answers = await Promise.all([...requests, ...next]);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(billedCu).toBe((1 + answers.length) * RAW_TRANSACTION_CU);
    });

    test('serves quick requests beside one that the node holds back, and one whose client does not read on', async () => {
      const [slow] = await hold(1);
      const large = await fetch(`${gateway.baseUrl}/v1/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
        body: `{"jsonrpc":"2.0","id":1,"method":"${LARGE_METHOD}","params":["0x${'ab'.repeat(32)}"]}`,
      });
      const billed = Number(large.headers.get('x-cu-billed'));
      expect([large.status, billed]).toEqual([200, expect.any(Number)]);
      billedCu += billed;
      const quick = await Promise.all(Array.from({ length: REQUESTS - 2 }, () => send()));
      expect(quick.filter(({ status }) => status !== 200)).toEqual([]);
      expect((await large.text()).length).toBeGreaterThan(LARGE_BYTES);
      node.release();
      expect(await slow).toMatchObject({ status: 200 });
      await until(async () => (await chargedCu()) === billedCu);
    });

    test.each(['SIGTERM', 'SIGKILL'] as const)(
      'loses no charge that is a second old when it gets %s in the middle of requests',
      async (signal) => {
        for (let request = 0; request < 5; request++) expect((await send()).status).toBe(200);
        await until(async () => (await chargedCu()) === billedCu);
        const requests = await hold(REQUESTS);
        const before = environments();
        for (const pid of before) process.kill(pid, signal);
        const answers = await Promise.all(requests);
        node.forget();
        for (const { status, answer } of answers) {
          expect(status).toBe(502);
          expect(answer).toMatchObject({ error: { code: -32_030 } });
        }
        expect(await chargedCu()).toBe(billedCu);
        expect((await send()).status).toBe(200);
        expect(environments().filter((pid) => before.includes(pid))).toEqual([]);
      },
    );
  });
}
