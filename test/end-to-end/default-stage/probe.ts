import { runProbe } from '../../../lambdas/probe/handler.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { MetricValues } from '../../../lambdas/shared/runtime/metrics.ts';
import { variedStage } from '../../lib/varied-stages.ts';
import { PlayedAlarms } from '../../monitoring/played-alarms.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { untilTrue } from '../../support/until-true.ts';
import type { RunningGateway } from '../running-gateway.ts';

const CHAIN = 'example_mainnet';
const FIGURES = [
  ['rpc', 'RpcProbeFailures'],
  ['data', 'DataProbeFailures'],
] as const;
const READY_WITHIN_MS = 60_000;
const POLL_MS = 200;

let gateway: RunningGateway;

/** What one run of the probe finds of the stage that runs. */
async function probe(): Promise<MetricValues | undefined> {
  const telemetry = new RecordedTelemetry();
  await runProbe({
    url: gateway.baseUrl,
    dataChain: CHAIN,
    readKey: async () => gateway.apiKey,
    fetch,
    clock: systemClock,
    telemetry,
  });
  return telemetry.emitted[0]?.values;
}

/** The probe finds what is broken, and its alarms page. It stops the run, so it comes last. */
export function describeProbe(running: () => RunningGateway): void {
  beforeAll(() => {
    gateway = running();
  });

  testAtLength(
    'a stage that serves passes; one whose key or route is broken pages three minutes later, as does silence',
    async () => {
      const alarms = new PlayedAlarms(variedStage('most').folder, /^(probefailing|notbegun)/);
      const play = (minutes: number, found: MetricValues | undefined) =>
        alarms.play(minutes, (emit) => {
          // The first hour is over.
          for (const metric of alarms.beginnings()) emit(metric, [0]);
          for (const [api, name] of FIGURES) {
            const value = found?.[name];
            for (const metric of alarms.metricsOf('ProbeFailing', api))
              emit(metric, value === undefined ? [] : [value]);
          }
        });

      // The index of a new stage has its first block a moment after the start.
      let serving: MetricValues | undefined;
      await untilTrue(
        async () => {
          serving = await probe();
          return serving?.DataProbeFailures !== 1;
        },
        { withinMs: READY_WITHIN_MS, everyMs: POLL_MS, failure: () => 'the Data API does not serve' },
      );
      expect(serving).toEqual({ RpcProbeFailures: 0, DataProbeFailures: 0 });
      play(5, serving);
      expect(alarms.on()).toEqual([]);

      await gateway.stop();
      const broken = await probe();
      expect(broken).toEqual({ RpcProbeFailures: 1, DataProbeFailures: 1 });
      play(2, broken);
      expect(alarms.on()).toEqual([]);
      play(1, broken);
      expect(alarms.on()).toEqual(expect.arrayContaining(['probefailing rpc', 'probefailing data']));
      expect(alarms.told.map(({ minute, severity, name }) => [minute, severity, name])).toContainEqual([
        8,
        'page',
        'probefailing rpc',
      ]);

      play(5, serving);
      expect(alarms.on()).toEqual([]);
      // A probe that does not run reports nothing: then the state is unknown.
      play(5, undefined);
      expect(alarms.on()).toContain('probefailing rpc');
    },
  );
}
