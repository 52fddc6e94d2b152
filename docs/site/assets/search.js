const MOST_RESULTS = 12;

let entries;
let active = -1;

/** The search over methods, operations, errors and pages. Its index is read when it is first needed. */
export function offerSearch() {
  const box = document.querySelector('.search');
  const input = box.querySelector('input');
  const list = box.querySelector('[role=listbox]');
  box.hidden = false;
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select') !== null;
    const asks = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!asks) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  input.addEventListener('focus', loadEntries, { once: true });
  input.addEventListener('input', () => search(input, list));
  input.addEventListener('keydown', (event) => steer(event, input, list));
  input.addEventListener('blur', () => setTimeout(() => close(input, list), 150));
  list.addEventListener('mousedown', (event) => event.preventDefault());
}

async function loadEntries() {
  entries ??= fetch('search.json').then((answer) => answer.json());
  return entries;
}

async function search(input, list) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : rank(await loadEntries(), words);
  list.replaceChildren(...(words.length > 0 && found.length === 0 ? [nothing()] : found.map(option)));
  list.hidden = words.length === 0;
  input.setAttribute('aria-expanded', String(words.length > 0));
  activate(input, list, found.length > 0 ? 0 : -1);
}

function rank(all, words) {
  return all
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => entry);
}

/** 0 unless every word is found; whole words of a title weigh most, pages less than what stands on them, and words of their text least. */
function scoreOf({ kind, title, detail, words: text = '' }, words) {
  const head = title.toLowerCase();
  const parts = title
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_]+/);
  const rest = detail.toLowerCase();
  let score = kind === 'Page' ? 0 : 2;
  for (const word of words) {
    if (head === word) score += 8;
    else if (parts.includes(word)) score += 6;
    else if (head.startsWith(word) || parts.some((part) => part.startsWith(word))) score += 5;
    else if (head.includes(word)) score += 3;
    else if (rest.includes(word)) score += 1;
    else if (` ${text}`.includes(` ${word}`)) score += 0.5;
    else return 0;
  }
  return score - head.length / 1000;
}

function option({ kind, title, detail, href }, index) {
  const item = document.createElement('li');
  item.id = `result-${index}`;
  item.setAttribute('role', 'option');
  const link = document.createElement('a');
  link.href = href;
  link.tabIndex = -1;
  link.append(part('b', kind), part('strong', title), part('span', detail));
  item.append(link);
  return item;
}

function nothing() {
  const item = document.createElement('li');
  item.className = 'none';
  item.textContent =
    'Nothing with these words. Names of methods, operations, fields and errors are found, and words of the pages.';
  return item;
}

function part(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function steer(event, input, list) {
  const options = list.querySelectorAll('[role=option]');
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && options.length > 0) {
    event.preventDefault();
    activate(input, list, (active + step + options.length) % options.length);
  }
  if (event.key === 'Enter' && active >= 0) {
    event.preventDefault();
    options[active]?.querySelector('a').click();
    input.blur();
  }
  if (event.key === 'Escape') {
    input.value = '';
    close(input, list);
  }
}

function activate(input, list, index) {
  active = index;
  for (const [place, one] of list.querySelectorAll('[role=option]').entries()) {
    one.setAttribute('aria-selected', String(place === index));
    if (place === index) one.scrollIntoView({ block: 'nearest' });
  }
  if (index < 0) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', `result-${index}`);
}

function close(input, list) {
  list.hidden = true;
  input.setAttribute('aria-expanded', 'false');
  activate(input, list, -1);
}
