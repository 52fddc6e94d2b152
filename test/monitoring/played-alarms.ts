import { judgeComposite, readCompositeAlarms } from '../../local/dashboard/composite-alarm.ts';
import { type AlarmState, judgeAlarm } from '../../local/dashboard/judge-alarm.ts';
import { metricsOf } from '../../local/dashboard/metric-query.ts';
import type { MetricId } from '../../local/dashboard/metric-series.ts';
import { MetricStore } from '../../local/dashboard/metric-store.ts';
import { type AlarmDefinition, readAlarms } from '../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { resourcesOfType } from '../../local/template/template.ts';

const START = 1_800_000_000_000;
const MINUTE_MS = 60_000;

/** What somebody was told, at the end of which minute. */
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
  readonly alarms: readonly AlarmDefinition[];
  readonly told: Told[] = [];
  readonly #composites: ReturnType<typeof readCompositeAlarms>;
  readonly #telling: ReadonlyMap<string, Telling>;
  readonly #store: MetricStore;
  readonly #states = new Map<string, AlarmState>();
  /** When a composite alarm changed, or its suppressor ended, in minutes. */
  readonly #changed = new Map<string, number>();
  #minute = 0;

  constructor(folder: string) {
    const template = loadTemplate(folder);
    const parameters = Object.keys(template.parameters).map((name) => [name, 'http://node']);
    const attribute = createAttributes(template, 'http://127.0.0.1:1');
    const resolve = createResolver(template, { parameters: Object.fromEntries(parameters), attribute });
    this.alarms = readAlarms(template, resolve);
    this.#composites = readCompositeAlarms(template, resolve);
    const withActions = new Set(
      ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm']
        .flatMap((type) => resourcesOfType(template, type))
        .filter(({ properties }) => Array.isArray(properties.AlarmActions))
        .map(({ logicalId }) => logicalId),
    );
    this.#telling = new Map(
      [...this.alarms, ...this.#composites]
        .filter(({ logicalId }) => withActions.has(logicalId))
        .map(({ arn, description }) => [arn, { arn, description, told: 'OK' }]),
    );
    this.#store = new MetricStore({ now: () => this.#nowMs });
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

  /** The alarms that are on, by name, whether or not somebody was told. */
  on(): string[] {
    return [...this.alarms, ...this.#composites]
      .filter(({ arn }) => this.#states.get(arn) === 'ALARM')
      .map(({ description }) => nameOf(description));
  }

  /** Lets minutes pass, in each of which these metrics come in. */
  play(minutes: number, record: (emit: Emit, minute: number) => void): void {
    for (let passed = 0; passed < minutes; passed += 1) {
      this.#minute += 1;
      const atMs = this.#nowMs;
      record((metric, values) => {
        for (const value of values) this.#store.record({ ...metric, value, atMs });
      }, this.#minute);
      this.#judge();
    }
  }

  #judge(): void {
    const times = { nowMs: this.#nowMs, startedAtMs: START };
    const before = new Map(this.#states);
    for (const alarm of this.alarms) {
      const state = judgeAlarm(alarm, this.#store, times, before.get(alarm.arn) ?? 'OK').state;
      this.#states.set(alarm.arn, state);
      this.#tell(alarm.arn);
    }
    for (const composite of this.#composites) {
      const { arn, suppressor } = composite;
      this.#states.set(arn, judgeComposite(composite, this.#states).state);
      if (this.#states.get(arn) !== (before.get(arn) ?? 'OK')) this.#changed.set(arn, this.#minute);
      if (suppressor === undefined) {
        this.#tell(arn);
        continue;
      }
      const isKept = this.#states.get(suppressor.arn) === 'ALARM';
      const wasKept = before.get(suppressor.arn) === 'ALARM';
      const ended = `${arn} extension`;
      if (wasKept && !isKept) this.#changed.set(ended, this.#minute);
      const since = (key: string) => (this.#minute - (this.#changed.get(key) ?? -Infinity)) * 60;
      const waits = since(arn) < suppressor.waitSeconds || since(ended) < suppressor.extensionSeconds;
      if (!isKept && !waits) this.#tell(arn);
    }
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
