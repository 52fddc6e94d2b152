import { countCalls, requestMetrics } from '../../lambdas/rpc/response/rpc-response.ts';
import { metricNamespace, renderMetrics } from '../../lambdas/shared/runtime/metrics.ts';
import type { Telemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import type { BreakerChange } from '../../lambdas/shared/upstream/health/upstream-health.ts';
import { tellOfBreaker, tellOfLimit } from '../../lambdas/shared/upstream/routing/serve-chain.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import { judgeAlarm } from '../../local/dashboard/judge-alarm.ts';
import { MetricStore } from '../../local/dashboard/metric-store.ts';
import { type AlarmDefinition, readAlarms } from '../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { type Character, call, SimulatedGateway } from '../nodes/simulated-gateway.ts';
import { synthesisedOnce } from '../support/synthesised-once.ts';

const CHAIN = 'example_mainnet';
const STAGE = 'local';
const MINUTE_MS = 60_000;
const HALF_AN_HOUR = 30;
/** Minutes in which an alarm that looks at three periods of five minutes must be on. */
const MINUTES_TO_ALARM = 16;
const ALARMS = ['NodesDown', 'UpstreamTakenOut', 'UpstreamLimited'] as const;
const NONE = { NodesDown: [], UpstreamTakenOut: [], UpstreamLimited: [] };
type Name = (typeof ALARMS)[number];

let definitions: Record<Name, AlarmDefinition>;

beforeAll(() => {
  const template = loadTemplate(synthesisedOnce(STAGE).folder);
  const resolve = createResolver(template, {
    parameters: Object.fromEntries(Object.keys(template.parameters).map((name) => [name, 'http://node'])),
    attribute: createAttributes(template, 'http://127.0.0.1:1'),
  });
  const alarms = readAlarms(template, resolve);
  const named = (name: Name) => {
    const [alarm] = alarms.filter(({ description }) => description.endsWith(`#${name.toLowerCase()}`));
    if (alarm === undefined) throw new Error(`no alarm ${name}`);
    return alarm;
  };
  definitions = {
    NodesDown: named('NodesDown'),
    UpstreamTakenOut: named('UpstreamTakenOut'),
    UpstreamLimited: named('UpstreamLimited'),
  };
});

/** A gateway that is asked now and then, and what its metrics make of the alarms. */
function watch(characters: readonly Character[], pauseMs: number) {
  const gateway = new SimulatedGateway(characters);
  const { clock } = gateway;
  const store = new MetricStore(clock);
  const startedAtMs = clock.now();
  const telemetry: Telemetry = {
    log: () => {},
    emit: (line, nowMs) => {
      const rendered = renderMetrics(line, nowMs, metricNamespace(STAGE));
      for (const measurement of parseEmbeddedMetrics(rendered)) store.record(measurement);
    },
  };
  let told = 0;
  let paused = 0;

  async function request(method: string): Promise<void> {
    const asked = call(method);
    const [response] = await clock.until(gateway.start([asked]));
    if (response === undefined) throw new Error('no answer');
    for (const news of gateway.breakers.slice(told)) {
      const [upstream = '', change] = news.split(' ');
      tellOfBreaker(CHAIN, upstream, change as BreakerChange, { clock, telemetry });
    }
    told = gateway.breakers.length;
    for (const [upstream, limit, pauseMs] of gateway.pauses.slice(paused))
      tellOfLimit(CHAIN, upstream, { limit, pauseMs }, { clock, telemetry });
    paused = gateway.pauses.length;
    const figures = countCalls([{ call: asked, response, cached: false, usage: undefined }]);
    const rpcResponse = { status: 200, headers: {}, body: [], figures };
    for (const line of requestMetrics({
      response: rpcResponse,
      chain: CHAIN,
      requestId: 'r',
      latencyMs: 1,
      chargeMs: 1,
    }))
      telemetry.emit(line, clock.now());
  }

  return {
    /** Minutes, from now on, at whose end each alarm is on. */
    async alarmsFor(minutes: number): Promise<Record<Name, readonly number[]>> {
      const on: Record<Name, number[]> = { NodesDown: [], UpstreamTakenOut: [], UpstreamLimited: [] };
      for (let minute = 1; minute <= minutes; minute += 1) {
        const end = clock.now() + MINUTE_MS;
        while (clock.now() < end) {
          await request('eth_blockNumber');
          await clock.pass(pauseMs);
        }
        const times = { nowMs: clock.now(), startedAtMs };
        for (const name of ALARMS)
          if (judgeAlarm(definitions[name], store, times, 'OK').state === 'ALARM') on[name].push(minute);
      }
      return on;
    },
  };
}

const DEAD = { kind: 'failure', error: 'unreachable', sent: false } as const;
const minutes = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('a node that stays dead is told of until it is back, while the other serves', async () => {
  let dead = false;
  const { alarmsFor } = watch([{ fate: () => (dead ? DEAD : { kind: 'answer' }) }, {}], 1_500);
  expect(await alarmsFor(5)).toEqual(NONE);
  dead = true;
  const on = await alarmsFor(HALF_AN_HOUR);
  expect(on.NodesDown).toEqual([]);
  expect(on.UpstreamTakenOut).toEqual(minutes(on.UpstreamTakenOut[0] ?? 0, HALF_AN_HOUR));
  expect(on.UpstreamTakenOut[0]).toBeLessThanOrEqual(MINUTES_TO_ALARM);
  dead = false;
  const after = await alarmsFor(10);
  expect(after.UpstreamTakenOut.at(-1)).toBeLessThan(8);
});

test('a node that is away for a moment is not', async () => {
  let dead = true;
  const { alarmsFor } = watch([{ fate: () => (dead ? DEAD : { kind: 'answer' }) }, {}], 1_500);
  await alarmsFor(1);
  dead = false;
  expect(await alarmsFor(HALF_AN_HOUR)).toEqual(NONE);
});

test.each([1, 2])('a page is sent when all of %d nodes are dead', async (nodes) => {
  let dead = false;
  const characters = Array.from({ length: nodes }, () => ({
    fate: () => (dead ? DEAD : ({ kind: 'answer' } as const)),
  }));
  const { alarmsFor } = watch(characters, 1_500);
  expect((await alarmsFor(10)).NodesDown).toEqual([]);
  dead = true;
  const on = await alarmsFor(HALF_AN_HOUR);
  expect(on.NodesDown).toEqual(minutes(on.NodesDown[0] ?? 0, HALF_AN_HOUR));
  expect(on.NodesDown[0]).toBeLessThanOrEqual(10);
  expect(on.UpstreamTakenOut.length).toBeGreaterThan(10);
  dead = false;
  const after = await alarmsFor(11);
  expect(after.NodesDown.at(-1)).toBeLessThan(10);
});

test('no page is sent for a failure in a quiet hour', async () => {
  const { alarmsFor } = watch([{ fate: () => DEAD }], 30_000);
  expect((await alarmsFor(HALF_AN_HOUR)).NodesDown).toEqual([]);
});

test.each(['', '86400'])(
  'a plan that is used up is told of until it is not, with Retry-After "%s"',
  async (wait) => {
    let limited = false;
    const { alarmsFor } = watch(
      [
        {
          fate: () =>
            limited ? { kind: 'response', status: 429, body: '', retryAfter: wait } : { kind: 'answer' },
        },
        {},
      ],
      1_500,
    );
    expect(await alarmsFor(5)).toEqual(NONE);
    limited = true;
    const on = await alarmsFor(HALF_AN_HOUR);
    expect([on.NodesDown, on.UpstreamTakenOut]).toEqual([[], []]);
    expect(on.UpstreamLimited).toEqual(minutes(on.UpstreamLimited[0] ?? 0, HALF_AN_HOUR));
    expect(on.UpstreamLimited[0]).toBeLessThanOrEqual(MINUTES_TO_ALARM);
    limited = false;
    expect((await alarmsFor(15)).UpstreamLimited.at(-1) ?? 0).toBeLessThan(12);
  },
);

test('a page is sent when the plans of all providers are used up', async () => {
  const { alarmsFor } = watch(
    [1, 2].map(() => ({ fate: () => ({ kind: 'response', status: 429, body: '' }) as const })),
    1_500,
  );
  const on = await alarmsFor(HALF_AN_HOUR);
  expect(on.NodesDown[0]).toBeLessThanOrEqual(10);
  expect(on.NodesDown).toEqual(minutes(on.NodesDown[0] ?? 0, HALF_AN_HOUR));
});
