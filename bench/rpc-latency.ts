import { startGateway } from '../test/end-to-end/running-gateway.ts';
import { type Figure, quantile } from './rpc-figures.ts';
import { sendLoad } from './rpc-load.ts';
import { BATCH, CACHED_CALL, SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';
import { stageConfig } from './rpc-stage.ts';

/** Rounds in which node, proxy and gateway take turns. */
const ROUNDS = 3;
const ROUND_MS = 1_000;
/** Enough for what answers in microseconds. */
const BASELINE_ROUND_MS = 500;
/** The first requests start the function's processes. */
const WARM_UP_MS = 1_500;
const QUANTILES = [0.5, 0.99];

interface Kind {
  readonly name: string;
  readonly body: string;
  readonly clients: number;
}

const KINDS: readonly Kind[] = [
  { name: 'single call, 1 at a time', body: SINGLE_CALL, clients: 1 },
  { name: 'single call, 8 at a time', body: SINGLE_CALL, clients: 8 },
  { name: 'cached call, 1 at a time', body: CACHED_CALL, clients: 1 },
  { name: '100-call batch, 1 at a time', body: BATCH, clients: 1 },
  { name: 'large trace, 1 at a time', body: TRACE_CALL, clients: 1 },
];

interface Server {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The three ways to one answer. */
interface Ways {
  readonly node: Server;
  readonly proxy: Server;
  readonly gateway: Server;
}

/** Latency of each kind of request through all that `npm start` runs, beside the node itself and the bare proxy. */
export async function measureLatency(nodeUrl: string, proxyUrl: string): Promise<Figure[]> {
  const gateway = await startGateway({ config: stageConfig(nodeUrl) });
  const interrupt = () => gateway.process.kill('SIGINT');
  process.once('exit', interrupt);
  const ways = {
    node: { url: nodeUrl, headers: {} },
    proxy: { url: proxyUrl, headers: {} },
    gateway: { url: `${gateway.baseUrl}/v1/`, headers: { 'x-api-key': gateway.apiKey } },
  };
  try {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(...(await compare(ways, kind)));
    return figures;
  } finally {
    process.off('exit', interrupt);
    await gateway.stop();
  }
}

async function compare({ node, proxy, gateway }: Ways, kind: Kind): Promise<Figure[]> {
  await loadOf(gateway, kind, WARM_UP_MS);
  const rounds: { node: number[]; proxy: number[]; gateway: number[] } = { node: [], proxy: [], gateway: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.node.push(...(await loadOf(node, kind, BASELINE_ROUND_MS)));
    rounds.proxy.push(...(await loadOf(proxy, kind, BASELINE_ROUND_MS)));
    rounds.gateway.push(...(await loadOf(gateway, kind, ROUND_MS)));
  }
  for (const latencies of Object.values(rounds)) latencies.sort((left, right) => left - right);
  return QUANTILES.flatMap((share) => {
    const figure = { name: `${kind.name}: p${share * 100}`, unit: 'ms' };
    const value = quantile(rounds.gateway, share);
    return [
      { ...figure, value, baseline: { name: 'node', value: quantile(rounds.node, share) } },
      { ...figure, value, baseline: { name: 'bare proxy', value: quantile(rounds.proxy, share) } },
    ];
  });
}

async function loadOf(
  server: Server,
  { body, clients }: Kind,
  durationMs: number,
): Promise<readonly number[]> {
  return (await sendLoad({ ...server, body, clients, durationMs })).latenciesMs;
}
