import type { Parameter, Schema } from '../../api/read-description.ts';
import type { RpcMethod } from '../../api/rpc-methods.ts';
import { type Entered, layOut, samplesOf, type TriedRequest } from './assets/request-samples.ts';
import { samples } from './code.ts';
import { type Html, html } from './html.ts';
import type { SiteOperation } from './operations.ts';
import { code, price } from './parts.ts';
import { BASE_URL_PLACEHOLDER } from './serve-file.ts';

/** A field of a form. */
interface FormField {
  readonly name: string;
  /** What people read beside the name. */
  readonly note: string;
  /** What it begins with. */
  readonly value: string;
  readonly required: boolean;
  readonly schema: Pick<Schema, 'enum' | 'type' | 'minimum' | 'maximum' | 'default'>;
}

/** Whether a program writes values of a schema without quotes. */
const BARE_TYPES: readonly unknown[] = ['integer', 'number', 'boolean'];

/** An operation as one writes it in each language, and the form that changes what is written and sends it. @param chains that can be asked */
export function dataPlayground(operation: SiteOperation, chains: readonly string[]): Html {
  const { id, path, parameters, chain, cu } = operation;
  const request: TriedRequest = {
    kind: 'data',
    id,
    path,
    bare: parameters.filter(({ schema }) => BARE_TYPES.includes(schema.type)).map(({ name }) => name),
    chain,
  };
  const names = chains.includes(chain) ? chains : [chain, ...chains];
  const fields = [
    ...(path.includes('{chain}')
      ? [{ name: 'chain', note: 'path', value: chain, required: true, schema: { enum: names } }]
      : []),
    ...parameters.map((parameter) => fieldOf(parameter, operation)),
  ];
  return playground('client', request, fields, cu);
}

/** A method in the same way. @param cu its weight */
export function rpcPlayground({ method, parameters, params }: RpcMethod, cu: number): Html {
  const fields = parameters.map(({ name, holds, optional }, place) => ({
    name,
    note: holds,
    value: place < params.length ? shown(params[place]) : '',
    required: optional !== true,
    schema: {},
  }));
  return playground('language', { kind: 'rpc', method }, fields, cu);
}

/** The balances of an address on several chains. @param cu price of each chain */
export function portfolioPlayground(address: string, chains: readonly string[], cu: number): Html {
  const field = (name: string, note: string, value: string) => ({
    name,
    note,
    value,
    required: true,
    schema: {},
  });
  const fields = [
    field('address', '', address),
    field('chains', 'names, with commas between', chains.join(',')),
  ];
  return playground('client', { kind: 'portfolio' }, fields, cu);
}

/** @param tabs name under which the choice of a language is remembered */
function playground(
  tabs: string,
  request: Parameters<typeof samplesOf>[0],
  fields: readonly FormField[],
  cu: number,
): Html {
  const entered: Entered = fields.map(({ name, value }) => [name, value]);
  const isFirst = ({ value, required }: FormField) => required || value !== '';
  const [first, more] = [fields.filter(isFirst), fields.filter((field) => !isFirst(field))];
  return html`${samples(tabs, samplesOf(request, entered, BASE_URL_PLACEHOLDER))}
<form class="try" data-request="${JSON.stringify(request)}" hidden autocomplete="off">
${first.map(control)}${
  more.length === 0
    ? undefined
    : html`<details><summary>${more.length === 1 ? 'One more parameter' : `${more.length} more parameters`}</summary>${more.map(control)}</details>`
}
<p class="send"><button type="submit">Send</button> ${price(cu)}</p>
</form>`;
}

function fieldOf(
  { name, in: place, required, schema, example }: Parameter,
  operation: SiteOperation,
): FormField {
  const value = operation.exampleParameters[name] ?? example ?? '';
  return {
    name,
    note: place === 'path' ? 'path' : required === true ? 'required' : '',
    value: String(value),
    required: place === 'path' || required === true,
    schema,
  };
}

function control(field: FormField): Html {
  return html`<label><span>${code(field.name)} <span class="faint">${field.note}</span></span>${input(field)}</label>`;
}

function input({ name, value, required, schema }: FormField): Html {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  const needed = required ? html` required` : undefined;
  if (choices !== undefined) {
    const none = required ? undefined : html`<option value="">${unless(schema)}</option>`;
    const options = choices.map((choice) =>
      String(choice) === value
        ? html`<option selected>${choice ?? ''}</option>`
        : html`<option>${choice ?? ''}</option>`,
    );
    return html`<select name="${name}"${needed}>${none}${options}</select>`;
  }
  const kind = schema.type === 'integer' ? html` inputmode="numeric"` : undefined;
  return html`<input name="${name}" value="${value}" placeholder="${unless(schema)}" spellcheck="false"${kind}${needed}>`;
}

function unless({ default: standard }: Pick<Schema, 'default'>): string {
  return standard === undefined ? '' : `default ${standard}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : layOut(value).replaceAll(/\n\s*/g, ' ');
}
