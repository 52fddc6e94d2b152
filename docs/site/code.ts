import { layOut, type Sample } from './assets/request-samples.ts';
import { escapeHtml, Html, html } from './html.ts';

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?)/g;

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
