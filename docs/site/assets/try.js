const KEY = 'try-key';
const SHOWN_HEADERS = ['x-cu-billed', 'x-cu-balance', 'x-cache', 'retry-after'];

/** Lets requests be tried, on the reference of a local run: it passes them on to its gateway. Elsewhere they can be copied. */
export function offerTrying() {
  if (document.documentElement.dataset.try === undefined) return;
  for (const form of document.querySelectorAll('form.try')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send(form);
    });
    const { key } = form.elements;
    form.addEventListener('focusin', () => {
      key.value ||= sessionStorage.getItem(KEY) ?? '';
    });
    // Nobody can see a key to correct it: what is pasted takes its place. The Tab key selects by itself.
    key.addEventListener('click', () => key.select());
  }
}

async function send({ elements: { key, path, body }, lastElementChild: output }) {
  output.hidden = false;
  output.textContent = '…';
  try {
    const answer = await fetch(`/try${path.value.trim()}`, {
      headers: { 'x-api-key': key.value.trim(), 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: body.value }),
    });
    // A wrong key gets 404: kept, it would be filled into every other form.
    if (answer.status !== 404) sessionStorage.setItem(KEY, key.value.trim());
    output.textContent = `${headOf(answer)}\n\n${laidOut(await answer.text())}`;
  } catch (error) {
    output.textContent = `Not sent: ${error.message}`;
  }
}

function headOf({ status, headers }) {
  const lines = SHOWN_HEADERS.filter((name) => headers.has(name)).map(
    (name) => `${name}: ${headers.get(name)}`,
  );
  return [status === 404 ? '404: an unknown key or path if the body is empty' : status, ...lines].join('\n');
}

function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
