import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesMentioning } from '../local/processes.ts';
import { untilTrue } from '../support/until-true.ts';
import { LARGE, LARGE_METHOD, startLargeNode } from './nodes/large-node.ts';
import { nodeStage } from './nodes/node-stage.ts';
import { openAccount } from './operator/account.ts';
import { type RunningGateway, START_TIMEOUT_MS, startGateway, stopGateways } from './running-gateway.ts';

/** Clients of large results, and those beside them: together as many as an environment takes. */
const READERS = 60;
const NEIGHBOURS = 4;
const LEAST_NEIGHBOUR_CALLS = 20;
/** Time that a slow reader takes a pause before it reads, and after each piece, in milliseconds. */
const SLOW_START_MS = 3_000;
const SLOW_PIECE_MS = 5;
const MOST_RESIDENT_KB = 1_200_000;
const WITHIN_MS = 60_000;
const LOOK_INTERVAL_MS = 100;
/** What neighbours may be refused for where the machine is too slow for all of them: time, never room. */
const LATE = /"rule":"(chain|key)_waiting"|"reason":"no_upstream_response"/;
const REFUSED = new RegExp(`"rule":"large_results"|${LATE.source}`);

/** What a client of a large result has got. */
interface Got {
  readonly id: number;
  readonly status: number;
  readonly billedCu: number;
  readonly sha256: string;
  /** Absent with a result. */
  readonly error: unknown;
}

/** One environment of 64 requests, 60 of which ask for 30 MB each, at a node that has them. */
describe('large results of many clients in one environment', () => {
  let node: Awaited<ReturnType<typeof startLargeNode>>;
  let gateway: RunningGateway;
  /** Of two accounts that ask for large results: one key alone has half of the room. */
  const apiKeys: string[] = [];
  let calls = 0;

  beforeAll(async () => {
    node = await startLargeNode();
    gateway = await startGateway({
      config: {
        ...nodeStage(node.url),
        plans: { standard: { bucketCapacity: 10_000_000, refillPerSecond: 100_000 } },
        functions: {
          rpc: { hosting: 'instances', environments: { min: 1, max: 1 }, timeoutSeconds: 120 },
          data: { hosting: 'event' },
          mcp: { hosting: 'event' },
        },
      },
    });
    for (let account = 0; account < 2; account += 1)
      apiKeys.push((await openAccount(gateway, { credit: 100_000_000 })).apiKey);
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await stopGateways();
    await node?.close();
  });

  function post(apiKey: string, id: number, method: string, params: readonly unknown[]): Promise<Response> {
    return fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', 'x-api-key': apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
  }

  /** Asks for a large result that no other client asks for. */
  async function askLarge(reader: number): Promise<Got> {
    calls += 1;
    const id = calls;
    const isSlow = reader % 4 < 2;
    const apiKey = apiKeys[reader % apiKeys.length] ?? '';
    const response = await post(apiKey, id, LARGE_METHOD, [`0x${String(id).padStart(64, '0')}`]);
    if (isSlow) await sleep(SLOW_START_MS);
    const hash = createHash('sha256');
    let head = '';
    for await (const piece of response.body ?? []) {
      hash.update(piece);
      if (head.length < 1_000) head += Buffer.from(piece).toString('latin1', 0, 1_000);
      if (isSlow) await sleep(SLOW_PIECE_MS);
    }
    return {
      id,
      status: response.status,
      billedCu: Number(response.headers.get('x-cu-billed')),
      sha256: hash.digest('hex'),
      error: head.includes('"error"') ? (JSON.parse(head) as { readonly error: unknown }).error : undefined,
    };
  }

  /** Sends small calls, one after the other, as long as it is to. */
  async function sendSmall(isWanted: () => boolean): Promise<readonly unknown[]> {
    const answers: unknown[] = [];
    while (isWanted() || answers.length < LEAST_NEIGHBOUR_CALLS / NEIGHBOURS) {
      calls += 1;
      const params = [`0x${String(calls).padStart(8, '0')}`];
      const response = await post(gateway.apiKey, calls, 'eth_sendRawTransaction', params);
      const { result, error } = (await response.json()) as {
        readonly result?: unknown;
        readonly error?: unknown;
      };
      answers.push(error ?? [response.status, result]);
    }
    return answers;
  }

  /** Has all clients ask at once, and neighbours beside them. */
  async function attack(): Promise<{ readonly got: readonly Got[]; readonly beside: readonly unknown[] }> {
    let isOver = false;
    const large = Promise.all(Array.from({ length: READERS }, (_, reader) => askLarge(reader))).finally(
      () => {
        isOver = true;
      },
    );
    const small = Array.from({ length: NEIGHBOURS }, () => sendSmall(() => !isOver));
    return { got: await large, beside: (await Promise.all(small)).flat() };
  }

  /** Most resident memory that the environment has had so far, in kilobytes. */
  function peakKilobytes(): number {
    const environments = processesMentioning('functions/threads.ts').filter((pid) =>
      readlinkSync(`/proc/${pid}/cwd`).startsWith(gateway.dataDir),
    );
    expect(environments).toHaveLength(1);
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${environments[0]}/status`, 'utf8'))?.[1]);
  }

  const count = (event: string) => gateway.logs().split(`"event":"${event}"`).length - 1;

  test.each(['first', 'second'])(
    'a %s time: what is given is whole, the rest costs nothing, and neighbours are served',
    async () => {
      const overBefore = count('large_results_over');
      const { got, beside } = await attack();
      expect(peakKilobytes()).toBeLessThan(MOST_RESIDENT_KB);
      expect(beside.length).toBeGreaterThanOrEqual(LEAST_NEIGHBOUR_CALLS);
      const unserved = beside.filter((answer) => JSON.stringify(answer) !== '[200,"0x1"]');
      expect(unserved.filter((answer) => !JSON.stringify(answer).match(LATE))).toEqual([]);
      expect(beside.length).toBeGreaterThan(unserved.length);
      const whole = got.filter(({ error }) => error === undefined);
      for (const { id, status, sha256, billedCu } of whole) {
        const expected = createHash('sha256').update(`{"jsonrpc":"2.0","id":${id},"result":`);
        expect([status, sha256]).toEqual([200, expected.update(LARGE).update('}').digest('hex')]);
        expect(billedCu).toBeGreaterThan(0);
      }
      const refused = got.filter(({ error }) => error !== undefined);
      expect(refused.filter(({ billedCu }) => billedCu !== 0)).toEqual([]);
      for (const { error } of refused) expect(JSON.stringify(error)).toMatch(REFUSED);
      expect([whole.length > 0, refused.length > 0]).toEqual([true, true]);
      await untilTrue(() => count('large_results_over') > overBefore, {
        withinMs: WITHIN_MS,
        everyMs: LOOK_INTERVAL_MS,
        failure: () => `the room was not empty again:\n${gateway.logs().slice(-5_000)}`,
      });
      expect(count('large_results_refused')).toBeGreaterThan(0);
    },
  );
});
