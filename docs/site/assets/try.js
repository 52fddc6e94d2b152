import { showAnswer, showFailure } from './answer.js';
import { portfolioRequests, requestOf, samplesOf } from './request-samples.js';

const BASE_URL = '{base_url}';
const KEPT = 'try-key';
/** What an answer without a body tells of the key, so that no chain needs to be asked any more. */
const WRONG_KEY = 404;

/** Makes the forms write their request in each language; on the reference of a local run they send it, too. */
export function offerTrying() {
  const sends = document.documentElement.dataset.try !== undefined;
  const forms = document.querySelectorAll('form.try');
  for (const form of forms) {
    // `form.dataset` is the field of a parameter that is called so.
    const request = JSON.parse(form.getAttribute('data-request'));
    form.hidden = false;
    form.querySelector('[type=submit]').hidden = !sends;
    form.addEventListener('input', () => rewrite(form, request));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!sends) return;
      const entered = enteredIn(form);
      const isPortfolio = request.kind === 'portfolio';
      void send(form, (ask) => (isPortfolio ? askChains(entered, ask) : ask(requestOf(request, entered))));
    });
  }
  if (sends && forms.length > 0) offerKey();
  openLinked();
  // A browser goes to the part itself once the page is there, and takes the keyboard along.
  addEventListener('load', openLinked);
  addEventListener('hashchange', openLinked);
}

/** Opens the part that a link leads to, with the keyboard where its request is sent. */
function openLinked() {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (part === null) return;
  const folded = part.closest('details');
  if (folded !== null) folded.open = true;
  part.scrollIntoView();
  part.querySelector('form.try [type=submit]:not([hidden])')?.focus({ preventScroll: true });
}

/** In the order of the page, which for a method is the order of its parameters. */
function enteredIn(form) {
  return [...new FormData(form)].map(([name, value]) => [name, value.trim()]);
}

function rewrite(form, request) {
  const samples = samplesOf(request, enteredIn(form), BASE_URL);
  const shown = form.previousElementSibling;
  for (const { label, code } of samples) shown.querySelector(`[data-tab="${label}"] code`).textContent = code;
}

/** Shows the answer of what a form sends. @param sendAll sends it, with what asks for one request */
async function send(form, sendAll) {
  const key = typedKey();
  if (key === '') return;
  const before = performance.now();
  try {
    const answer = await sendAll((request) => ask(key, request));
    showAnswer(form, { ...answer, ms: performance.now() - before });
  } catch (error) {
    showFailure(form, error.message);
  }
}

async function ask(key, { path, body }) {
  const response = await fetch(`/try${path}`, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body }),
  });
  const text = await response.text();
  keepWhatWorked(key, response.status);
  return { status: response.status, headers: response.headers, text };
}

/**
 * Asks chain after chain, and makes one answer of theirs: first a row for each chain that failed, has nothing or has more, then one
 * for each balance. @param ask sends a request, and gives its status, headers and text
 */
async function askChains(entered, ask) {
  const [notes, balances] = [[], []];
  let billed = 0;
  for (const { chain, path } of portfolioRequests(entered)) {
    try {
      const answer = await ask({ path });
      if (answer.status === WRONG_KEY && answer.text === '') return answer;
      billed += Number(answer.headers.get('x-cu-billed') ?? 0);
      const { data = [], next_cursor, error } = JSON.parse(answer.text);
      if (error) notes.push({ chain, error: error.code ?? String(answer.status), message: error.message });
      else if (data.length === 0) notes.push({ chain, error: null, message: 'no balances' });
      else if (next_cursor) notes.push({ chain, error: null, message: `the first ${data.length} balances` });
      balances.push(...data.map((row) => ({ chain, ...row })));
    } catch (error) {
      notes.push({ chain, error: 'not_sent', message: error.message });
    }
  }
  const headers = new Headers({ 'x-cu-billed': String(billed) });
  return { status: 200, headers, text: JSON.stringify({ data: [...notes, ...balances] }) };
}

/** The one field for the key, in the header of a page that can send requests; K leads to it, and Enter from it to the first request of the page. */
function offerKey() {
  const form = document.querySelector('form.key');
  const field = fieldOfKey();
  form.hidden = false;
  field.value = sessionStorage.getItem(KEPT) ?? '';
  // Nobody can see a key to correct it: what is pasted takes its place.
  field.addEventListener('focus', () => field.select());
  field.addEventListener('click', () => field.select());
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select') !== null;
    if (event.key !== 'k' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    field.focus();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    document.querySelector('form.try [type=submit]')?.focus();
  });
}

/** The key as it is typed; asks for it, and is empty, where nothing is typed. */
function typedKey() {
  const key = fieldOfKey().value.trim();
  if (key === '') fieldOfKey().focus();
  return key;
}

/** A wrong key gets 404. Kept, it would be filled into the next page; a key that works is, as long as the tab is open. */
function keepWhatWorked(key, status) {
  if (status !== WRONG_KEY) sessionStorage.setItem(KEPT, key);
  else if (sessionStorage.getItem(KEPT) === key) sessionStorage.removeItem(KEPT);
}

function fieldOfKey() {
  return document.getElementById('api-key');
}
