import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Figure, median } from '../figures.ts';
import { withGateway } from '../stage.ts';
import { sendLoad } from './rpc-load.ts';
import { BATCH, SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';
import { EACH_STORED, GROUPS_AHEAD, type MeteringMode, rpcStage, type Stage } from './rpc-stage.ts';
import { beside, compare, type ServerProcess, startFunction, startProxy } from './rpc-ways.ts';

/** Fresh processes of each kind; they take turns. */
const PROCESSES = 9;
/** What the Lambda runtime has defined before it loads a function that streams. */
const RUNTIME_GLOBALS =
  'globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} };';
const EMPTY_SCRIPT = `${RUNTIME_GLOBALS} console.log(performance.now());`;
/** Loads the function, and prints the processor time that it takes, in milliseconds. */
const LOADING_SCRIPT = `${RUNTIME_GLOBALS}
const before = process.cpuUsage();
require(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1_000);
process.exit();`;
/** Most processor time that loading the function and its layer may take, in milliseconds. */
const MOST_LOADING_MS = 90;
const TURNS = { rounds: 3, roundMs: 700 };
/** Least requests a second at 16 at a time, as a share of the bare proxy's. */
const MODES: readonly { readonly mode: MeteringMode; readonly busyShare: number }[] = [
  { mode: EACH_STORED, busyShare: 0.2 },
  { mode: GROUPS_AHEAD, busyShare: 0.4 },
];
/** Just under what a chain lets pass by default, with the envelope around it. */
export const RESULT_BYTES = 32 * 2 ** 20 - 4_096;
/** Time of small requests before the large one, so that what the function keeps anyway is there. */
const SMALL_MS = 1_500;
/** Less than the large request takes, so that there is one. */
const ONE_REQUEST_MS = 5;
const MOST_RESULTS = 3;
const MIB = 2 ** 20;
/** What `npm start` serves eight clients, at least, as a share of the bare proxy. */
const LOCAL_MODES: readonly { readonly mode: MeteringMode; readonly leastRatio: number }[] = [
  { mode: EACH_STORED, leastRatio: 0.105 },
  { mode: GROUPS_AHEAD, leastRatio: 0.225 },
];
const LOCAL_CLIENTS = 8;
/** The first requests start the function's processes and compile their code. */
const LOCAL_WARM_UP_MS = 8_000;
const LOCAL_ROUND_MS = 1_000;
const LOCAL_ROUNDS = 3;

/** Time from the start of a process to its end, with the function and its layer loaded, beside an empty script. */
export async function measureLoading(stage: Stage): Promise<Figure[]> {
  const environment = await stage.environment();
  const emptyMs: number[] = [];
  const wholeMs: number[] = [];
  const loadingMs: number[] = [];
  for (let round = 0; round < PROCESSES; round += 1) {
    emptyMs.push((await timeProcess(EMPTY_SCRIPT, stage, environment)).wallMs);
    const loading = await timeProcess(LOADING_SCRIPT, stage, environment);
    wholeMs.push(loading.wallMs);
    loadingMs.push(loading.printed);
  }
  const baseline = { name: 'empty script', value: median(emptyMs) };
  return [
    { name: 'process that loads function and layer', value: median(wholeMs), unit: 'ms', baseline },
    { name: 'processor time of require()', value: median(loadingMs), unit: 'ms', most: MOST_LOADING_MS },
  ];
}

/** Runs a script as CommonJS in the environment of the function. `printed`: the number that it printed. */
async function timeProcess(script: string, { rpc }: Stage, env: Readonly<Record<string, string>>) {
  const startedMs = performance.now();
  const bundle = join(rpc.codeFolder, 'index.js');
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, bundle], { env });
  return { wallMs: performance.now() - startedMs, printed: Number(stdout) };
}

/** Processor time of a request and requests a second, of the function in each metering mode and of the bare proxy. */
export async function measureBundle(stage: Stage, proxy: ServerProcess): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { mode, busyShare } of MODES) {
    const lambda = await startFunction(stage, { mode });
    try {
      for (const [kind, body] of Object.entries({ 'single call': SINGLE_CALL, '100-call batch': BATCH }))
        for (const clients of [1, 16]) {
          const rounds = await compare({ lambda, proxy, apiKey: stage.apiKey }, { body, clients }, TURNS);
          const name = `${kind}, ${clients} at a time, ${mode.name}`;
          const isJudged = body === SINGLE_CALL && clients > 1;
          figures.push(beside(`${name}: CPU`, rounds, 'cpuMs', 'ms'), {
            ...beside(`${name}: requests`, rounds, 'perSecond', '/s'),
            ...(isJudged && { leastRatio: busyShare }),
          });
        }
    } finally {
      await lambda.close();
    }
  }
  return figures;
}

/** Peak memory of a large result above the idle function, for each coding of the response in a process of its own. */
export async function measureMemory(stage: Stage): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const encoding of ['identity', 'br', 'gzip']) {
    const lambda = await startFunction(stage);
    try {
      const { url } = await lambda.ask({});
      const headers = { 'x-api-key': stage.apiKey, 'accept-encoding': encoding };
      const load = (body: string, durationMs: number) =>
        sendLoad({ url: `${url}/v1/`, headers, body, clients: 1, durationMs });
      await load(SINGLE_CALL, SMALL_MS);
      const idle = (await lambda.ask({})).residentBytes;
      await load(TRACE_CALL, ONE_REQUEST_MS);
      figures.push({
        name: `${encoding}: one result`,
        value: ((await lambda.ask({})).peakBytes - idle) / MIB,
        unit: 'MiB',
        baseline: { name: 'result', value: RESULT_BYTES / MIB },
        mostRatio: MOST_RESULTS,
      });
    } finally {
      await lambda.close();
    }
  }
  return figures;
}

/** Requests a second of eight clients through all that `npm start` runs, beside a proxy that is as new. */
export async function measureLocalRun(nodeUrl: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { mode, leastRatio } of LOCAL_MODES) {
    const proxy = startProxy(nodeUrl);
    await withGateway(rpcStage(nodeUrl, mode), async ({ baseUrl, apiKey }) => {
      const { url: proxyUrl } = await proxy.ask({});
      const rateOf = async (url: string, durationMs: number) => {
        const headers = { 'x-api-key': apiKey };
        const load = { url, headers, body: SINGLE_CALL, clients: LOCAL_CLIENTS, durationMs };
        const { wallMs, latenciesMs } = await sendLoad(load);
        return (latenciesMs.length * 1_000) / wallMs;
      };
      await rateOf(`${baseUrl}/v1/`, LOCAL_WARM_UP_MS);
      const rates: { gateway: number; proxy: number }[] = [];
      for (let round = 0; round < LOCAL_ROUNDS; round += 1)
        rates.push({
          proxy: await rateOf(proxyUrl, LOCAL_ROUND_MS),
          gateway: await rateOf(`${baseUrl}/v1/`, LOCAL_ROUND_MS),
        });
      figures.push({
        name: `single call, ${LOCAL_CLIENTS} at a time, ${mode.name}: requests`,
        value: median(rates.map(({ gateway }) => gateway)),
        unit: '/s',
        baseline: { name: 'bare proxy', value: median(rates.map((rate) => rate.proxy)) },
        leastRatio,
      });
    }).finally(proxy.close);
  }
  return figures;
}
