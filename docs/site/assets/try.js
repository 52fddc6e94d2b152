import { showAnswer, showFailure } from './answer.js';
import { keepWhatWorked, offerKey, typedKey } from './key.js';
import { askChains } from './portfolio.js';
import { requestOf, samplesOf } from './request-samples.js';

const BASE_URL = '{base_url}';

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
