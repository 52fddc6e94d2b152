import type { AlarmView, DashboardView, WidgetView } from '../view.ts';
import { createChart } from './chart.ts';
import { element } from './element.ts';
import { formatAge, formatSeconds, formatValue, renderMarkdown } from './format.ts';

type MetricsView = Extract<WidgetView, { kind: 'metrics' }>;

/** A widget on the page. */
export interface DrawnWidget {
  readonly root: HTMLElement;
  update(widget: WidgetView, view: DashboardView): void;
  resize(): void;
  restyle(): void;
}

const STATE_NAMES: Readonly<Record<AlarmView['state'], string>> = {
  ALARM: 'in alarm',
  OK: 'ok',
  INSUFFICIENT_DATA: 'too early to tell',
  NOT_AVAILABLE: 'not available locally',
};
const STATE_CLASSES: Readonly<Record<AlarmView['state'], string>> = {
  ALARM: 'in-alarm',
  OK: 'ok',
  INSUFFICIENT_DATA: 'unsure',
  NOT_AVAILABLE: 'unsure',
};
const STATE_ORDER = Object.keys(STATE_NAMES);

/** Makes a widget of its kind. */
export function createWidget(widget: WidgetView): DrawnWidget {
  const drawn = { text: createText, alarms: createAlarms, logs: createLogs, metrics: createMetrics }[
    widget.kind
  ](widget);
  drawn.root.classList.add('widget', `columns-${widget.width}`);
  return drawn;
}

function createText(widget: WidgetView): DrawnWidget {
  const markdown = widget.kind === 'text' ? widget.markdown : '';
  const root = element('section', 'text');
  root.innerHTML = renderMarkdown(markdown);
  return { root, update: () => {}, resize: () => {}, restyle: () => {} };
}

/** Alarms in the states that the widget asks for; the others are one line, which unfolds. */
function createAlarms(): DrawnWidget {
  const title = element('h3');
  const list = element('ul', 'alarms');
  const summary = element('summary');
  const others = element('ul', 'alarms');
  const folded = element('details', 'others', summary, others);
  return {
    root: element('section', 'card alarm-card', title, list, folded),
    update(widget, { alarms, nowMs, pages }) {
      if (widget.kind !== 'alarms') return;
      title.textContent = widget.title;
      const ofWidget = alarms
        .filter(({ arn }) => widget.arns.includes(arn))
        .toSorted((one, other) => STATE_ORDER.indexOf(one.state) - STATE_ORDER.indexOf(other.state));
      const shown = ofWidget.filter(({ state }) => widget.states.includes(state));
      const rest = ofWidget.filter(({ state }) => !widget.states.includes(state));
      list.hidden = shown.length === 0;
      list.replaceChildren(...shown.map((alarm) => alarmItem(alarm, nowMs, pages.runbook)));
      folded.hidden = rest.length === 0;
      summary.textContent = `${shown.length === 0 ? 'None. ' : ''}${countStates(rest)}`;
      others.replaceChildren(...rest.map((alarm) => alarmItem(alarm, nowMs, pages.runbook)));
    },
    resize: () => {},
    restyle: () => {},
  };
}

/** `28 ok, 4 not available locally`. */
function countStates(alarms: readonly AlarmView[]): string {
  return [...Map.groupBy(alarms, ({ state }) => STATE_NAMES[state])]
    .map(([name, some]) => `${some.length} ${name}`)
    .join(', ');
}

function createLogs(widget: WidgetView): DrawnWidget {
  const title = widget.kind === 'logs' ? widget.title : '';
  const note = element('p', 'no-number', 'a query of logs: not available locally');
  const root = element('section', 'card', element('h3', '', title), element('div', 'figures', note));
  return { root, update: () => {}, resize: () => {}, restyle: () => {} };
}

/** Descriptions begin with the severity and end with the section of the runbook. */
function alarmItem(
  { name, description, state, reason, sinceMs }: AlarmView,
  nowMs: number,
  runbookUrl: string,
): HTMLElement {
  const [, severity = '', meaning = description, runbook = ''] =
    /^\[(\w+)\] (.*?) ?(\S+\.md#\S+)?$/.exec(description) ?? [];
  const stateText = element('span', 'alarm-state', STATE_NAMES[state]);
  const head = element('p', 'alarm-head', element('span', 'dot'), element('strong', '', name));
  head.append(element('span', 'severity', severity), stateText);
  const item = element('li', `alarm ${STATE_CLASSES[state]}`, head);
  item.append(element('p', 'meaning', meaning));
  if (state !== 'OK') item.append(element('p', 'reason', `For ${formatAge(nowMs - sinceMs)}: ${reason}`));
  if (state === 'ALARM') {
    const section = element('a', '', runbook);
    section.href = `${runbookUrl}#${runbook.split('#')[1] ?? ''}`;
    item.append(element('p', 'runbook', 'See ', section));
  }
  item.dataset.state = state;
  item.dataset.alarm = name;
  item.title = reason;
  return item;
}

function createMetrics(widget: WidgetView): DrawnWidget {
  const metrics = widget as MetricsView;
  const title = element('h3');
  const period = element('span', 'period');
  const root = element('section', 'card metrics', element('div', 'card-head', title, period));
  const chart = metrics.view === 'timeSeries' ? createChart(metrics.minimum) : undefined;
  const figures = element('div', 'figures');
  root.append(chart?.root ?? figures);
  root.dataset.title = metrics.title;
  return {
    root,
    update(next) {
      if (next.kind !== 'metrics') return;
      title.textContent = next.title;
      const periods = new Set(next.series.map(({ periodSeconds }) => formatSeconds(periodSeconds)));
      period.textContent = `per ${[...periods].join(', ')}`;
      if (chart === undefined) figures.replaceChildren(...next.series.map(figure));
      else chart.update(next.series, next.times);
    },
    resize: () => chart?.resize(),
    restyle: () => chart?.restyle(),
  };
}

function figure({ label, values, availability, reason }: MetricsView['series'][number]): HTMLElement {
  const last = values.findLast((value) => value !== null) ?? undefined;
  const text = {
    available: last === undefined ? 'no data yet' : formatValue(last),
    unavailable: 'not available locally',
    faulty: `error: ${reason}`,
  }[availability];
  const isFigure = availability === 'available' && last !== undefined;
  return element(
    'div',
    'figure',
    element('span', isFigure ? 'number' : 'no-number', text),
    element('span', 'label', label),
  );
}
