import { type Html, html } from './html.ts';

/** A part of a page below a heading that can be linked to. */
export function section(id: string, title: string, content: Html): Html {
  return html`<section id="${id}"><h2><a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a>${title}</h2>${content}</section>`;
}

/** A table with a line of headings. */
export function table(
  head: readonly (Html | string)[],
  rows: readonly (readonly (Html | string | number)[])[],
): Html {
  // In a hand it is scrolled, by the keyboard too.
  return html`<div class="table" tabindex="0"><table><thead><tr>${head.map(
    (cell) => html`<th scope="col">${cell}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** A price in compute units. */
export function price(cu: number): Html {
  return html`<span class="price">${cu} CU</span>`;
}

export function code(text: string | number): Html {
  return html`<code>${text}</code>`;
}

/** A whole number as people write it: 20,000. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** The anchor of an error, in the catalogue of its interface. */
export function errorAnchor(kind: 'rpc' | 'data', name: string): string {
  return `${kind}-${name}`;
}
