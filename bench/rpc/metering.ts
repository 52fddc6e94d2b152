/**
 * What metering adds to the time of a response: warm requests to the deployed function while every request to DynamoDB
 * is delayed, beside the same without the delay. `npm run bench -- metering`; exit code 1 if a target is missed.
 */

import { MAX_GRANTED_CU } from '../../lambdas/accounts/account-records.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, quantile } from '../figures.ts';
import { WIDE_PLAN } from '../stage.ts';
import { type DelayingProxy, startDelayingProxy } from './delaying-proxy.ts';
import type { Drive, Driven } from './rpc-function.ts';
import { type StubNode, startFunction, startStubNode, type Worker } from './rpc-processes.ts';
import { SINGLE_CALL } from './rpc-requests.ts';
import { EACH_STORED, GROUPS_AHEAD, type MeteringMode, openStage, type Stage } from './rpc-stage.ts';

/** Delay of each request to DynamoDB. */
const DELAY_MS = 10;
/** Rounds in which requests with and without the delay take turns. */
const ROUNDS = 3;
const ROUND_MS = 1_000;
const WARM_UP_MS = 1_000;
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

async function measureCase(stage: Stage, dynamodb: DelayingProxy, one: Case, apiKey: string) {
  const node = await startStubNode({ delayMs: one.nodeMs });
  const lambda = await startCase(stage, dynamodb, one, node);
  try {
    return await compare(lambda, dynamodb, one, apiKey);
  } finally {
    await Promise.all([lambda.close(), node.close()]);
  }
}

async function startCase(stage: Stage, { url }: DelayingProxy, { mode }: Case, node: StubNode) {
  return startFunction(stage, await stage.environment({ mode, nodeUrl: node.url, dynamodbUrl: url }));
}

async function compare(
  lambda: Worker<Drive, Driven>,
  dynamodb: DelayingProxy,
  { nodeMs, mode, mostAbove }: Case,
  apiKey: string,
): Promise<Figure[]> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const mostRequests = Number.MAX_SAFE_INTEGER;
  const drive = async (delayMs: number, durationMs: number) => {
    dynamodb.delayMs = delayMs;
    return (await lambda.ask({ body: SINGLE_CALL, headers, atOnce: 1, mostRequests, durationMs }))
      .latenciesMs;
  };
  await drive(DELAY_MS, WARM_UP_MS);
  await drive(0, WARM_UP_MS);
  const delayed: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    direct.push(...(await drive(0, ROUND_MS)));
    delayed.push(...(await drive(DELAY_MS, ROUND_MS)));
  }
  for (const latencies of [delayed, direct]) latencies.sort((left, right) => left - right);
  const figure = (share: number): Figure => ({
    name: `node of ${nodeMs} ms, ${mode.name}: p${share * 100}`,
    value: quantile(delayed, share),
    unit: 'ms',
    baseline: { name: 'without the delay', value: quantile(direct, share) },
  });
  return [{ ...figure(0.5), ...(mostAbove !== undefined && { mostAbove }) }, figure(0.99)];
}

await runBenchmark({}, async (show) => {
  const node = await startStubNode({});
  const stage = await openStage(node.url);
  const dynamodb = await startDelayingProxy(stage.dynamodbUrl);
  try {
    const apiKey = await stage.newKey('bench', WIDE_PLAN, MAX_GRANTED_CU);
    const figures: Figure[] = [];
    for (const one of CASES) figures.push(...(await measureCase(stage, dynamodb, one, apiKey)));
    show(`Warm request, every DynamoDB request delayed by ${DELAY_MS} ms`, figures);
  } finally {
    await Promise.all([dynamodb.close(), stage.close(), node.close()]);
  }
});
