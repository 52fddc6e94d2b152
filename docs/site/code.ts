import { JSON_TOKEN, kindOf } from './assets/json-tokens.ts';
import { layOut, type Sample } from './assets/request-samples.ts';
import { escapeHtml, Html, html } from './html.ts';

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
  const tokens = [...text.matchAll(JSON_TOKEN)];
  let [marked, end] = ['', 0];
  for (const [place, { 0: token, index }] of tokens.entries()) {
    const kind = kindOf(token, tokens[place + 1]?.[0]);
    const shown = escapeHtml(token);
    marked += escapeHtml(text.slice(end, index));
    marked += kind === undefined ? shown : `<span class="${kind}">${shown}</span>`;
    end = index + token.length;
  }
  return new Html(marked + escapeHtml(text.slice(end)));
}
