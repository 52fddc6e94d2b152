import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import type { Queue } from '../triggers/queue.ts';
import { type CompositeDefinition, judgeComposite, readCompositeAlarms } from './composite-alarm.ts';
import { drawWidget } from './draw-widget.ts';
import { type Judgement, judgeAlarm } from './judge-alarm.ts';
import { measureQueues } from './measure-run.ts';
import type { MetricStore } from './metric-store.ts';
import { type AlarmDefinition, readAlarms } from './read-alarms.ts';
import { readWidgets } from './read-dashboard.ts';
import { type AlarmView, type DashboardView, RANGES } from './view.ts';

/** Chain, table or function that the description of an alarm begins with. */
const OF = /^\[\w+\] ([\w-]+): /;
/** End of a logical id, and the word before it where the alarm only tells of another one. */
const HASH = /(Told)?[0-9A-F]{8}$/;
/** Charts begin with the run, but not later than this ago. */
const LEAST_SHOWN_SECONDS = 120;

interface DashboardOptions {
  readonly stage: string;
  /** Names of its chains. */
  readonly chains: readonly string[];
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

interface WatchedAlarm<Definition = AlarmDefinition | CompositeDefinition> {
  readonly definition: Definition;
  judgement: Judgement;
  sinceMs: number;
  /** Since when a composite alarm is on, whether it waits or not. */
  onSinceMs?: number | undefined;
}

/**
 * Reads the dashboards and alarms of a template.
 * @throws UnsupportedTemplateError for what a local run cannot draw or evaluate
 */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { stage, chains, template, resolve, queues, store, clock } = options;
  const startedAtMs = clock.now();
  const widgets = readWidgets(template, resolve);
  const unjudged = <Definition>(definition: Definition): WatchedAlarm<Definition> => ({
    definition,
    judgement: { state: 'INSUFFICIENT_DATA', reason: 'not judged yet' },
    sinceMs: startedAtMs,
  });
  const single = readAlarms(template, resolve).map(unjudged);
  // None of the stack's composite alarms names another one.
  const composite = readCompositeAlarms(template, resolve).map(unjudged);
  const alarms: readonly WatchedAlarm[] = [...single, ...composite];
  const names = shortNames(alarms.map(({ definition }) => definition));

  function judge(nowMs: number): void {
    for (const alarm of single)
      change(alarm, judgeAlarm(alarm.definition, store, { nowMs, startedAtMs }, alarm.judgement.state));
    const states = new Map(single.map(({ definition, judgement }) => [definition.arn, judgement.state]));
    for (const alarm of composite)
      change(alarm, afterWait(alarm, judgeComposite(alarm.definition, states), nowMs));

    function change(alarm: WatchedAlarm, judgement: Judgement): void {
      if (judgement.state !== alarm.judgement.state) alarm.sinceMs = nowMs;
      alarm.judgement = judgement;
    }
  }

  return {
    tick() {
      measureQueues(queues.values(), store, clock);
      judge(clock.now());
    },
    view(rangeSeconds) {
      const nowMs = clock.now();
      const ageSeconds = Math.max(LEAST_SHOWN_SECONDS, (nowMs - startedAtMs) / 1_000);
      const stepSeconds = RANGES[rangeSeconds] ?? rangeSeconds;
      const grid = { nowMs, rangeSeconds: Math.min(rangeSeconds, ageSeconds + stepSeconds), stepSeconds };
      return {
        stage,
        chains,
        nowMs,
        rangeSeconds,
        stepSeconds,
        startedAtMs,
        isIncomplete: store.isFull,
        widgets: widgets.map((widget) => drawWidget(widget, store, grid)),
        alarms: alarms.map((alarm, index) => alarmView(alarm, names[index] ?? '')),
      };
    },
  };
}

/** A composite alarm whose suppressor has a wait notifies nobody before it is over: until then it is not shown as on. */
function afterWait(alarm: WatchedAlarm<CompositeDefinition>, judgement: Judgement, nowMs: number): Judgement {
  alarm.onSinceMs = judgement.state === 'ALARM' ? (alarm.onSinceMs ?? nowMs) : undefined;
  const { waitSeconds = 0 } = alarm.definition.suppressor ?? {};
  const isWaiting = alarm.onSinceMs !== undefined && nowMs - alarm.onSinceMs < waitSeconds * 1_000;
  return isWaiting ? { state: 'OK', reason: `notifies if it is on for ${waitSeconds} s` } : judgement;
}

function alarmView({ definition, judgement, sinceMs }: WatchedAlarm, name: string): AlarmView {
  const { arn, description, tells } = definition;
  return { name, arn, description, tells, ...judgement, sinceMs };
}

/**
 * Logical ids without their hash, and without the word with which all of them begin. What an alarm is about, such as a chain,
 * has lost its signs in the logical id and is put behind.
 */
function shortNames(alarms: readonly (AlarmDefinition | CompositeDefinition)[]): string[] {
  const names = alarms.map(({ logicalId }) => logicalId.replace(HASH, ''));
  const word = /^[A-Z][a-z0-9]+(?=[A-Z])/.exec(names[0] ?? '')?.[0] ?? '';
  const shared = names.every((name) => name.startsWith(word)) ? word.length : 0;
  return alarms.map((alarm, index) => {
    const of = OF.exec(alarm.description)?.[1];
    const own = (names[index] ?? '').slice(shared);
    if (of === undefined) return own;
    const end = of.replace(/[^A-Za-z0-9]/g, '');
    return own.endsWith(end) ? `${own.slice(0, -end.length)} ${of}` : own;
  });
}
