import { countCalls, requestMetrics } from '../../lambdas/rpc/response/rpc-response.ts';
import { type MetricLine, metricNamespace, renderMetrics } from '../../lambdas/shared/runtime/metrics.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import type { Measurement } from '../../local/dashboard/metric-series.ts';
import { type ServedRequest, SimulatedFleet } from '../nodes/simulated-fleet.ts';
import { call } from '../nodes/simulated-gateway.ts';
import { minuteOf, STAGE, stagesOfManyChains } from './many-chains.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

const CHAINS = Array.from({ length: 50 }, (_, index) => `chain_${index}`);
const SILENT = 'chain_7';
const READ = call('eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest']);
const MINUTE_MS = 60_000;
/** Fewer than the clients of the silent chain: were these waited for, no instance would be left. */
const INSTANCES = 24;
const CLIENTS_OF_SILENT = 30;
/** Between the calls of a client. */
const PAUSE_MS = 5_000;
/** Longest time of a call for another chain: its node takes 20 ms, as long to tell its head, and the store 5 at a time. */
const MAX_OTHER_MS = 50;
/** Time of the fleet before its node falls silent, and after, in minutes. */
const SOUND_MINUTES = 2;
const SILENT_MINUTES = 12;
/** Of the alarms, before: less than any looks back for to say that something is missing. */
const PLAYED_SOUND_MINUTES = 100;
const MINUTES_TO_PAGE = 10;

/** What a request tells, as the JSON-RPC function does; nothing, if no instance had it. */
function linesOf({ chain, call: asked, answer: response, ms }: ServedRequest): readonly MetricLine[] {
  if (response === undefined) return [];
  const figures = countCalls([{ call: asked, response, cached: false, usage: undefined }]);
  const rpcResponse = {
    status: 200,
    headers: {},
    body: [],
    figures,
    times: { admissionMs: 0, upstreamMs: ms },
  };
  const [first = {}, ...others] = requestMetrics({
    response: rpcResponse,
    chain,
    requestId: 'r',
    latencyMs: ms,
    chargeMs: 1,
  });
  const values = { RunTime: ms, ...(figures.unanswered > 0 && { FailedAnswers: 1 }) };
  return [{ ...first, run: { of: { Function: 'rpc', Version: '1' }, values } }, ...others];
}

function measurementsOf(lines: readonly MetricLine[]): readonly Measurement[] {
  return lines.flatMap((line) => parseEmbeddedMetrics(renderMetrics(line, 0, metricNamespace(STAGE))));
}

/** A fleet that serves all chains; after some minutes the node of one, with so many clients, no longer answers. */
async function serve(clientsOfSilent: number, keyOf?: () => string) {
  const fleet = new SimulatedFleet(INSTANCES, 1, CHAINS);
  const { clock, telemetry } = fleet;
  const silentAt = clock.now() + SOUND_MINUTES * MINUTE_MS;
  const until = silentAt + SILENT_MINUTES * MINUTE_MS;
  const running = Promise.all(
    CHAINS.map(async (chain, index) => {
      await clock.wait((index * PAUSE_MS) / CHAINS.length);
      const clients = chain === SILENT ? clientsOfSilent : 1;
      const key = keyOf ?? ((client: number) => `key ${client} of ${chain}`);
      await fleet.run(clients, READ, until, key, { chain, pauseMs: PAUSE_MS });
    }),
  );
  const minutes: (readonly Measurement[])[] = [];
  let [served, emitted] = [0, 0];
  for (let minute = 0; minute < SOUND_MINUTES + SILENT_MINUTES; minute += 1) {
    if (minute === SOUND_MINUTES)
      fleet.fate = (chain) => (chain === SILENT ? { kind: 'stall' } : { kind: 'answer' });
    await clock.pass(MINUTE_MS);
    const lines = [...fleet.served.slice(served).flatMap(linesOf), ...telemetry.emitted.slice(emitted)];
    [served, emitted] = [fleet.served.length, telemetry.emitted.length];
    minutes.push(measurementsOf(lines));
  }
  await clock.until(running);
  const others = fleet.served.filter(({ chain }) => chain !== SILENT);
  expect(new Set(others.map(({ chain }) => chain)).size).toBe(CHAINS.length - 1);
  expect(Math.max(...others.map(({ ms }) => ms))).toBeLessThanOrEqual(MAX_OTHER_MS);
  const told = fleet.served.filter(({ chain }) => chain === SILENT).map((one) => one.told);
  expect(new Set(told)).toEqual(new Set(['answered', 'no_upstream_response', 'gateway_overloaded']));
  return { others, minutes };
}

test('49 chains are served as ever while the node of one, with more clients than instances, never answers', async () => {
  const { others } = await serve(CLIENTS_OF_SILENT);
  expect(new Set(others.map(({ told }) => told))).toEqual(new Set(['answered']));
});

test('the other calls of a key that waits for the silent chain are served', async () => {
  const { others } = await serve(CLIENTS_OF_SILENT, () => 'one key');
  expect(new Set(others.map(({ told }) => told))).toEqual(new Set(['answered']));
});

test('one page is sent for it, and all notifications name the chain', async () => {
  const { minutes } = await serve(1);
  const played = new PlayedAlarms(stagesOfManyChains().fifty.folder);
  const stageMinute = minuteOf(played, CHAINS.length)('there');
  const minute = (index: number) => (emit: Emit) => {
    stageMinute(emit);
    for (const one of minutes[index] ?? []) emit(one, [one.value]);
  };
  // The last minute in which all is well is like any before it.
  played.play(PLAYED_SOUND_MINUTES, minute(SOUND_MINUTES - 1), PLAYED_SOUND_MINUTES);
  expect(played.told).toEqual([]);
  for (let passed = 0; passed < SILENT_MINUTES; passed += 1) played.play(1, minute(SOUND_MINUTES + passed));
  expect(played.told.map(({ severity, name, state }) => `${severity} ${name} ${state}`)).toEqual([
    `page nodesdown ${SILENT} ALARM`,
    `ticket upstreamtakenout ${SILENT} ALARM`,
  ]);
  expect(played.told[0]?.minute).toBeLessThanOrEqual(PLAYED_SOUND_MINUTES + MINUTES_TO_PAGE);
});

test('nodes of two chains that fail one after the other are a ticket each, though one alarm watches all chains', () => {
  const played = new PlayedAlarms(stagesOfManyChains().fifty.folder);
  const stageMinute = minuteOf(played, CHAINS.length)('there');
  const failing = (chains: readonly string[]) => {
    const lines = chains.map((Chain) => ({ values: { UpstreamsTakenOut: 1 }, dimensions: { Chain } }));
    return (emit: Emit) => {
      stageMinute(emit);
      for (const one of measurementsOf(lines)) emit(one, [one.value]);
    };
  };
  played.play(PLAYED_SOUND_MINUTES, failing([]), PLAYED_SOUND_MINUTES);
  played.play(20, failing([SILENT]));
  played.play(20, failing([SILENT, 'chain_9']));
  played.play(20, failing(['chain_9']));
  expect(played.told.map(({ name, state }) => `${name} ${state}`)).toEqual([
    `upstreamtakenout ${SILENT} ALARM`,
    'upstreamtakenout chain_9 ALARM',
    `upstreamtakenout ${SILENT} OK`,
  ]);
});
