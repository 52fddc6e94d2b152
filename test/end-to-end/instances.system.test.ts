import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesMentioning } from '../local/processes.ts';
import { result } from '../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { type RunningGateway, START_TIMEOUT_MS, startGateway, stopGateways } from './running-gateway.ts';

const LOOK_INTERVAL_MS = 50;
const WITHIN_MS = 30_000;
const REQUESTS = 64;
/** Time for which a request holds its place behind its answer, at the most. */
const TAIL_MS = 1_500;
const ANSWER = result('"0x1"');
/** So many that one key may have all these requests wait, for as long as a busy machine takes. */
const MAX_ENVIRONMENTS = 64;
/** Each has few of the requests, so that none is refused for the sake of the others. */
const CHAINS = ['one', 'two', 'three', 'four'];

/** A stage whose JSON-RPC function runs on instances, at a node that answers when it is told to. */
describe('a function on instances', () => {
  let node: ScriptedNode;
  let gateway: RunningGateway;
  /** Answers that the node holds back. */
  let held: (() => void)[] = [];
  /** What all answers so far said that they were billed. */
  let billedCu = 0;
  let sent = 0;

  beforeAll(async () => {
    node = await startScriptedNode(ANSWER);
    const { chains: [chain] = [], ...stage } = nodeStage(node.url);
    if (chain === undefined) throw new Error('the stage has no chain');
    gateway = await startGateway({
      config: {
        ...stage,
        chains: CHAINS.map((name, index) => ({ ...chain, chain: name, default: index === 0 })),
        plans: { standard: { bucketCapacity: 1_000_000, refillPerSecond: 10_000 } },
        functions: { rpc: { hosting: 'instances', environments: { min: 1, max: MAX_ENVIRONMENTS } } },
      },
    });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    release();
    await stopGateways();
    await node?.close();
  });

  /** Process ids of the environments of this run. */
  const environments = () =>
    processesMentioning('functions/threads.ts').filter((pid) =>
      readlinkSync(`/proc/${pid}/cwd`).startsWith(gateway.dataDir),
    );

  /** Sends a transaction, which is asked of the node once whatever happens. */
  async function send(): Promise<{ status: number; answer: unknown }> {
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

  /** Requests whose answers the node holds back, all of them under way when it resolves. */
  async function under(count: number): Promise<Promise<{ status: number; answer: unknown }>[]> {
    const before = held.length;
    const hold: Reply = (request, response) => held.push(() => ANSWER(request, response));
    node.script(...Array.from({ length: count }, () => hold));
    const requests = Array.from({ length: count }, () => send());
    await until(() => held.length === before + count);
    return requests;
  }

  function release(): void {
    for (const answer of held.splice(0)) answer();
  }

  async function chargedCu(): Promise<number> {
    const shown = await gateway.operator(['account', 'show', gateway.gatewayJson.demo_account, '--json']);
    return JSON.parse(shown.stdout).charged_cu;
  }

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + WITHIN_MS;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`in vain:\n${gateway.logs().slice(-5_000)}`);
      await sleep(LOOK_INTERVAL_MS);
    }
  }

  test('serves 64 requests in one environment, and starts a second for the next', async () => {
    expect((await send()).status).toBe(200);
    await sleep(TAIL_MS);
    const requests = await under(REQUESTS);
    expect(environments()).toHaveLength(1);
    const next = await under(1);
    expect(environments()).toHaveLength(2);
    release();
    const answers = await Promise.all([...requests, ...next]);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(billedCu).toBeGreaterThan(REQUESTS);
  });

  test('stores what it held back without another request', async () => {
    await until(async () => (await chargedCu()) === billedCu);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'loses no charge that is a second old when it gets %s in the middle of requests',
    async (signal) => {
      for (let request = 0; request < 5; request++) expect((await send()).status).toBe(200);
      await until(async () => (await chargedCu()) === billedCu);
      const requests = await under(REQUESTS);
      const before = environments();
      for (const pid of before) process.kill(pid, signal);
      const answers = await Promise.all(requests);
      held = [];
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
