import { element, shape } from './element.js';

/** A drawing is scaled to its place: on a phone it has fewer units, so that its words can be read. */
const [WIDTH, NAMES_WIDTH, MOST_LABEL_CHARACTERS] =
  globalThis.innerWidth < 600 ? [360, 110, 13] : [600, 170, 20];
const [HEIGHT, LEFT, BOTTOM, TOP] = [240, 8, 28, 16];
/** Room for the figure behind a bar. */
const FIGURE_WIDTH = 130;
const DAY_MS = 86_400_000;
const MOST_BARS = 12;
/** Fields that say when a row is of, and what of a row is worth a look, the first that it has. */
const TIMES = ['start', 'time', 'block_time', 'day', 'date', 'hour', 'block_timestamp'];
const VALUES = [
  'value_usd',
  'price_usd',
  'close',
  'amount_usd',
  'balance_usd',
  'ui_amount',
  'amount',
  'balance',
  'value',
  'gas_used',
  'charged_cu',
  'cu',
];
const LABELS = ['symbol', 'name', 'token', 'address', 'holder', 'pool', 'method'];

/** Rows as a drawing: candles, a line over time, or bars by name; undefined where they are none of these. */
export function plotOf(rows) {
  const timeName = TIMES.find((name) => Number.isFinite(Date.parse(rows[0][name])));
  const inTime =
    timeName && [...rows].sort((one, other) => Date.parse(one[timeName]) - Date.parse(other[timeName]));
  if (rows.length > 1 && timeName && isCandle(rows[0])) return candles(inTime, timeName);
  const valueName = VALUES.find((name) => rows.some((row) => isNumber(row[name])));
  if (valueName === undefined || rows.length < 2) return undefined;
  const named = (row) => isNumber(row[valueName]);
  if (timeName) {
    const points = inTime.filter(named).map((row) => [Date.parse(row[timeName]), Number(row[valueName])]);
    return points.length > 1 ? line(points, valueName, momentOf) : undefined;
  }
  const labelName = LABELS.find((name) => rows[0][name] !== undefined);
  return labelName && bars(rows.filter(named), labelName, valueName);
}

/**
 * A day of one figure: a line that is broken where a window is missing.
 * @param points [milliseconds since the epoch, value], oldest first
 */
export function plotDay(points, name, { untilMs, windowMs }) {
  return line(points, name, momentOf, { first: untilMs - DAY_MS, last: untilMs, gap: 1.5 * windowMs });
}

/** What a form has waited for its last answers. @param times in milliseconds, oldest first */
export function plotTimes(times) {
  return line(
    times.map((ms, index) => [index + 1, ms]),
    'milliseconds',
    (place) => `request ${place}`,
  );
}

function isCandle(row) {
  return ['open', 'high', 'low', 'close'].every((name) => row[name] === null || isNumber(row[name]));
}

function isNumber(value) {
  return (
    (typeof value === 'number' || typeof value === 'string') && value !== '' && Number.isFinite(Number(value))
  );
}

function candles(rows, timeName) {
  const drawn = rows.filter(({ open }) => open !== null);
  if (drawn.length === 0) return undefined;
  const scale = scaleOf(drawn.flatMap(({ high, low }) => [Number(high), Number(low)]));
  const step = (WIDTH - 2 * LEFT) / drawn.length;
  const marks = drawn.map((row, index) => {
    const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) => Number(row[name]));
    const x = LEFT + (index + 0.5) * step;
    const top = scale(Math.max(open, close));
    const title = `${row[timeName]}: open ${row.open}, high ${row.high}, low ${row.low}, close ${row.close}`;
    return shape('g', { class: close < open ? 'falls' : 'rises' }, [
      shape('title', {}, title),
      shape('line', { x1: x, x2: x, y1: scale(high), y2: scale(low) }),
      shape('rect', {
        x: x - Math.max(1, step * 0.3),
        width: Math.max(2, step * 0.6),
        y: top,
        height: Math.max(1, scale(Math.min(open, close)) - top),
      }),
    ]);
  });
  const [first, last] = [drawn[0], drawn.at(-1)].map((row) => momentOf(Date.parse(row[timeName])));
  return drawing(marks, scale, [first, last], `${drawn.length} candles`);
}

function line(points, name, wordOf, { first = points[0][0], last = points.at(-1)[0], gap = Infinity } = {}) {
  const scale = scaleOf(points.map(([, value]) => value));
  const x = (at) => LEFT + ((at - first) / (last - first || 1)) * (WIDTH - 2 * LEFT);
  const pieces = points.reduce((all, point, index) => {
    if (index === 0 || point[0] - points[index - 1][0] > gap) all.push([]);
    all.at(-1).push(`${x(point[0]).toFixed(1)},${scale(point[1]).toFixed(1)}`);
    return all;
  }, []);
  const dots = points.map(([at, value]) =>
    shape('circle', { cx: x(at), cy: scale(value), r: 2.5 }, [shape('title', {}, `${wordOf(at)}: ${value}`)]),
  );
  return drawing(
    [...pieces.map((piece) => shape('polyline', { points: piece.join(' ') })), ...dots],
    scale,
    [wordOf(first), wordOf(last)],
    name,
  );
}

function bars(rows, labelName, valueName) {
  const most = [...rows].sort((one, other) => other[valueName] - one[valueName]).slice(0, MOST_BARS);
  const largest = Math.max(...most.map((row) => Number(row[valueName])));
  const height = 20;
  const marks = most.map((row, index) => {
    const label = String(row[labelName]);
    const short =
      label.length > MOST_LABEL_CHARACTERS ? `${label.slice(0, MOST_LABEL_CHARACTERS - 1)}…` : label;
    const width =
      largest > 0
        ? Math.max(1, (Number(row[valueName]) / largest) * (WIDTH - NAMES_WIDTH - FIGURE_WIDTH))
        : 1;
    const y = TOP + index * height;
    return shape('g', { class: 'bar-of' }, [
      shape('title', {}, `${label}: ${row[valueName]}`),
      shape('text', { x: LEFT, y: y + 12 }, short),
      shape('rect', { x: NAMES_WIDTH, y: y + 2, width, height: height - 6 }),
      shape('text', { x: NAMES_WIDTH + 8 + width, y: y + 12 }, shortNumber(Number(row[valueName]))),
    ]);
  });
  return frame(
    marks,
    TOP + most.length * height + 8,
    `${valueName} by ${labelName}, the ${most.length} largest`,
  );
}

/** From values to places of the drawing: the largest on top. */
function scaleOf(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = most - least || Math.abs(most) || 1;
  const scale = (value) => TOP + ((most - value) / room) * (HEIGHT - TOP - BOTTOM);
  return Object.assign(scale, { least, most });
}

function drawing(marks, scale, [first, last], name) {
  const [least, most] = [shortNumber(scale.least), shortNumber(scale.most)];
  const words = [
    shape('text', { x: LEFT, y: TOP - 1 }, most),
    ...(least === most ? [] : [shape('text', { x: LEFT, y: HEIGHT - BOTTOM + 2 }, least)]),
    shape('text', { x: LEFT, y: HEIGHT - 4 }, String(first)),
    shape('text', { x: WIDTH - LEFT, y: HEIGHT - 4, 'text-anchor': 'end' }, String(last)),
  ];
  return frame([...marks, ...words], HEIGHT, `${name}, ${least === most ? most : `${least} to ${most}`}`);
}

function frame(marks, height, name) {
  const drawn = shape('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': name }, marks);
  return element('div', { className: 'plot' }, [drawn, element('p', {}, name)]);
}

/** A time in UTC, to the minute. */
function momentOf(ms) {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

function shortNumber(value) {
  return new Intl.NumberFormat('en-US', {
    notation: Math.abs(value) < 1e6 ? 'standard' : Math.abs(value) < 1e15 ? 'compact' : 'scientific',
    maximumSignificantDigits: 5,
  }).format(value);
}
