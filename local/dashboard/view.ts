import type { AlarmState } from './judge-alarm.ts';

/** The state that the page shows. */
export interface DashboardView {
  readonly stage: string;
  /** Names of the chains that the stage serves. */
  readonly chains: readonly string[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly startedAtMs: number;
  /** Longest span of the charts. */
  readonly rangeSeconds: number;
  /** Spacing of the points of charts. */
  readonly stepSeconds: number;
  /** Whether metrics were left out because there are too many. */
  readonly isIncomplete: boolean;
  /** Those of all dashboards of the template. */
  readonly widgets: readonly WidgetView[];
  readonly alarms: readonly AlarmView[];
}

export interface AlarmView {
  /** Logical id without what it shares with all others. */
  readonly name: string;
  readonly arn: string;
  readonly description: string;
  /** Whether the alarm notifies by itself; otherwise a composite alarm that contains it does. */
  readonly tells: boolean;
  readonly state: AlarmState;
  readonly reason: string;
  /** When the state was first seen. */
  readonly sinceMs: number;
}

export type WidgetView =
  | { readonly kind: 'heading' | 'logs'; readonly title: string }
  | {
      readonly kind: 'metrics';
      readonly title: string;
      readonly series: readonly SeriesView[];
      /** Seconds since the epoch, one for each value of a series. */
      readonly times: readonly number[];
    };

/** One line of a widget. */
export interface SeriesView {
  readonly label: string;
  /** Span that one value is about. */
  readonly periodSeconds: number;
  /** null: no data, which is not zero. */
  readonly values: readonly (number | null)[];
  /** `unavailable`: only an account knows it; `faulty`: the local run does not understand the query. */
  readonly availability: 'available' | 'unavailable' | 'faulty';
  /** Why it is not available. */
  readonly reason: string | null;
}

/** Ranges that the page offers, in seconds, with the spacing of the points in each. */
export const RANGES: Readonly<Record<number, number>> = { 600: 10, 3600: 60, 10800: 300 };
export const DEFAULT_RANGE_SECONDS = 600;
