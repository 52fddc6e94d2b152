import {
  type CompositeDefinition,
  judgeComposite,
  readCompositeAlarms,
} from '../../local/dashboard/composite-alarm.ts';
import { type AlarmState, contributorsOf, judgeAlarm } from '../../local/dashboard/judge-alarm.ts';
import { metricsOf } from '../../local/dashboard/metric-query.ts';
import type { MetricId } from '../../local/dashboard/metric-series.ts';
import { MetricStore } from '../../local/dashboard/metric-store.ts';
import { type AlarmDefinition, readAlarms } from '../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';

type MetricAccount = NonNullable<MetricStore['account']>;

const START = 1_800_000_000_000;
const MINUTE_MS = 60_000;

/** A notification, and the minute at whose end it was sent. */
export interface Told {
  readonly minute: number;
  readonly severity: 'page' | 'ticket';
  /** Section of the runbook, and what the alarm is about if it is not the only one of its section. */
  readonly name: string;
  readonly state: AlarmState;
}

/** Records metrics of a minute. */
export type Emit = (metric: MetricId, values: readonly number[]) => void;

interface Telling {
  readonly arn: string;
  readonly description: string;
  told: AlarmState;
}

/**
 * The synthesised alarms of a stage as an account would run them: judged every minute, each telling its topic when its state
 * changes, unless it has no action, or is kept back by its suppressor.
 */
export class PlayedAlarms {
  alarms: readonly AlarmDefinition[] = [];
  readonly told: Told[] = [];
  #composites: readonly CompositeDefinition[] = [];
  readonly #telling = new Map<string, Telling>();
  readonly #sections: RegExp | undefined;
  readonly #store: MetricStore;
  readonly #states = new Map<string, AlarmState>();
  /** When a composite alarm changed, or its suppressor ended, in minutes. */
  readonly #changed = new Map<string, number>();
  #minute = 0;

  /**
   * @param sections of the runbook whose alarms are played, and how far back they look. @default all, four hours
   * @param account what has quotas; without, alarms on metrics that a local run does not know say nothing
   */
  constructor(folder: string, sections?: RegExp, retentionMs?: number, account?: MetricAccount) {
    this.#sections = sections;
    this.#store = new MetricStore({ now: () => this.#nowMs }, { retentionMs, account });
    this.deploy(folder);
  }

  /** Takes the alarms of another template, in place of those so far: one of both keeps its state. */
  deploy(folder: string): void {
    const template = loadTemplate(folder);
    const parameters = Object.keys(template.parameters).map((name) => [name, 'http://node']);
    const attribute = createAttributes(template, 'http://127.0.0.1:1');
    const resolve = createResolver(template, { parameters: Object.fromEntries(parameters), attribute });
    const isPlayed = ({ description }: { readonly description: string }) =>
      this.#sections?.test(nameOf(description)) !== false || !description.includes('#');
    this.alarms = readAlarms(template, resolve).filter(isPlayed);
    this.#composites = readCompositeAlarms(template, resolve).filter(isPlayed);
    for (const { arn, description, tells } of [...this.alarms, ...this.#composites])
      if (tells && !this.#telling.has(arn)) this.#telling.set(arn, { arn, description, told: 'OK' });
  }

  get #nowMs(): number {
    return START + this.#minute * MINUTE_MS - 1;
  }

  /** The metrics that an alarm looks at, by section of the runbook and, if there are several, by what it is about. */
  metricsOf(section: string, of = ''): MetricId[] {
    return this.alarms
      .filter(({ description }) => nameOf(description) === [section.toLowerCase(), of].join(' ').trim())
      .flatMap(({ watched, queries }) => metricsOf(watched, queries));
  }

  /** The metrics by which the first hour of the stage, and of each chain, is over. */
  beginnings(): MetricId[] {
    const waiting = this.alarms.filter(({ description }) => nameOf(description).startsWith('notbegun '));
    return waiting.flatMap(({ watched, queries }) => metricsOf(watched, queries));
  }

  /** The alarms that are on, by name, with or without a notification. */
  on(): string[] {
    return [...this.alarms, ...this.#composites]
      .filter(({ arn }) => this.#states.get(arn) === 'ALARM')
      .map(({ description }) => nameOf(description));
  }

  /** Lets minutes pass, in each of which these metrics come in. @param judgedEvery so many of them. @default 1 */
  play(minutes: number, record: (emit: Emit, minute: number) => void, judgedEvery = 1): void {
    for (let passed = 0; passed < minutes; passed += 1) {
      this.#minute += 1;
      const atMs = this.#nowMs;
      record((metric, values) => {
        for (const value of values) this.#store.record({ ...metric, value, atMs });
      }, this.#minute);
      if (this.#minute % judgedEvery === 0) this.#judge();
    }
  }

  #judge(): void {
    // An account knows no run that is too young: what never had a value has none.
    const times = { nowMs: this.#nowMs, startedAtMs: Number.NEGATIVE_INFINITY };
    const before = new Map(this.#states);
    const judged = this.alarms.flatMap((alarm) => contributorsOf(alarm, this.#store));
    for (const alarm of judged) {
      const { arn, description, tells } = alarm;
      const state = before.get(arn) ?? 'INSUFFICIENT_DATA';
      this.#states.set(arn, judgeAlarm(alarm, this.#store, times, state).state);
      if (tells && !this.#telling.has(arn)) this.#telling.set(arn, { arn, description, told: 'OK' });
    }
    for (const composite of this.#composites)
      this.#states.set(composite.arn, judgeComposite(composite, this.#states).state);
    for (const { arn } of judged) this.#tell(arn);
    for (const composite of this.#composites)
      if (!this.#isSuppressed(composite, before)) this.#tell(composite.arn);
  }

  #isSuppressed({ arn, suppressor }: CompositeDefinition, before: ReadonlyMap<string, AlarmState>): boolean {
    if (suppressor === undefined) return false;
    const isOn = (alarm: string, states: ReadonlyMap<string, AlarmState>) => states.get(alarm) === 'ALARM';
    const ended = `${arn} extension`;
    if (isOn(arn, this.#states) !== isOn(arn, before)) this.#changed.set(arn, this.#minute);
    if (isOn(suppressor.arn, before) && !isOn(suppressor.arn, this.#states))
      this.#changed.set(ended, this.#minute);
    const secondsSince = (key: string) =>
      (this.#minute - (this.#changed.get(key) ?? Number.NEGATIVE_INFINITY)) * 60;
    return (
      isOn(suppressor.arn, this.#states) ||
      secondsSince(arn) < suppressor.waitSeconds ||
      secondsSince(ended) < suppressor.extensionSeconds
    );
  }

  #tell(arn: string): void {
    const telling = this.#telling.get(arn);
    const state = this.#states.get(arn) ?? 'OK';
    if (telling === undefined || state === 'NOT_AVAILABLE' || state === 'INSUFFICIENT_DATA') return;
    if (state === telling.told) return;
    telling.told = state;
    const severity = telling.description.startsWith('[page]') ? 'page' : 'ticket';
    this.told.push({ minute: this.#minute, severity, name: nameOf(telling.description), state });
  }
}

/** Section of the runbook that a description names, and what the alarm is about. */
export function nameOf(description: string): string {
  const [, of, section] = /^\[\w+\] (?:([\w-]+): )?.*#(\w+)$/.exec(description) ?? [];
  return [section, of].filter((part) => part !== undefined).join(' ');
}
