import { type Figure, median, quantile } from '../figures.ts';
import type { ProcessState } from '../process-state.ts';
import { withGateway } from '../stage.ts';
import { type Loaded, sendLoad } from './rpc-load.ts';
import { startWorker } from './rpc-processes.ts';
import { BATCH, CACHED_CALL, SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';
import { EACH_STORED, GROUPS_AHEAD, type MeteringMode, rpcStage } from './rpc-stage.ts';

/** Rounds in which node, proxy and gateway take turns. */
const ROUNDS = 3;
const ROUND_MS = 1_000;
/** Enough for what answers in microseconds. */
const BASELINE_ROUND_MS = 500;
/** The first requests start the function's processes, for each client one or two, and compile their code. */
const WARM_UP_MS = 1_500;
const BUSY_WARM_UP_MS = 8_000;
const QUANTILES = [0.5, 0.99];
/** Requests per second of eight clients, as a share of the bare proxy's, before charges were lanes: see the README. */
const FORMER_SHARE = 0.075;
/** Least requests per second as a multiple of that, with each charge stored and with groups and draw-ahead. */
const LEAST_TIMES = { eachStored: 1.4, groupsAhead: 3 };

interface Kind {
  readonly name: string;
  readonly body: string;
  readonly clients: number;
  /** Least requests per second, as a share of the bare proxy's. */
  readonly leastShare?: number;
}

const BUSY_NAME = 'single call, 8 at a time';
const BUSY: Kind = {
  name: BUSY_NAME,
  body: SINGLE_CALL,
  clients: 8,
  leastShare: FORMER_SHARE * LEAST_TIMES.eachStored,
};
const KINDS: readonly Kind[] = [
  { name: 'single call, 1 at a time', body: SINGLE_CALL, clients: 1 },
  BUSY,
  { name: 'cached call, 1 at a time', body: CACHED_CALL, clients: 1 },
  { name: '100-call batch, 1 at a time', body: BATCH, clients: 1 },
  { name: 'large trace, 1 at a time', body: TRACE_CALL, clients: 1 },
];
/** What each run of the gateway is sent, by its metering mode. */
const RUNS: readonly { readonly mode: MeteringMode; readonly kinds: readonly Kind[] }[] = [
  { mode: EACH_STORED, kinds: KINDS },
  {
    mode: GROUPS_AHEAD,
    kinds: [
      {
        ...BUSY,
        name: `${BUSY_NAME}, ${GROUPS_AHEAD.name}`,
        leastShare: FORMER_SHARE * LEAST_TIMES.groupsAhead,
      },
    ],
  },
];

interface Server {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The three ways to one response. */
interface Ways {
  readonly node: Server;
  readonly proxy: Server;
  readonly gateway: Server;
}

/** Latency of each kind of request, and requests per second of many clients, through all that `npm start` runs, beside the node itself and the bare proxy. */
export async function measureLatency(nodeUrl: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { mode, kinds } of RUNS) figures.push(...(await measureRun(nodeUrl, mode, kinds)));
  return figures;
}

/** Each run has a proxy of its own, as new as the gateway: one that has served for long is half as fast again. */
async function measureRun(nodeUrl: string, mode: MeteringMode, kinds: readonly Kind[]): Promise<Figure[]> {
  const proxy = startWorker<object, ProcessState>('rpc-proxy.ts', { scriptArguments: [nodeUrl] });
  return withGateway(rpcStage(nodeUrl, mode), async (gateway) => {
    const ways = {
      node: { url: nodeUrl, headers: {} },
      proxy: { url: (await proxy.ask({})).url, headers: {} },
      gateway: { url: `${gateway.baseUrl}/v1/`, headers: { 'x-api-key': gateway.apiKey } },
    };
    const figures: Figure[] = [];
    for (const kind of kinds) figures.push(...(await compare(ways, kind)));
    return figures;
  }).finally(proxy.close);
}

async function compare({ node, proxy, gateway }: Ways, kind: Kind): Promise<Figure[]> {
  await loadOf(gateway, kind, kind.clients > 1 ? BUSY_WARM_UP_MS : WARM_UP_MS);
  const rounds: Record<keyof Ways, Loaded[]> = { node: [], proxy: [], gateway: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.node.push(await loadOf(node, kind, BASELINE_ROUND_MS));
    rounds.proxy.push(await loadOf(proxy, kind, BASELINE_ROUND_MS));
    rounds.gateway.push(await loadOf(gateway, kind, ROUND_MS));
  }
  const latencies = QUANTILES.flatMap((share) => {
    const figure = { name: `${kind.name}: p${share * 100}`, unit: 'ms' };
    const value = latencyOf(rounds.gateway, share);
    return [
      { ...figure, value, baseline: { name: 'node', value: latencyOf(rounds.node, share) } },
      { ...figure, value, baseline: { name: 'bare proxy', value: latencyOf(rounds.proxy, share) } },
    ];
  });
  if (kind.leastShare === undefined) return latencies;
  const requests = {
    name: `${kind.name}: requests`,
    value: rateOf(rounds.gateway),
    unit: '/s',
    baseline: { name: 'bare proxy', value: rateOf(rounds.proxy) },
    leastRatio: kind.leastShare,
  };
  return [...latencies, requests];
}

function latencyOf(rounds: readonly Loaded[], share: number): number {
  const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
  return quantile(
    latencies.sort((left, right) => left - right),
    share,
  );
}

/** Requests per second of the median round. */
function rateOf(rounds: readonly Loaded[]): number {
  return median(rounds.map(({ latenciesMs, wallMs }) => (latenciesMs.length * 1_000) / wallMs));
}

function loadOf(server: Server, { body, clients }: Kind, durationMs: number): Promise<Loaded> {
  return sendLoad({ ...server, body, clients, durationMs });
}
