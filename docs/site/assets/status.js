import { followHistory } from './history.js';

const STATUS_URL = '{base_url}/v1/status';
const REFRESH_MS = 10_000;
const TIMEOUT_MS = 5_000;
const WORDS = {
  ok: 'All chains are up',
  degraded: 'Some chains are not there',
  down: 'No chain is there',
  unreachable: 'The gateway cannot be reached',
};

const FORGOTTEN = ' What it said before is not shown any more, because it may be wrong by now.';

/** Shows what the gateway says of itself, and that it says nothing where it does not. */
export function followStatus() {
  const pill = document.querySelector('[data-pill]');
  const view = document.querySelector('[data-live]');
  void ask(pill, view);
  if (view === null) return;
  setInterval(() => {
    if (!document.hidden) void ask(pill, view);
  }, REFRESH_MS);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void ask(pill, view);
  });
}

async function ask(pill, view) {
  const answer = await readStatus();
  const { state } = answer;
  pill.hidden = false;
  pill.dataset.state = state;
  pill.querySelector('[data-pill-text]').textContent = state === 'unreachable' ? 'unreachable' : state;
  if (view !== null) show(view, answer);
}

/** The answer, or why it is missing. */
async function readStatus() {
  try {
    const response = await fetch(STATUS_URL, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return unreachable(`It answered with HTTP ${response.status}.`);
    const status = await response.json();
    const state = status.gateway?.status;
    if (WORDS[state] === undefined) return unreachable('Its answer is not understood.');
    return { state, status };
  } catch (error) {
    const late = error.name === 'TimeoutError';
    return unreachable(
      late ? `It did not answer in ${TIMEOUT_MS / 1000} seconds.` : 'There was no answer at all.',
    );
  }
}

function unreachable(reason) {
  return { state: 'unreachable', reason };
}

function show(view, { state, status, reason }) {
  view.dataset.state = state;
  view.querySelector('[data-verdict]').textContent = WORDS[state];
  view.querySelector('[data-asked]').textContent =
    `asked at ${new Date().toLocaleTimeString()}, every ${REFRESH_MS / 1000} s`;
  const table = view.querySelector('table');
  const why = view.querySelector('[data-reason]');
  why.hidden = reason === undefined;
  why.textContent = reason === undefined ? '' : reason + (table.hidden ? '' : FORGOTTEN);
  const chains = status?.chains ?? [];
  table.hidden = chains.length === 0;
  view.querySelector('[data-chains]').replaceChildren(...chains.map(row));
  void followHistory(document.querySelector('[data-history]'), STATUS_URL, chains);
}

function row({ chain, chain_id, head }) {
  const line = document.createElement('tr');
  const time = new Date(head.time).toLocaleString();
  for (const text of [
    chain,
    chain_id,
    head.block.toLocaleString('en-US'),
    time,
    duration(head.lag_seconds),
  ]) {
    const cell = document.createElement('td');
    cell.textContent = String(text);
    line.append(cell);
  }
  return line;
}

function duration(seconds) {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}
