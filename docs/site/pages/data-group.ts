import type { Parameter, Schema } from '../../../api/read-description.ts';
import { plainValues } from '../../../api/schema-words.ts';
import { jsonBlock } from '../code.ts';
import { type Html, html } from '../html.ts';
import { renderInline } from '../markdown.ts';
import type { DescribedError, Field, SiteOperation } from '../operations.ts';
import type { SitePage } from '../page.ts';
import { code, errorAnchor, grouped, price, table } from '../parts.ts';
import { dataPlayground } from '../try-form.ts';

/** The operations of one tag of the description. @param chains that its forms offer */
export function dataGroupPage(
  tag: string,
  operations: readonly SiteOperation[],
  chains: readonly string[],
): SitePage {
  return {
    file: groupFile(tag),
    title: tag,
    group: 'Data API',
    summary: summaryOf(operations.map(({ cu }) => cu)),
    sections: operations.map(({ id, summary }) => ({ id, title: summary })),
    body: html`${operations.map((operation) => entry(operation, chains))}`,
  };
}

function summaryOf(prices: readonly number[]): string {
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  const price = least === most ? `${least} CU` : `${least} to ${most} CU`;
  return prices.length === 1 ? `One operation, ${price}.` : `${prices.length} operations, ${price} each.`;
}

/** Where an operation is described. */
export function operationHref({ tag, id }: SiteOperation): string {
  return `${groupFile(tag)}#${id}`;
}

function groupFile(tag: string): string {
  return `data-${tag.toLowerCase()}.html`;
}

/** The fields of a row. */
export function fieldTable(fields: readonly Field[]): Html {
  const rows = fields.map(({ name, type, meaning, optional }) => [
    html`${code(name)}${optional ? html` <span class="faint">optional</span>` : undefined}`,
    html`<span class="type">${renderInline(type)}</span>`,
    renderInline(meaning),
  ]);
  return table(['Field', 'Type', ''], rows);
}

function entry(operation: SiteOperation, chains: readonly string[]): Html {
  const { id, path, summary, description, cu, parameters, example } = operation;
  return html`<details class="fold">
<summary><h2>${summary}</h2> ${price(cu)}</summary>
<article class="entry" id="${id}">
<div class="about">
<p class="path"><span class="verb">GET</span> <code>${segments(path)}</code></p>
<p class="facts">${price(cu)} <a class="faint" href="#${id}"><code>${id}</code></a>${facts(operation)}</p>
${description === undefined ? undefined : html`<p>${renderInline(description)}</p>`}
${parameters.length === 0 ? undefined : html`<h3>Parameters</h3>${parameterTable(parameters)}`}
<h3>Response</h3>
${responseTable(operation)}
<h3>Errors</h3>
${errorList(operation.errors)}
</div>
<div class="shown">
${dataPlayground(operation, chains)}
${jsonBlock('Response', example)}
</div>
</article>
</details>`;
}

/** A path in which a line may end after each slash. */
function segments(path: string): Html {
  return html`${path.split('/').map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;
}

function facts({ dataset, maxWindowBlocks }: SiteOperation): Html {
  return html`${dataset === undefined ? undefined : html` <span class="faint">data set <code>${dataset}</code></span>`}${
    maxWindowBlocks === undefined
      ? undefined
      : html` <span class="faint">at most ${grouped(maxWindowBlocks)} blocks at a time</span>`
  }`;
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    html`${code(name)}${place === 'path' ? html` <span class="faint">path</span>` : required === true ? html` <span class="needed">required</span>` : undefined}`,
    values(schema),
    renderInline(description),
  ]);
  return table(['Name', 'Values', ''], rows);
}

function values(schema: Schema): Html {
  const { type, enum: choices, default: standard, pattern } = schema;
  const unless =
    standard === undefined ? undefined : html` <span class="faint">default ${code(String(standard))}</span>`;
  if (choices !== undefined) return html`${choices.map((choice) => html`${code(String(choice))} `)}${unless}`;
  return html`${plainValues(schema) ?? (pattern === undefined ? String(type) : 'text')}${unless}`;
}

function responseTable({ row, isList, fields }: SiteOperation): Html {
  return html`<p><code>data</code> is ${isList ? 'an array of ' : ''}<strong>${row}</strong>, beside <a href="data-api.html#answers"><code>meta</code></a>.</p>
<details><summary>${fields.length === 1 ? 'The field' : `All ${fields.length} fields`}</summary>${fieldTable(fields)}</details>`;
}

function errorList(errors: readonly DescribedError[]): Html {
  const items = errors.flatMap(({ status, codes }) =>
    codes.map(
      (name) =>
        html`<li><a href="errors.html#${errorAnchor('data', name)}">${status} <code>${name}</code></a></li>`,
    ),
  );
  return html`<ul class="chips">${items}</ul>`;
}
