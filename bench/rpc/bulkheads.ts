/**
 * What clients of two chains notice of a third whose node no longer answers, through a local run whose JSON-RPC function
 * has twelve instances. `npm run bench -- bulkheads [--seconds N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningGateway } from '../../test/end-to-end/running-gateway.ts';
import { answering, stalling } from '../../test/nodes/replies.ts';
import { startScriptedNode } from '../../test/nodes/scripted-node.ts';
import { runBenchmark } from '../benchmark.ts';
import { countsOf, quantile } from '../figures.ts';
import { chainsAt, withGateway } from '../stage.ts';

const DEFAULT_SECONDS = 12;
const INSTANCES = 12;
const CLIENTS = { stalling: 20, second: 2, third: 2 };
type Chain = keyof typeof CLIENTS;
const CHAINS = Object.keys(CLIENTS) as Chain[];
const OTHERS: readonly Chain[] = ['second', 'third'];
/** Between the calls of a client. */
const PAUSE_MS = 2_000;
/** Time in which all instances come to know that the chain is silent. */
const KNOWN_MS = 8_000;
const RECOVERY_MS = 8_000;
const MAX_P99_RATIO = 1.2;
const MAX_STALLED_MS = 2_000;
const MAX_RECOVERY_MS = 5_000;

/** A call, as its client saw it. Times in milliseconds. */
interface Seen {
  readonly chain: Chain;
  readonly sentAt: number;
  readonly ms: number;
  readonly isServed: boolean;
  readonly outcome: string;
}

async function call(gateway: RunningGateway, chain: Chain): Promise<Seen> {
  const sentAt = performance.now();
  const response = await fetch(`${gateway.baseUrl}/v1/${chain}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}',
  });
  const { error } = (await response.json()) as { readonly error?: { readonly message: string } };
  const outcome = `${response.status} ${error?.message ?? 'served'}`;
  return { chain, sentAt, ms: performance.now() - sentAt, isServed: error === undefined, outcome };
}

/** All clients, one call after the other each, for a time. */
async function load(gateway: RunningGateway, ms: number): Promise<readonly Seen[]> {
  const until = performance.now() + ms;
  const seen: Seen[] = [];
  const client = async (chain: Chain) => {
    await sleep(Math.random() * PAUSE_MS);
    while (performance.now() < until) {
      seen.push(await call(gateway, chain));
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(CHAINS.flatMap((chain) => Array.from({ length: CLIENTS[chain] }, () => client(chain))));
  return seen;
}

function latencies(seen: readonly Seen[], chains: readonly Chain[]): readonly number[] {
  return seen
    .filter(({ chain }) => chains.includes(chain))
    .map(({ ms }) => ms)
    .sort((one, other) => one - other);
}

/** Outcomes of the clients' requests, by chain. */
function outcomesOf(seen: readonly Seen[]) {
  return countsOf(
    'outcome',
    seen.map(({ chain, outcome }) => `${chain}: ${outcome}`),
  );
}

await runBenchmark({ seconds: DEFAULT_SECONDS }, async (show, { seconds }) => {
  const measuredMs = seconds * 1_000;
  const answer = answering(({ method }) => ({ result: method === 'eth_syncing' ? 'false' : '"0x1"' }));
  let isStalled = false;
  const [stallingNode, healthy] = await Promise.all([
    startScriptedNode((request, response) => (isStalled ? stalling : answer)(request, response)),
    startScriptedNode(answer),
  ]);
  const stage = {
    chains: chainsAt({ stalling: stallingNode.url, second: healthy.url, third: healthy.url }),
    functions: { rpc: { reservedConcurrency: INSTANCES } },
    database: { enabled: false },
  };
  await withGateway(stage, async (gateway) => {
    await load(gateway, KNOWN_MS);
    const usual = await load(gateway, measuredMs);
    isStalled = true;
    show('From the moment at which the node stalls', outcomesOf(await load(gateway, KNOWN_MS)));
    const stalled = await load(gateway, measuredMs);
    isStalled = false;
    const recoveredAt = performance.now();
    const recovering = await load(gateway, RECOVERY_MS);
    const failures = recovering.filter(({ chain, isServed }) => chain === 'stalling' && !isServed);
    const lastFailure = Math.max(recoveredAt, ...failures.map(({ sentAt }) => sentAt));
    const compare = (share: number) => ({
      value: quantile(latencies(stalled, OTHERS), share),
      unit: 'ms',
      baseline: { name: 'all healthy', value: quantile(latencies(usual, OTHERS), share) },
    });
    const unserved = stalled.filter(({ chain, isServed }) => chain !== 'stalling' && !isServed);
    const ofStalled = latencies(stalled, ['stalling']);
    show('One of three chains stalls', [
      { name: 'the others, p50', ...compare(0.5) },
      { name: 'the others, p99', ...compare(0.99), mostRatio: MAX_P99_RATIO },
      { name: 'the others, not served', value: unserved.length, unit: 'calls', most: 0 },
      { name: 'calls of the one that stalls', value: ofStalled.length, unit: '' },
      { name: 'p50 of these', value: quantile(ofStalled, 0.5), unit: 'ms' },
      { name: 'slowest of these', value: quantile(ofStalled, 1), unit: 'ms', most: MAX_STALLED_MS },
      ...outcomesOf(stalled),
      { name: 'served again after', value: lastFailure - recoveredAt, unit: 'ms', most: MAX_RECOVERY_MS },
    ]);
  }).finally(() => Promise.all([stallingNode.close(), healthy.close()]));
});
