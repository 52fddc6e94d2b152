import { setTimeout as sleep } from 'node:timers/promises';
import type { StageConfigInput } from '../../../lib/config/stage-config.ts';
import { pickPort } from '../../../local/processes/free-port.ts';
import { answering, type RawResponse, type ReceivedCall, stalling } from '../../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { type RunningGateway, startGateway, stopGateways } from '../running-gateway.ts';

/** Several chains behind the running stack, each with its own trouble. */
export function testUpstreams(): void {
  const HEAD = 1_000;
  const WINDOW_BLOCKS = 128;
  const REQUESTS = 20;
  /** Instances of the JSON-RPC function, and clients of a chain that stalls: more than there are instances. */
  const INSTANCES = 6;
  const STALLED_CLIENTS = 8;
  const CLIENT_PAUSE_MS = 150;
  /** Longer than a process takes the head that it knows for the present one. */
  const QUIET_MS = 2_500;
  /** Answers of one kind in a row, by which a client knows how a chain is. */
  const IN_A_ROW = 5;
  const PATIENCE_MS = 100_000;
  const HASH = `0x${'ab'.repeat(32)}`;

  interface JsonBody {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  }

  /** What a client is told, with the status of the response. */
  interface Reached {
    readonly status: number;
    readonly told: unknown;
    readonly billed: string | null;
  }

  const hex = (number: number) => `0x${number.toString(16)}`;

  /** A node that knows its head and no transaction. */
  function respond({ method, params }: ReceivedCall): RawResponse {
    switch (method) {
      case 'eth_blockNumber':
        return { result: JSON.stringify(hex(HEAD)) };
      case 'eth_syncing':
        return { result: 'false' };
      case 'debug_traceTransaction':
        return { error: '{"code":-32000,"message":"transaction not found"}' };
      case 'debug_traceBlockByNumber':
        return { error: `{"code":-32000,"message":"block #${params?.[0]} not found"}` };
      default:
        return { result: '"0x1"' };
    }
  }

  function syncing(call: ReceivedCall): RawResponse {
    return call.method === 'eth_syncing'
      ? { result: '{"startingBlock":"0x0","currentBlock":"0x5","highestBlock":"0x3e8"}' }
      : respond(call);
  }

  /** A node of another chain than all the others. */
  function foreign({ method }: ReceivedCall): RawResponse {
    return { result: method === 'eth_syncing' ? 'false' : '"0xaa36a7"' };
  }

  function stage(
    chains: Readonly<Record<string, StageConfigInput['chains'][number]['upstreams']>>,
  ): StageConfigInput {
    return {
      stage: 'local',
      chains: Object.entries(chains).map(([chain, upstreams], index) => ({
        chain,
        name: chain,
        chainId: 1,
        default: index === 0,
        upstreams,
        privateUpstreams: true,
        stateWindowBlocks: WINDOW_BLOCKS,
      })),
      plans: { standard: { bucketCapacity: 1_000_000, refillPerSecond: 300 } },
      defaultPlan: 'standard',
      upstreamTimeoutMs: 6_000,
      functions: { rpc: { reservedConcurrency: INSTANCES } },
      database: { enabled: false },
      alarms: { enabled: false },
      removal: 'destroy',
    };
  }

  /** A node of a chain with a block a second, which it has so much later than the chain. */
  function growing(lateMs: number) {
    return ({ method }: ReceivedCall): RawResponse => {
      const seconds = Math.floor((Date.now() - lateMs) / 1_000);
      if (method === 'eth_getBlockByNumber') {
        const block = { number: hex(seconds), hash: HASH, parentHash: HASH, timestamp: hex(seconds) };
        return { result: JSON.stringify(block) };
      }
      if (method === 'eth_blockNumber') return { result: JSON.stringify(hex(seconds)) };
      return { result: method === 'eth_syncing' ? 'false' : '"0x1"' };
    };
  }

  /** Several chains behind the running stack, each with its own trouble. */
  describe('chains and their upstreams', () => {
    let nodes: Readonly<
      Record<
        'failing' | 'well' | 'syncing' | 'pausing' | 'foreign' | 'early' | 'late' | 'patient',
        ScriptedNode
      >
    >;
    let pauses = false;
    /** Questions that the patient node answers once it has got the call of a client, while it is told to wait for that. */
    let held: (() => void)[] | undefined;
    let gateway: RunningGateway;

    beforeAll(async () => {
      const [failing, well, syncingNode, pausing, foreignNode, early, late, patient] = await Promise.all([
        startScriptedNode((_request, response) => response.writeHead(503).end()),
        startScriptedNode(answering(respond)),
        startScriptedNode(answering(syncing)),
        startScriptedNode((request, response) =>
          pauses ? stalling(request, response) : answering(respond)(request, response),
        ),
        startScriptedNode(answering(foreign)),
        startScriptedNode(answering(growing(0))),
        startScriptedNode(answering(growing(600))),
        startScriptedNode((request, response) => {
          const give = () => answering(growing(0))(request, response);
          if (request.body.includes('latest') && held !== undefined) held.push(give);
          else give();
        }),
      ]);
      nodes = { failing, well, syncing: syncingNode, pausing, foreign: foreignNode, early, late, patient };
      const dead = `http://127.0.0.1:${await pickPort()}`;
      gateway = await startGateway({
        config: stage({
          mixed: [{ url: dead, name: 'dead' }, { url: failing.url, weight: 2 }, well.url],
          preferred: [{ url: dead }, { url: well.url, priority: 1 }],
          syncing: [syncingNode.url],
          pausing: [pausing.url],
          mistaken: [{ url: foreignNode.url, name: 'foreign' }, well.url],
          foreign: [foreignNode.url],
          apart: [early.url, late.url],
          patient: [patient.url],
        }),
      });
    });

    afterAll(async () => {
      await stopGateways();
      await Promise.all(Object.values(nodes ?? {}).map((node) => node.close()));
    });

    async function send(chain: string, method: string, params: readonly unknown[] = []) {
      const response = await fetch(`${gateway.baseUrl}/v1/${chain}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      expect(response.status).toBe(200);
      const { result, error } = (await response.json()) as JsonBody;
      return {
        result,
        error,
        cost: response.headers.get('x-cu-cost'),
        billed: response.headers.get('x-cu-billed'),
      };
    }

    test.each(['mixed', 'preferred'])('clients of %s do not notice the nodes that fail', async (chain) => {
      for (let request = 0; request < REQUESTS; request++) {
        const { result } = await send(chain, 'eth_gasPrice', [request]);
        expect(result).toBe('0x1');
      }
      expect(nodes.failing.requests.length).toBeLessThan(REQUESTS / 2);
    });

    test('a transaction goes to one node that can be reached, once', async () => {
      const received = () =>
        nodes.well.requests.filter(({ body }) => body.includes('eth_sendRawTransaction')).length;
      const before = received();
      await send('preferred', 'eth_sendRawTransaction', ['0x00']);
      expect(received()).toBe(before + 1);
    });

    test('what a syncing chain cannot answer is refused before it costs anything, and the rest passes', async () => {
      expect(await send('syncing', 'eth_call', [{}, 'latest'])).toMatchObject({
        error: { code: -32010, message: 'node is syncing; latest-state calls are temporarily unavailable' },
        cost: '0',
        billed: '0',
      });
      expect((await send('syncing', 'eth_chainId')).result).toBe('0x1');
      expect((await send('syncing', 'eth_getBlockByNumber', ['0x1', false])).result).toBe('0x1');
      expect((await send('mixed', 'eth_call', [{}, 'latest'])).result).toBe('0x1');
    });

    test('state that nodes no longer have is refused before it costs anything', async () => {
      expect(await send('mixed', 'eth_getBalance', [HASH, hex(HEAD - WINDOW_BLOCKS)])).toMatchObject({
        error: {
          code: -32011,
          message: 'historical state is not available beyond the most recent 128 blocks',
        },
        cost: '0',
        billed: '0',
      });
      expect((await send('mixed', 'eth_getBalance', [HASH, hex(HEAD - WINDOW_BLOCKS + 1)])).result).toBe(
        '0x1',
      );
    });

    test('a trace of what there is not is told in one way, unbilled', async () => {
      expect(await send('mixed', 'debug_traceTransaction', [HASH])).toMatchObject({
        error: { code: -32000, message: 'transaction not found' },
        billed: '0',
      });
      expect(await send('mixed', 'debug_traceBlockByNumber', [hex(HEAD + 100)])).toMatchObject({
        error: { code: -32000, message: 'block not found' },
        billed: '0',
      });
    });

    test('a node of another chain serves no request, while others do', async () => {
      for (let request = 0; request < REQUESTS; request++) {
        expect((await send('mistaken', 'eth_gasPrice', [request])).result).toBe('0x1');
      }
      expect(gateway.logs()).toMatch(
        /"event":"upstream_wrong_chain".*"chain":"mistaken","upstream":"foreign".*11155111, not 1"/,
      );
    });

    test.each(['eth_gasPrice', 'eth_blockNumber', 'net_version', 'eth_sendRawTransaction'])(
      'if there is no other, %s fails, unbilled',
      async (method) => {
        for (const _ of [1, 2]) {
          expect(await send('foreign', method)).toMatchObject({
            error: { code: -32000, message: 'upstream unavailable' },
            billed: '0',
          });
        }
        expect(nodes.foreign.requests.filter(({ body }) => body.includes('eth_send'))).toEqual([]);
      },
    );

    testAtLength(
      'the head that a key is given does not go back, whatever process and node answer',
      async () => {
        let isOver = false;
        const others = Array.from({ length: 3 }, async () => {
          for (; !isOver; await sleep(CLIENT_PAUSE_MS)) await send('apart', 'eth_gasPrice');
        });
        const heads: number[] = [];
        for (let asked = 0; asked < 30; asked++) {
          const { result } = await send(
            'apart',
            asked % 2 === 0 ? 'eth_blockNumber' : 'eth_getBlockByNumber',
            ['latest', false],
          );
          heads.push(Number(asked % 2 === 0 ? result : (result as { number: string }).number));
          await sleep(CLIENT_PAUSE_MS);
        }
        isOver = true;
        await Promise.all(others);
        expect(heads).toEqual(heads.toSorted((one, other) => one - other));
        expect(new Set(heads).size).toBeGreaterThan(2);
      },
    );

    testAtLength(
      'a process that was quiet sends a call before its question for the head is answered',
      async () => {
        for (let asked = 0; asked < 3; asked++) await send('patient', 'eth_getBalance', [HASH, 'latest']);
        await sleep(QUIET_MS);
        const questions: (() => void)[] = [];
        held = questions;
        const calls = () =>
          nodes.patient.requests.filter(({ body }) => body.includes('eth_estimateGas')).length;
        const answered = send('patient', 'eth_estimateGas', [{}, 'pending']);
        while (calls() === 0) await sleep(1);
        const unanswered = questions.length;
        held = undefined;
        for (const give of questions) give();
        expect((await answered).result).toBe('0x1');
        expect(unanswered).toBeLessThanOrEqual(1);
      },
    );

    /** Sends calls one after the other until so many answers in a row are as they are wanted. */
    async function sendUntil(chain: string, isWanted: (response: Reached) => boolean): Promise<Reached[]> {
      const responses: Reached[] = [];
      for (let inARow = 0; inARow < IN_A_ROW; ) {
        const response = await reach(chain);
        responses.push(response);
        inARow = isWanted(response) ? inARow + 1 : 0;
        await sleep(CLIENT_PAUSE_MS);
      }
      return responses;
    }

    /** A call as a client of many sees it, whatever its status is. */
    async function reach(chain: string): Promise<Reached> {
      const response = await fetch(`${gateway.baseUrl}/v1/${chain}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}',
      });
      const { result, error } = (await response.json()) as JsonBody;
      return {
        status: response.status,
        told: error?.message ?? result,
        billed: response.headers.get('x-cu-billed'),
      };
    }

    testAtLength(
      'a chain that stalls is refused, unbilled, while others are served, and is served as soon as it answers',
      async () => {
        const isServed = ({ status, told }: Reached) => status === 200 && told === '0x1';
        const clients = (isWanted: (response: Reached) => boolean) =>
          Promise.all(Array.from({ length: STALLED_CLIENTS }, () => sendUntil('pausing', isWanted)));
        await sendUntil('pausing', isServed);
        pauses = true;
        let areOthersServed = false;
        const stalled = clients(({ status }) => areOthersServed && status === 200);
        await Promise.all(['preferred', 'mistaken'].map((chain) => sendUntil(chain, isServed)));
        areOthersServed = true;
        const responses = (await stalled).flat().filter(({ status }) => status === 200);
        expect(new Set(responses.map(({ billed }) => billed))).toEqual(new Set(['0']));
        const told = new Set(responses.map(({ told }) => told));
        expect(told).toContain('gateway overloaded, retry later');
        expect([...told].filter((one) => one !== 'no response from upstream')).toHaveLength(1);
        pauses = false;
        await clients(isServed);
      },
      PATIENCE_MS,
    );

    test('logs name the upstream that failed, and no URL', () => {
      expect(gateway.logs()).toMatch(/"event":"upstream_failed".*"upstream":"dead"/);
      expect(gateway.logs()).not.toContain(nodes.failing.url);
      expect(gateway.logs()).not.toContain(nodes.foreign.url);
    });
  });
}
