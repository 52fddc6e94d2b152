import { element } from './element.js';
import { plotDay } from './plot.js';

const REFRESH_MS = 300_000;
const WINDOW_MS = 300_000;
const TIMEOUT_MS = 5_000;
/** Members of a window, and what each is called above its plot. */
const FIGURES = {
  answered: 'Answered share of the questions to nodes',
  lag_seconds: 'Lag, seconds',
  latency_ms: 'Latency of the nodes, milliseconds',
  block: 'Head, block',
};

let [shownAt, shownChain] = [Number.NEGATIVE_INFINITY, ''];

/** Plots the last day of the chosen chain, when the view has none of it that is younger than five minutes. */
export async function followHistory(view, statusUrl, chains) {
  const picker = view.querySelector('select');
  const names = chains.map(({ chain }) => chain);
  if (names.join() !== [...picker.options].map(({ value }) => value).join()) {
    picker.replaceChildren(...names.map((name) => element('option', {}, name)));
    picker.onchange = () => void followHistory(view, statusUrl, chains);
  }
  const chain = picker.value;
  if (chain === '' || (chain === shownChain && Date.now() - shownAt < REFRESH_MS)) return;
  [shownAt, shownChain] = [Date.now(), chain];
  const answer = await ask(`${statusUrl}?history=${encodeURIComponent(chain)}`).catch(() => undefined);
  if (chain !== shownChain) return;
  if (answer === undefined) {
    shownAt = Number.NEGATIVE_INFINITY;
    return;
  }
  const { history = [] } = answer.chains?.find((one) => one.chain === chain) ?? {};
  view.hidden = false;
  view.querySelector('[data-plots]').replaceChildren(...plotsOf(history, Date.parse(answer.checked_at)));
}

async function ask(url) {
  const response = await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
  return response.json();
}

/** A row of the last windows stands at its beginning, and may be broken: nothing is drawn over a gap. */
function plotsOf(history, untilMs) {
  const plots = Object.entries(FIGURES).flatMap(([member, name]) => {
    const points = history.flatMap((row) =>
      row[member] === null ? [] : [[Date.parse(row.time), row[member]]],
    );
    return points.length === 0 ? [] : [plotDay(points, name, { untilMs, windowMs: WINDOW_MS })];
  });
  if (plots.length === 0)
    return [element('p', {}, 'No five minutes are on record yet: only chains with an index have them.')];
  return plots.map((plot) => element('figure', { className: 'code' }, [plot]));
}
