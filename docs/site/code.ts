import { escapeHtml, Html, html } from './html.ts';

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?)/g;
const MAX_LINE_CHARACTERS = 58;

/** One way to write the same thing, such as the call in curl. */
export interface Sample {
  readonly label: string;
  readonly code: string;
}

/** A block of code with a name and a button that copies it; a line that is too long continues in the next. */
export function codeBlock(title: string, code: string): Html {
  return frame(title, html`<pre tabindex="0"><code>${code}</code></pre>`, 'code wrapped');
}

/** A block of JSON, coloured. */
export function jsonBlock(title: string, value: unknown): Html {
  return frame(title, html`<pre tabindex="0"><code>${highlightJson(layOut(value))}</code></pre>`);
}

/** Several ways to write one thing; the script makes tabs of them, without it they stand one below the other. */
export function samples(name: string, ways: readonly Sample[]): Html {
  return html`<div class="samples" data-tabs="${name}">${ways.map(
    ({ label, code }) => html`<section data-tab="${label}">${codeBlock(label, code)}</section>`,
  )}</div>`;
}

/** A request that can be tried where the page is that of a local run; hidden elsewhere. @param body of a POST */
export function tryForm(path: string, body?: string): Html {
  return html`<form class="try" hidden autocomplete="off">
<label>API key <input name="key" type="password" required></label>
<label>Path <input name="path" value="${path}" required spellcheck="false"></label>
${body === undefined ? undefined : html`<label>Body <textarea name="body" rows="4" spellcheck="false">${body}</textarea></label>`}
<button type="submit">Send</button>
<pre tabindex="0" aria-live="polite" hidden></pre></form>`;
}

/** JSON with what fits a line on one. */
export function layOut(value: unknown, indent = ''): string {
  const flat = flatten(value);
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= MAX_LINE_CHARACTERS)
    return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length === 1) return `[${layOut(value[0], indent)}]`;
  if (Array.isArray(value))
    return `[\n${value.map((one) => inner + layOut(one, inner)).join(',\n')}\n${indent}]`;
  const members = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${layOut(one, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** JSON on one line, with a space after each comma and colon. */
function flatten(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatten).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${flatten(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function frame(title: string, content: Html, kind = 'code'): Html {
  return html`<figure class="${kind}"><figcaption><span>${title}</span><button type="button" class="copy" hidden>Copy</button></figcaption>${content}</figure>`;
}

function highlightJson(text: string): Html {
  let marked = '';
  let end = 0;
  for (const match of text.matchAll(JSON_TOKEN)) {
    const [whole, quoted, colon, word] = match;
    marked += escapeHtml(text.slice(end, match.index));
    if (quoted !== undefined) marked += mark(colon === undefined ? 's' : 'k', quoted) + (colon ?? '');
    else marked += mark(word === undefined ? 'n' : 'w', whole);
    end = match.index + whole.length;
  }
  return new Html(marked + escapeHtml(text.slice(end)));
}

function mark(kind: string, text: string): string {
  return `<span class="${kind}">${escapeHtml(text)}</span>`;
}
