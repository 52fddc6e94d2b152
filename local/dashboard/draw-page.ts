import { type Html, html } from '../../docs/site/html.ts';
import { formatLatest, formatSeconds } from './format.ts';
import { type AlarmView, type DashboardView, RANGES, type SeriesView, type WidgetView } from './view.ts';

type MetricsView = Extract<WidgetView, { kind: 'metrics' }>;

const STATES: Readonly<Record<AlarmView['state'], string>> = {
  ALARM: 'in alarm',
  OK: 'ok',
  INSUFFICIENT_DATA: 'too early to tell',
  NOT_AVAILABLE: 'not available locally',
};
/** Units of a drawing. */
const CHART = { width: 120, height: 24, margin: 3 };

/** The page of a dashboard. @param chain whose lines are shown, and not those of others; empty: all of them */
export function drawPage(view: DashboardView, chain: string): string {
  const others = chain === '' ? [] : view.chains.filter((name) => name !== chain);
  const left = view.isIncomplete ? ' Some metrics are left out because there are too many.' : '';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gateway ${view.stage}</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="dashboard.css">
<script type="module" src="dashboard.js"></script>
</head>
<body>
<header>
<h1>Gateway, stage ${view.stage}</h1>
${drawHealth(view)}
<nav id="pages" aria-label="Other pages of this run">
<a href="index.html">reference</a> <a href="status.html">status</a> <a href="runbook.html">runbook</a>
</nav>
${drawChoices(view, chain)}
</header>
<main>
${drawAlarms(view)}
${sectionsOf(view.widgets).map((widgets, at) => drawSection(widgets, at, others))}
<p class="faint">Running for ${formatSeconds((view.nowMs - view.startedAtMs) / 1_000)}. Data since the start of the run; a chart
has the range, and one point for ${view.stepSeconds} s.${left}</p>
</main>
</body>
</html>
`.text;
}

/** The choice of a range, and of a chain where there are several. */
function drawChoices({ chains, rangeSeconds }: DashboardView, chosen: string): Html {
  const choice = (range: number, chain: string, isChosen: boolean, name: string) =>
    html`<a href="?range=${range}&amp;chain=${chain}"${isChosen ? html` aria-current="true"` : ''}>${name}</a> `;
  const ofChain = (chain: string) => choice(rangeSeconds, chain, chain === chosen, chain || 'all chains');
  return html`${chains.length > 1 ? html`<nav aria-label="Chain">${['', ...chains].map(ofChain)}</nav>` : ''}
<nav aria-label="Range">${Object.keys(RANGES).map((range) =>
    choice(Number(range), chosen, Number(range) === rangeSeconds, formatSeconds(Number(range))),
  )}</nav>`;
}

function drawHealth({ alarms }: DashboardView): Html {
  const firing = alarms.filter(isOn).length;
  if (firing === 0) return html`<p id="health" class="good" role="status">No alarm.</p>`;
  return html`<p id="health" class="bad" role="status">${firing} ${firing === 1 ? 'alarm' : 'alarms'}.</p>`;
}

function isOn({ state, tells }: AlarmView): boolean {
  return state === 'ALARM' && tells;
}

/** Alarms that are on; the others that notify are one line, which unfolds. */
function drawAlarms(view: DashboardView): Html {
  const telling = view.alarms.filter(({ tells }) => tells);
  const [on, others] = [telling.filter(isOn), telling.filter((alarm) => !isOn(alarm))];
  const counts = Object.entries(STATES).flatMap(([state, name]) => {
    const { length } = others.filter((alarm) => alarm.state === state);
    return length === 0 ? [] : [`${length} ${name}`];
  });
  const list = (alarms: readonly AlarmView[]) =>
    html`<ul class="alarms">${alarms.map((alarm) => drawAlarm(alarm, view))}</ul>`;
  return html`<section class="alarms-on">${on.length > 0 ? list(on) : ''}
<details id="alarms-others"><summary>Alarms: ${on.length === 0 ? 'none on, ' : ''}${counts.join(', ')}</summary>${list(others)}</details>
</section>`;
}

/** Descriptions begin with the severity and end with the section of the runbook. */
function drawAlarm({ name, description, state, reason, sinceMs }: AlarmView, { nowMs }: DashboardView): Html {
  const [, severity = '', meaning = description, runbook = ''] =
    /^\[(\w+)\] (.*?) ?(\S+\.md#\S+)?$/.exec(description) ?? [];
  const since = state === 'OK' ? '' : `For ${formatSeconds((nowMs - sinceMs) / 1_000)}: `;
  const section = `runbook.html#${runbook.split('#')[1] ?? ''}`;
  return html`<li data-state="${state}" data-alarm="${name}"><strong>${name}</strong> ${severity}, <b>${STATES[state]}</b>
<p>${meaning}</p><p class="faint">${since}${reason}</p>
${state === 'ALARM' ? html`<p>See <a href="${section}">${runbook}</a></p>` : ''}</li>`;
}

/** Sections begin with a heading. */
function sectionsOf(widgets: readonly WidgetView[]): WidgetView[][] {
  const sections: WidgetView[][] = [];
  for (const widget of widgets) {
    if (widget.kind === 'heading' || sections.length === 0) sections.push([]);
    sections.at(-1)?.push(widget);
  }
  return sections;
}

/** Widgets without data are named in one line, which unfolds. */
function drawSection(widgets: readonly WidgetView[], at: number, otherChains: readonly string[]): Html {
  const [heading] = widgets.filter(({ kind }) => kind === 'heading');
  const metrics = widgets.filter(({ kind }) => kind !== 'heading');
  const [quiet, told] = [metrics.filter(isQuiet), metrics.filter((widget) => !isQuiet(widget))];
  const draw = (shown: readonly WidgetView[]) =>
    html`<div class="widgets">${shown.map((widget) => drawWidget(widget, otherChains))}</div>`;
  return html`<section><h2>${heading?.title ?? ''}</h2>${draw(told)}
${quiet.length === 0 ? '' : html`<details id="quiet-${at}"><summary>Without data: ${quiet.map(({ title }) => title).join(' · ')}</summary>${draw(quiet)}</details>`}
</section>`;
}

/** Whether a widget has nothing to show: no value, and no fault either. */
function isQuiet(widget: WidgetView): boolean {
  if (widget.kind !== 'metrics') return true;
  return widget.series.every((line) => line.availability !== 'faulty' && !hasValue(line));
}

function hasValue({ values }: SeriesView): boolean {
  return values.some((value) => value !== null);
}

function drawWidget(widget: WidgetView, otherChains: readonly string[]): Html {
  if (widget.kind !== 'metrics')
    return html`<article><h3>${widget.title}</h3><p class="faint">a query of logs: not available locally</p></article>`;
  const { title, series } = widget;
  const isOfOther = (label: string) =>
    otherChains.some((name) => label === name || label.startsWith(`${name} `));
  const lines = series.filter(({ label }) => !isOfOther(label));
  const [without, shown] = [lines.filter(isSilent), lines.filter((line) => !isSilent(line))];
  const periods = new Set(series.map(({ periodSeconds }) => formatSeconds(periodSeconds)));
  return html`<article data-title="${title}"><h3>${title} <small>per ${[...periods].join(', ')}</small></h3>
<table>${shown.map((line) => drawLine(line, widget))}</table>
${without.length === 0 ? '' : html`<p class="faint">no data: ${without.map(({ label }) => label).join(' · ')}</p>`}
</article>`;
}

function isSilent(line: SeriesView): boolean {
  return line.availability === 'available' && !hasValue(line);
}

/** One figure with its chart. */
function drawLine(line: SeriesView, { times }: MetricsView): Html {
  const { label, availability, reason } = line;
  const text = {
    available: formatLatest(line, times),
    unavailable: 'not available locally',
    faulty: `error: ${reason}`,
  }[availability];
  const chart = availability === 'available' ? drawChart(line.values) : '';
  return html`<tr title="${reason ?? ''}"><th scope="row">${label}</th><td class="${availability}">${text}</td><td>${chart}</td></tr>`;
}

/** A line from zero on, broken where there is no value; a point without a neighbour is a dot. */
function drawChart(values: readonly (number | null)[]): Html {
  const { width, height, margin } = CHART;
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  const x = (index: number) => margin + ((width - 2 * margin) * index) / Math.max(1, values.length - 1);
  const y = (value: number) =>
    height - margin - ((height - 2 * margin) * (value - least)) / (most - least || 1);
  const points = values.map((value, at) =>
    value === null ? ' ' : `${x(at).toFixed(1)},${y(value).toFixed(1)}`,
  );
  const pieces = points
    .join(';')
    .split(/;? ;?/)
    .filter((piece) => piece !== '');
  return html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${pieces.map((piece) => {
    const [cx, cy] = piece.split(',');
    return piece.includes(';')
      ? html`<polyline points="${piece.replaceAll(';', ' ')}"/>`
      : html`<circle cx="${cx}" cy="${cy}" r="1.8"/>`;
  })}</svg>`;
}
