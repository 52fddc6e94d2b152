import type { WidgetView } from '../view.ts';
import { element } from './element.ts';
import type { DrawnWidget } from './widgets.ts';

/** The line of a section that stands for its widgets without data; it unfolds. */
interface QuietLine {
  readonly root: HTMLDetailsElement;
  quiet: readonly HTMLElement[];
}

/** By the last widget of the section. */
const lines = new WeakMap<HTMLElement, QuietLine>();

/** Folds widgets without data into one line at the end of their section. Sections begin with a text. */
export function foldQuiet(drawn: readonly DrawnWidget[], widgets: readonly WidgetView[]): void {
  let quiet: HTMLElement[] = [];
  for (const [place, { root }] of drawn.entries()) {
    const widget = widgets[place];
    if (widget === undefined) continue;
    if (isQuiet(widget)) quiet.push(root);
    else root.hidden = false;
    if (place + 1 < drawn.length && widgets[place + 1]?.kind !== 'text') continue;
    showQuiet(root, quiet);
    quiet = [];
  }
}

/** Whether a widget has nothing to show: no value, and no fault either. */
function isQuiet(widget: WidgetView): boolean {
  if (widget.kind === 'logs') return true;
  if (widget.kind !== 'metrics') return false;
  return widget.series.every(
    ({ availability, values }) => availability !== 'faulty' && values.every((value) => value === null),
  );
}

/** @param last widget of the section, behind which the line stands */
function showQuiet(last: HTMLElement, quiet: readonly HTMLElement[]): void {
  const line = lines.get(last) ?? lineBehind(last);
  line.quiet = quiet;
  line.root.hidden = quiet.length === 0;
  const names = quiet.map((root) => root.querySelector('h3')?.textContent ?? '');
  line.root.firstElementChild?.replaceChildren(`Without data: ${names.join(' · ')}`);
  for (const root of quiet) root.hidden = !line.root.open;
}

function lineBehind(last: HTMLElement): QuietLine {
  const line: QuietLine = { root: element('details', 'widget quiet', element('summary')), quiet: [] };
  line.root.addEventListener('toggle', () => {
    for (const root of line.quiet) root.hidden = !line.root.open;
  });
  lines.set(last, line);
  last.after(line.root);
  return line;
}
