import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import type { Queue } from '../triggers/queue.ts';
import { drawWidget } from './draw-widget.ts';
import { type Judgement, judgeAlarm } from './judge-alarm.ts';
import { measureQueues } from './measure-run.ts';
import { metricsOf } from './metric-query.ts';
import type { MetricStore } from './metric-store.ts';
import { type AlarmDefinition, readAlarms } from './read-alarms.ts';
import { readDashboards } from './read-dashboard.ts';
import { type AlarmView, type DashboardView, RANGES } from './view.ts';

/** Charts begin with the run, but not later than this ago. */
const LEAST_SHOWN_SECONDS = 120;

export interface DashboardOptions {
  readonly stage: string;
  readonly template: Template;
  readonly resolve: Resolver;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly store: MetricStore;
  readonly clock: Clock;
}

/** The dashboards and alarms of a template, with the data of a run. */
export interface Dashboard {
  /** Takes samples and judges the alarms; to be called every few seconds. */
  tick(): void;
  /** @param rangeSeconds the longest span to show, one of `RANGES` */
  view(rangeSeconds: number): DashboardView;
}

interface WatchedAlarm {
  readonly definition: AlarmDefinition;
  judgement: Judgement;
  sinceMs: number;
}

/**
 * Reads the dashboards and alarms of a template.
 * @throws UnsupportedTemplateError for what a local run cannot draw or evaluate
 */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { stage, template, resolve, queues, store, clock } = options;
  const startedAtMs = clock.now();
  const dashboards = readDashboards(template, resolve);
  const alarms = readAlarms(template, resolve).map(
    (definition): WatchedAlarm => ({
      definition,
      judgement: { state: 'INSUFFICIENT_DATA', reason: 'not judged yet' },
      sinceMs: startedAtMs,
    }),
  );

  const names = shortNames(alarms.map(({ definition }) => definition));

  function judge(alarm: WatchedAlarm, nowMs: number): void {
    const { state } = alarm.judgement;
    alarm.judgement = judgeAlarm(alarm.definition, store, { nowMs, startedAtMs }, state);
    if (alarm.judgement.state !== state) alarm.sinceMs = nowMs;
  }

  return {
    tick() {
      measureQueues(queues.values(), store, clock);
      for (const alarm of alarms) judge(alarm, clock.now());
    },
    view(rangeSeconds) {
      const nowMs = clock.now();
      const ageSeconds = Math.max(LEAST_SHOWN_SECONDS, (nowMs - startedAtMs) / 1_000);
      const stepSeconds = RANGES[rangeSeconds] ?? rangeSeconds;
      const grid = { nowMs, rangeSeconds: Math.min(rangeSeconds, ageSeconds + stepSeconds), stepSeconds };
      return {
        stage,
        ...grid,
        startedAtMs,
        isIncomplete: store.isFull,
        dashboards: dashboards.map(({ name, widgets }) => ({
          name,
          widgets: widgets.map((widget) => drawWidget(widget, store, grid)),
        })),
        alarms: alarms.map((alarm, index) => alarmView(alarm, names[index] ?? '')),
      };
    },
  };
}

function alarmView({ definition, judgement, sinceMs }: WatchedAlarm, name: string): AlarmView {
  const { arn, description } = definition;
  return { name, arn, description, ...judgement, sinceMs };
}

/**
 * Logical ids without their hash, and without the word with which all of them begin. The chain of an alarm, which has lost
 * its signs in the logical id, is put behind.
 */
function shortNames(alarms: readonly AlarmDefinition[]): string[] {
  const names = alarms.map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''));
  const word = /^[A-Z][a-z0-9]+(?=[A-Z])/.exec(names[0] ?? '')?.[0] ?? '';
  const shared = names.every((name) => name.startsWith(word)) ? word.length : 0;
  return names.map((name, index) => {
    const chain = chainOf(alarms[index] as AlarmDefinition);
    const own = name.slice(shared);
    if (chain === undefined) return own;
    const end = chain.replace(/[^A-Za-z0-9]/g, '');
    return `${own.endsWith(end) ? own.slice(0, -end.length) : own} ${chain}`;
  });
}

function chainOf({ watched, queries }: AlarmDefinition): string | undefined {
  return metricsOf(watched, queries)[0]?.dimensions.Chain;
}
