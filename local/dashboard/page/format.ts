import { Marked } from 'marked';
import { escapeHtml } from '../../../docs/site/html.ts';
import type { SeriesView } from '../view.ts';

const MARKED = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link: ({ raw }) => escapeHtml(raw),
    image: ({ raw }) => escapeHtml(raw),
    heading({ depth, tokens }) {
      const name = depth <= 2 ? 'h2' : 'h3';
      return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
    },
  },
});

/** A value that has had no successor for so many periods is not what is now. */
const FRESH_PERIODS = 3;
/** The latest value of a line of a chart. */
export interface LatestValue {
  readonly value: number;
  /** Begin of the point that it stands at, in seconds since the epoch. */
  readonly atSeconds: number;
  readonly isFresh: boolean;
}

/** A figure as people read it: three significant digits, thousands apart; small money in full, with two. */
export function formatValue(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 0.001) return new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(value);
  if (size >= 1_000_000) return new Intl.NumberFormat('en', { notation: 'compact' }).format(value);
  if (Number.isInteger(value)) return new Intl.NumberFormat('en').format(value);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

/** A span of whole seconds: `10 s`, `5 min`, `1 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}

/** How long something has lasted, roughly: `12 s`, `4 min`, `2 h`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3_600)} h`;
}

/** Time of day of a tick, in seconds since the epoch; with seconds only where it is no whole minute. */
export function formatTime(atSeconds: number): string {
  const length = atSeconds % 60 === 0 ? 5 : 8;
  return new Date(atSeconds * 1_000).toTimeString().slice(0, length);
}

/** The latest value of a line, and whether it still says what is now; undefined: it has none. @param times of its points */
export function latestValue(
  { values, periodSeconds }: Pick<SeriesView, 'values' | 'periodSeconds'>,
  times: readonly number[],
): LatestValue | undefined {
  const index = values.findLastIndex((value) => value !== null);
  const value = values[index];
  const atSeconds = times[index];
  const nowSeconds = times.at(-1);
  if (value === undefined || value === null || atSeconds === undefined || nowSeconds === undefined)
    return undefined;
  return { value, atSeconds, isFresh: nowSeconds - atSeconds <= FRESH_PERIODS * periodSeconds };
}

/** The HTML of the Markdown of a text widget. HTML, links and pictures in it stay text. */
export function renderMarkdown(markdown: string): string {
  return MARKED.parse(markdown, { async: false });
}
