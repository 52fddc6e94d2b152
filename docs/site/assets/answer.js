import { offerCopyingOf } from './copy.js';
import { element } from './element.js';
import { JSON_TOKEN, kindOf } from './json-tokens.js';
import { plotOf, plotTimes } from './plot.js';
import { makeTabs } from './tabs.js';

/** Longer texts are laid out, not coloured: each colour is an element. */
const MOST_COLOURED_CHARACTERS = 200_000;
const MOST_TABLE_ROWS = 100;
const MOST_TABLE_COLUMNS = 24;
const MOST_KEPT_TIMES = 50;
const SHOWN_HEADERS = ['x-cu-cost', 'x-cu-balance', 'x-cache', 'retry-after', 'x-request-id'];
const WRONG_KEY =
  'No such key or path. A key begins with rgw_ and has 68 characters; paste it into the field at the top.';

/** What each form has waited for its answers, in milliseconds. */
const waited = new WeakMap();

/**
 * Shows an answer below its form: as it came, and as a table or a plot where it is rows. What a chain says is only ever
 * shown as text.
 */
export function showAnswer(form, { status, headers, text, ms }) {
  const times = [...(waited.get(form) ?? []), ms].slice(-MOST_KEPT_TIMES);
  waited.set(form, times);
  const views = new Map();
  const rows = rowsOf(text);
  const plot = rows && plotOf(rows);
  if (plot) views.set('Plot', plot);
  if (rows) views.set('Table', tableOf(rows));
  views.set('Response', element('pre', { tabIndex: 0 }, [element('code', {}, laidOut(text))]));
  if (times.length > 1) views.set('Latency', plotTimes(times));
  const billed = headers.get('x-cu-billed');
  const facts = [
    `${status}`,
    `${ms.toFixed(ms < 10 ? 1 : 0)} ms`,
    `${new Blob([text]).size.toLocaleString('en-US')} bytes`,
    billed === null ? 'not billed' : `${billed} CU billed`,
  ];
  const more = SHOWN_HEADERS.filter((name) => headers.has(name)).map(
    (name) => `${name}: ${headers.get(name)}`,
  );
  frameOf(form).replaceChildren(
    element('figcaption', {}, [
      element('span', { className: status < 400 ? 'good' : 'bad' }, facts.join(' · ')),
      element('button', { type: 'button', className: 'copy' }, 'Copy'),
    ]),
    ...(status === 404 && text === '' ? [element('p', {}, WRONG_KEY)] : [tabsOf(views)]),
    element('p', { className: 'headers' }, more.join('\n')),
  );
  makeTabs([...frameOf(form).querySelectorAll('[data-tabs]')]);
  offerCopyingOf(frameOf(form).querySelector('.copy'), () => text);
}

/** Says why there is no answer. */
export function showFailure(form, message) {
  frameOf(form).replaceChildren(element('p', {}, `Not sent: ${message}`));
}

function frameOf(form) {
  let frame = form.querySelector('figure.answer');
  if (frame === null) {
    frame = element('figure', { className: 'code answer' });
    frame.setAttribute('aria-live', 'polite');
    form.append(frame);
  }
  return frame;
}

/** The rows of a list, or the one of an answer that is an object. */
function rowsOf(text) {
  try {
    const { data, result } = JSON.parse(text);
    const rows = [data ?? result].flat();
    return rows.length > 0 && rows.every((row) => typeof row === 'object' && row !== null) ? rows : undefined;
  } catch {
    return undefined;
  }
}

function tabsOf(views) {
  const group = element('div', {}, [...views.values()]);
  group.dataset.tabs = 'views of the answer';
  for (const [name, panel] of views) panel.dataset.tab = name;
  return group;
}

function tableOf(rows) {
  const columns = [...new Set(rows.slice(0, MOST_TABLE_ROWS).flatMap(Object.keys))].slice(
    0,
    MOST_TABLE_COLUMNS,
  );
  const cell = (value) =>
    value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  const head = element(
    'tr',
    {},
    columns.map((name) => element('th', { scope: 'col' }, name)),
  );
  const body = rows.slice(0, MOST_TABLE_ROWS).map((row) =>
    element(
      'tr',
      {},
      columns.map((name) => element('td', {}, cell(row[name]))),
    ),
  );
  const caption =
    rows.length > MOST_TABLE_ROWS ? `first ${MOST_TABLE_ROWS} of ${rows.length} rows` : `${rows.length} rows`;
  return element('div', { className: 'rows', tabIndex: 0 }, [
    element('table', {}, [
      element('caption', {}, caption),
      element('thead', {}, [head]),
      element('tbody', {}, body),
    ]),
  ]);
}

/** The text of an answer with its own digits, laid out; what is no JSON stays as it is. */
function laidOut(text) {
  const tokens = isJson(text) ? text.match(JSON_TOKEN) : undefined;
  if (!tokens) return text;
  const colours = text.length <= MOST_COLOURED_CHARACTERS;
  const parts = [];
  let [plain, depth] = ['', 0];
  for (const [index, token] of tokens.entries()) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    const closes = token === '}' || token === ']';
    if (closes) depth--;
    const isFirst = before === '{' || before === '[' || before === ',';
    if (closes ? !isFirst || before === ',' : isFirst) plain += `\n${'  '.repeat(depth)}`;
    if (token === '{' || token === '[') depth++;
    const kind = kindOf(token, next);
    if (!colours || kind === undefined) {
      plain += token === ':' ? ': ' : token;
      continue;
    }
    parts.push(plain, element('span', { className: kind }, token));
    plain = '';
  }
  return [...parts, plain];
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
