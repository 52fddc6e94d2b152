/**
 * What clients notice of a node that stalls: latencies over three nodes on HTTP, all healthy and with one that no
 * longer answers. `npm run bench -- upstreams [--calls N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { dispatch } from '../../lambdas/shared/upstream/asking/dispatch.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { connectNode } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { answering, stalling } from '../../test/nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../../test/nodes/scripted-node.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, quantile } from '../figures.ts';

const DEFAULT_CALLS = 5_000;
const CLIENTS = 4;
const NODES = 3;
const TIMEOUT_MS = 20_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Latency of a node: so much, up to as much again, and for some responses a pause on top. */
const BASE_LATENCY_MS = 5;
const PAUSE_MS = 30;
const PAUSED_SHARE = 0.02;
const MAX_P99_RATIO = 2;
const MAX_ATTEMPTS_PER_CALL = 1.2;

interface Outcome {
  /** In milliseconds, in ascending order. */
  readonly latencies: readonly number[];
  readonly failures: number;
  readonly attempts: number;
}

const answer = answering(({ method }) => ({ result: method === 'eth_syncing' ? 'false' : '"0x1"' }));

const healthy: Reply = async (request, response) => {
  const paused = Math.random() < PAUSED_SHARE ? PAUSE_MS : 0;
  await sleep(BASE_LATENCY_MS * (1 + Math.random()) + paused);
  answer(request, response);
};

/** Sends calls by several clients over nodes with these replies. */
async function measure(replies: readonly Reply[], calls: number): Promise<Outcome> {
  const servers = await Promise.all(replies.map(startScriptedNode));
  const node = connect(servers);
  const latencies: number[] = [];
  let failures = 0;
  let left = calls;
  const client = async () => {
    while (left-- > 0) {
      const startedAt = performance.now();
      const call = {
        id: Buffer.from('1'),
        method: 'eth_getBalance',
        params: Buffer.from('["0x1","latest"]'),
      };
      const [outcome] = await dispatch([call], node, systemClock.now() + TIMEOUT_MS);
      latencies.push(performance.now() - startedAt);
      if (outcome?.kind !== 'result') failures += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  node.close();
  const attempts = servers.reduce((sum, { requests }) => sum + requests.length, 0);
  await Promise.all(servers.map((server) => server.close()));
  return { latencies: latencies.sort((one, other) => one - other), failures, attempts };
}

function connect(servers: readonly ScriptedNode[]): ChainClient {
  const options = { clock: systemClock, maxResponseBytes: MAX_RESPONSE_BYTES };
  const upstreams = servers.map(({ url }, index) => ({
    name: `upstream-${index + 1}`,
    connection: connectNode({ ...options, url }),
  }));
  return createChainClient(openChainUpstreams(upstreams, options));
}

await runBenchmark({ calls: DEFAULT_CALLS }, async (show, { calls }) => {
  const usual = await measure(Array<Reply>(NODES).fill(healthy), calls);
  const stalled = await measure([stalling, ...Array<Reply>(NODES - 1).fill(healthy)], calls);
  const compare = (name: string, share: number, mostRatio?: number): Figure => ({
    name,
    value: quantile(stalled.latencies, share),
    unit: 'ms',
    baseline: { name: 'all healthy', value: quantile(usual.latencies, share) },
    ...(mostRatio !== undefined && { mostRatio }),
  });
  show('One of three nodes stalled', [
    compare('p50', 0.5),
    compare('p95', 0.95),
    compare('p99', 0.99, MAX_P99_RATIO),
    compare('slowest', 1),
    { name: 'failures', value: stalled.failures, unit: 'calls', most: 0 },
    { name: 'attempts a call', value: stalled.attempts / calls, unit: '', most: MAX_ATTEMPTS_PER_CALL },
    {
      name: 'attempts a call, all healthy',
      value: usual.attempts / calls,
      unit: '',
      most: MAX_ATTEMPTS_PER_CALL,
    },
  ]);
});
