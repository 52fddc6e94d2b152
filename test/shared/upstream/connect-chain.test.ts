/** Upstreams are reached by what the stage file and its secrets say at the time. */
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { NULL_ID } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { type Clock, systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { ChainSettings, UpstreamEntry } from '../../../lambdas/shared/runtime/settings.ts';
import { dispatch } from '../../../lambdas/shared/upstream/asking/dispatch.ts';
import type { ChainUpstreams } from '../../../lambdas/shared/upstream/chain-upstreams.ts';
import { connectChain, RESOLVED_MS } from '../../../lambdas/shared/upstream/connect-chain.ts';
import type { NodeRequest } from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { indexCallLines, NodeCalls } from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { sendCalls } from '../../../lambdas/shared/upstream/routing/send-calls.ts';
import { serveChain } from '../../../lambdas/shared/upstream/routing/serve-chain.ts';
import { shareChain } from '../../../lambdas/shared/upstream/sharing/share-chain.ts';
import type { SharedTextStore } from '../../../lambdas/shared/upstream/sharing/shared-item.ts';
import { answering } from '../../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';

type ConnectChainOptions = Parameters<typeof connectChain>[1];

const AMPLE_MS = 20_000;
const EMBEDDED_VARIABLE = 'EMBEDDED_UPSTREAM_EXAMPLE_MAINNET';
const CALL = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');

const CHAIN: Omit<ChainSettings, 'upstreams'> = {
  chain: 'example_mainnet',
  name: 'Example Mainnet',
  chainId: 1,
  public: true,
  default: true,
  privateUpstreams: true,
  maxLogsBlockRange: 10,
  stateWindowBlocks: 10,
  maxResponseBytes: 1_024,
};

let nodes: readonly ScriptedNode[];
/** Raw JSON of the result that each of them gives. */
let results: [string, string];
let secrets: Map<string, string>;
let failures: string[];
/** Time by which the clock is ahead of the machine's, in milliseconds. */
let aheadMs = 0;
const clock: Clock = { now: () => systemClock.now() + aheadMs };

beforeEach(async () => {
  results = ['"a"', '"b"'];
  nodes = await Promise.all([
    startScriptedNode(answering(() => ({ result: results[0] }))),
    startScriptedNode(answering(() => ({ result: results[1] }))),
  ]);
  secrets = new Map();
  failures = [];
});

afterEach(async () => {
  delete process.env[EMBEDDED_VARIABLE];
  await Promise.all(nodes.map((node) => node.close()));
});

function connect(
  upstreams: readonly UpstreamEntry[],
  chain: Partial<ChainSettings> = {},
  extra: Partial<ConnectChainOptions> = {},
): ChainUpstreams {
  return connectChain(
    { ...CHAIN, ...chain, upstreams },
    {
      clock,
      readSecret: async (name) => {
        const secret = secrets.get(name);
        if (secret === undefined) throw new Error('no such secret');
        return secret;
      },
      onFailure: (upstream, error) => failures.push(`${upstream}: ${error.message}`),
      ...extra,
    },
  );
}

/** Changes a secret, and lets the time pass after which it is looked at again. */
function changeSecret(name: string, value: string): void {
  secrets.set(name, value);
  aheadMs += RESOLVED_MS;
}

function url(node: number): string {
  return nodes[node]?.url ?? '';
}

/** The result that an upstream answers with, or the kind of its failure. */
async function ask(chain: ChainUpstreams, upstream = 0): Promise<unknown> {
  const { connection } = chain.upstreams[upstream] as ChainUpstreams['upstreams'][number];
  const request = { body: CALL, idempotent: true, deadline: clock.now() + AMPLE_MS };
  const response = await connection.post(request).catch((error: unknown) => error);
  if (response instanceof UpstreamError) return `${response.kind}, sent: ${response.sent}`;
  return JSON.parse((response as { body: Buffer }).body.toString()).result;
}

test('each upstream is reached by its own reference, once it is needed', async () => {
  changeSecret('node', url(1));
  process.env[EMBEDDED_VARIABLE] = url(1);
  const chain = connect([url(0), 'secret:node', { embedded: true }]);
  expect(nodes.map((node) => node.connectionCount())).toEqual([0, 0]);
  expect([await ask(chain, 0), await ask(chain, 1), await ask(chain, 2)]).toEqual(['a', 'b', 'b']);
  chain.close();
});

test('names, priorities and weights are those of the stage file, or the usual ones', () => {
  const chain = connect([url(0), { secret: 'node', name: 'spare', priority: 2, weight: 5 }]);
  expect(chain.upstreams.map(({ index, name, priority, weight }) => [index, name, priority, weight])).toEqual(
    [
      [0, 'upstream-1', 0, 1],
      [1, 'spare', 2, 5],
    ],
  );
});

test('headers of the stage file are sent, with what their secrets hold at the time', async () => {
  secrets.set('key', 'first');
  const chain = connect([{ url: url(0), headers: { 'x-api-key': 'secret:key', 'x-plan': 'archive' } }]);
  expect(await ask(chain)).toBe('a');
  changeSecret('key', 'second');
  expect(await ask(chain)).toBe('a');
  const sent = nodes[0]?.requests.map(({ headers }) => [
    headers['x-api-key'],
    headers['x-plan'],
    headers['content-type'],
  ]);
  expect(sent).toEqual([
    ['first', 'archive', 'application/json'],
    ['second', 'archive', 'application/json'],
  ]);
  // A value that no header can hold is sent to no node.
  changeSecret('key', 'a\nhost: b');
  expect(await ask(chain)).toBe('unreachable, sent: false');
  chain.close();
});

test('a secret that changes leads the next request elsewhere', async () => {
  secrets.set('node', url(0));
  const chain = connect([{ secret: 'node' }]);
  expect(await ask(chain)).toBe('a');
  changeSecret('node', url(1));
  expect(await ask(chain)).toBe('b');
  chain.close();
});

test('what others have found of a node stands when this process first reaches it, and ends where its URL is of another', async () => {
  secrets.set('node', url(0));
  const claim = [
    'first',
    'method',
    'net_listening',
    ...['one', 'other'].flatMap((by) => [by, Math.floor(clock.now() / 1_000)]),
  ];
  const text = JSON.stringify([claim]);
  const store: SharedTextStore = {
    read: async (name) =>
      name.startsWith('nodes ') ? { sequence: 1, toldAt: clock.now(), text } : undefined,
    write: async () => true,
  };
  const telemetry = new RecordedTelemetry();
  const upstreams = [
    { secret: 'node', name: 'first' },
    { url: url(1), name: 'second', priority: 1 },
  ];
  const chain = serveChain(
    { ...CHAIN, upstreams },
    { clock, telemetry },
    async (name) => secrets.get(name) ?? '',
    {
      share: (node) => shareChain({ chain: CHAIN.chain, node, store, telemetry }),
    },
  );
  const told = async (method: string) => {
    const call = { id: NULL_ID, method, params: Buffer.from('[]') };
    const [response] = await dispatch([call], chain, clock.now() + AMPLE_MS);
    return response?.kind === 'result' ? Buffer.from(response.result).toString() : response;
  };
  expect([await told('net_version'), await told('net_listening')]).toEqual(['"a"', '"b"']);
  changeSecret('node', `${url(0)}/other`);
  expect([await told('net_version'), await told('net_listening')]).toEqual(['"a"', '"a"']);
  chain.close();
});

test('a secret that cannot be read, or holds no URL, is a node that cannot be reached', async () => {
  const chain = connect([{ secret: 'node', name: 'primary' }]);
  expect(await ask(chain)).toBe('unreachable, sent: false');
  secrets.set('node', 'ftp://key@node');
  expect(await ask(chain)).toBe('unreachable, sent: false');
  expect(failures).toEqual(Array(2).fill('primary: upstream unreachable (NO_URL)'));
});

describe('a secret that is never read', () => {
  function post(request: Partial<NodeRequest>): Promise<unknown> {
    const chain = connect(['secret:node'], {}, { readSecret: () => new Promise(() => {}) });
    const { connection } = chain.upstreams[0] as ChainUpstreams['upstreams'][number];
    const usual = { body: CALL, idempotent: true, deadline: clock.now() + AMPLE_MS };
    return connection.post({ ...usual, ...request });
  }

  test('keeps a request no longer than its deadline', async () => {
    await expect(post({ deadline: clock.now() + 50 })).rejects.toMatchObject({
      kind: 'timeout',
      sent: false,
    });
    expect(failures).toEqual(['upstream-1: upstream timeout']);
  });

  test('keeps no request that is given up', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const given = post({ signal });
    controller.abort();
    await expect(given).rejects.toMatchObject({ kind: 'aborted', sent: false });
    await expect(post({ signal })).rejects.toMatchObject({ kind: 'aborted', sent: false });
    expect(failures).toEqual([]);
  });
});

test('a secret with the URL of a private host is no upstream, unless the chain allows it', async () => {
  secrets.set('node', url(0));
  await expect(ask(connect(['secret:node'], { privateUpstreams: false }))).resolves.toBe(
    'unreachable, sent: false',
  );
  await expect(ask(connect(['secret:node'], { privateUpstreams: undefined }))).resolves.toBe(
    'unreachable, sent: false',
  );
  expect(nodes[0]?.requests).toHaveLength(0);
  await expect(ask(connect(['secret:node']))).resolves.toBe('a');
});

test('what one node has said of its chain counts for no other that a secret leads to', async () => {
  results = ['"0x5"', '"0x7"'];
  secrets.set('node', url(0));
  const chain = connect(['secret:node'], { chainId: 5 }, { onWrongChain: () => {} });
  expect(await ask(chain)).toBe('0x5');
  changeSecret('node', url(1));
  expect(await ask(chain)).toBe('wrong_chain, sent: true');
  changeSecret('node', url(0));
  expect(await ask(chain)).toBe('0x5');
  chain.close();
});

test('a node whose chain id is not checked is not asked for it', async () => {
  const chain = connect([url(0)]);
  expect(await ask(chain)).toBe('a');
  expect(nodes[0]?.chainQuestions).toEqual([]);
  chain.close();
});

test('calls for nodes are counted one by one, also those of a batch', async () => {
  const nodeCalls = new NodeCalls();
  const chain = connect([url(0)], {}, { nodeCalls });
  const [upstream] = chain.upstreams;
  if (upstream === undefined) throw new Error('no upstream');
  const one = { id: NULL_ID, method: 'eth_gasPrice', params: Buffer.from('[]') };
  const deadline = systemClock.now() + AMPLE_MS;
  await sendCalls(upstream, { calls: [one, one, one], deadline });
  await sendCalls(upstream, { calls: [one], deadline });
  const received = (nodes[0]?.requests ?? []).flatMap(({ body }) => JSON.parse(body.toString()));
  expect(received).toHaveLength(4);
  expect(indexCallLines(nodeCalls)).toEqual([
    { values: { IndexNodeCalls: 4 }, dimensions: { Chain: 'example_mainnet' } },
  ]);
  expect(indexCallLines(nodeCalls)).toEqual([]);
  chain.close();
});
