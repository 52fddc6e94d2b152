/**
 * What metering adds to the time of a response: warm requests to the deployed function while every request to DynamoDB
 * is delayed, beside the same without the delay. `npm run bench -- metering`
 */
import { Agent, createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenLocally } from '../../local/processes/listen-locally.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, quantile } from '../figures.ts';
import { sendLoad } from './rpc-load.ts';
import { SINGLE_CALL } from './rpc-requests.ts';
import { EACH_STORED, GROUPS_AHEAD, type MeteringMode, openStage, type Stage } from './rpc-stage.ts';
import { startFunction, startStubNode } from './rpc-ways.ts';

/** Delay of each request to DynamoDB. */
const DELAY_MS = 10;
/** Rounds in which requests with and without the delay take turns. */
const ROUNDS = 3;
const ROUND_MS = 1_000;
/** Most that the delay may add to the median. */
const MOST_ADDED_MS = 2;

interface Case {
  readonly nodeMs: number;
  readonly mode: MeteringMode;
  readonly mostAbove?: number;
}

const CASES: readonly Case[] = [
  { nodeMs: 30, mode: EACH_STORED, mostAbove: MOST_ADDED_MS },
  { nodeMs: 30, mode: GROUPS_AHEAD, mostAbove: MOST_ADDED_MS },
  { nodeMs: 0, mode: EACH_STORED },
  { nodeMs: 0, mode: GROUPS_AHEAD, mostAbove: MOST_ADDED_MS },
];

/** A server of this process that passes each request on, after a delay that may change. */
async function startDelayingProxy(target: string) {
  const agent = new Agent({ keepAlive: true });
  const delay = { ms: 0 };
  const server = createServer(async (incoming, outgoing) => {
    if (delay.ms > 0) await sleep(delay.ms);
    const { method, headers, url: path } = incoming;
    const upstream = request(target, { method, headers, path, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      pipeline(response, outgoing, () => {});
    });
    pipeline(incoming, upstream, (error) => {
      if (error) outgoing.destroy(error);
    });
  });
  const { url, close } = await listenLocally(server);
  return { url, delay, close: () => close().finally(() => agent.destroy()) };
}

async function measureCase(
  stage: Stage,
  dynamodb: Awaited<ReturnType<typeof startDelayingProxy>>,
  { nodeMs, mode, mostAbove }: Case,
): Promise<Figure[]> {
  const node = await startStubNode({ delayMs: nodeMs });
  const lambda = await startFunction(stage, { mode, nodeUrl: node.url, dynamodbUrl: dynamodb.url });
  try {
    const { url } = await lambda.ask({});
    const load = { url: `${url}/v1/`, headers: { 'x-api-key': stage.apiKey }, body: SINGLE_CALL, clients: 1 };
    const latencies: Record<'delayed' | 'direct', number[]> = { delayed: [], direct: [] };
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [way, delayMs] of [
        ['direct', 0],
        ['delayed', DELAY_MS],
      ] as const) {
        dynamodb.delay.ms = delayMs;
        const { latenciesMs } = await sendLoad({ ...load, durationMs: ROUND_MS });
        if (round > 0) latencies[way].push(...latenciesMs);
      }
    for (const taken of Object.values(latencies)) taken.sort((left, right) => left - right);
    const figure = (share: number): Figure => ({
      name: `node of ${nodeMs} ms, ${mode.name}: p${share * 100}`,
      value: quantile(latencies.delayed, share),
      unit: 'ms',
      baseline: { name: 'without the delay', value: quantile(latencies.direct, share) },
    });
    return [{ ...figure(0.5), ...(mostAbove !== undefined && { mostAbove }) }, figure(0.99)];
  } finally {
    await Promise.all([lambda.close(), node.close()]);
  }
}

await runBenchmark({}, async (show) => {
  const node = await startStubNode();
  const stage = await openStage(node.url);
  const dynamodb = await startDelayingProxy(stage.dynamodbUrl);
  try {
    const figures: Figure[] = [];
    for (const one of CASES) figures.push(...(await measureCase(stage, dynamodb, one)));
    show(`Warm request, every DynamoDB request delayed by ${DELAY_MS} ms`, figures);
  } finally {
    await Promise.all([dynamodb.close(), stage.close(), node.close()]);
  }
});
