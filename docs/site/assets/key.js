const KEPT = 'try-key';

/** The one field for the key, in the header of a page that can send requests; K leads to it, and Enter from it to the first request of the page. */
export function offerKey() {
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
export function typedKey() {
  const key = fieldOfKey().value.trim();
  if (key === '') fieldOfKey().focus();
  return key;
}

/** A wrong key gets 404. Kept, it would be filled into the next page; a key that works is, as long as the tab is open. */
export function keepWhatWorked(key, status) {
  if (status !== 404) sessionStorage.setItem(KEPT, key);
  else if (sessionStorage.getItem(KEPT) === key) sessionStorage.removeItem(KEPT);
}

function fieldOfKey() {
  return document.getElementById('api-key');
}
