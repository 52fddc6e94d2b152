import type { DashboardView, WidgetView } from '../view.ts';
import { element } from './element.ts';
import { formatAge } from './format.ts';
import { foldQuiet } from './quiet.ts';
import { createWidget, type DrawnWidget } from './widgets.ts';

const REFRESH_MS = 2_000;
const TIMEOUT_MS = 5_000;

const title = part('title');
const health = part('health');
const ranges = part('ranges');
const dashboards = part('dashboards');
const footer = part('footer');
const pages = part('pages');
const chains = part('chains');
let drawn: readonly (readonly DrawnWidget[])[] = [];
/** Start of the run whose widgets are drawn: another run can have others. */
let drawnRun: number | undefined;

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page lacks #${id}`);
  return found;
}

function range(): string {
  return ranges.querySelector<HTMLInputElement>('input:checked')?.value ?? '';
}

async function load(): Promise<void> {
  try {
    const response = await fetch(`view.json?range=${range()}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    show((await response.json()) as DashboardView);
    document.body.classList.remove('lost');
  } catch {
    document.body.classList.add('lost');
    health.textContent = 'The run does not answer. This page shows its last data.';
  }
}

function show(view: DashboardView): void {
  title.textContent = `Gateway, stage ${view.stage}`;
  document.title = `Gateway ${view.stage}`;
  if (drawnRun !== view.startedAtMs) build(view);
  const chain = chosenChain();
  for (const [index, { widgets }] of view.dashboards.entries()) {
    for (const [place, widget] of widgets.entries())
      drawn[index]?.[place]?.update(ofChain(widget, view.chains, chain), view);
    foldQuiet(drawn[index] ?? [], widgets);
  }
  showHealth(view);
  const left = view.isIncomplete ? ' Some metrics are left out because there are too many.' : '';
  footer.textContent =
    `Running for ${formatAge(view.nowMs - view.startedAtMs)}. Data since the start of the run, ` +
    `one point for ${view.stepSeconds} s.${left}`;
}

function build(view: DashboardView): void {
  drawnRun = view.startedAtMs;
  drawn = view.dashboards.map(({ widgets }) => widgets.map(createWidget));
  dashboards.replaceChildren(
    ...drawn.map((widgets) => element('div', 'grid', ...widgets.map(({ root }) => root))),
  );
  pages.replaceChildren(
    ...Object.entries(view.pages).map(([name, url]) => {
      const link = element('a', '', name);
      link.href = url;
      return link;
    }),
  );
  chains.hidden = view.chains.length < 2;
  const all = element('option', '', 'all');
  all.value = '';
  chains
    .querySelector('select')
    ?.replaceChildren(all, ...view.chains.map((name) => element('option', '', name)));
}

/** Empty: all of them. */
function chosenChain(): string {
  return chains.querySelector('select')?.value ?? '';
}

/** A widget without the lines of other chains than the one that is chosen. */
function ofChain(widget: WidgetView, names: readonly string[], chosen: string): WidgetView {
  if (chosen === '' || widget.kind !== 'metrics') return widget;
  const others = names.filter((name) => name !== chosen);
  const isOfOther = (label: string) => others.some((name) => label === name || label.startsWith(`${name} `));
  return { ...widget, series: widget.series.filter(({ label }) => !isOfOther(label)) };
}

function showHealth({ alarms }: DashboardView): void {
  const firing = alarms.filter(({ state, tells }) => state === 'ALARM' && tells).length;
  health.className = firing > 0 ? 'bad' : 'good';
  if (alarms.length === 0) health.textContent = 'This stage has no alarms.';
  else if (firing === 0) health.textContent = 'No alarm.';
  else health.textContent = firing === 1 ? '1 alarm.' : `${firing} alarms.`;
}

function all(act: (widget: DrawnWidget) => void): void {
  for (const widgets of drawn) for (const widget of widgets) act(widget);
}

/** One request at a time, and none while the page is hidden. */
async function keepLoading(): Promise<void> {
  for (;;) {
    if (!document.hidden) await load();
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}

new ResizeObserver(() => all((widget) => widget.resize())).observe(dashboards);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
  all((widget) => widget.restyle()),
);
ranges.addEventListener('change', load);
chains.addEventListener('change', load);
void keepLoading();
