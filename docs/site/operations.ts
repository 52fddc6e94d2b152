import {
  accountOperationsOf,
  type DescribedOperation,
  type Description,
  lookUp,
  operationsOf,
  type Parameter,
  type Response,
  type Schema,
} from '../../api/read-description.ts';
import { nameOf, typeOf } from '../../api/schema-words.ts';
import { requestOf } from './assets/request-samples.ts';

const RESPONSE_PREFIX = '#/components/responses/';
/** A row holds rows that hold no further ones. */
const MAX_DEPTH = 3;
const CHAIN_SEGMENT = '{chain}';

/** A response that is no success: its status, the codes of `error.code` and what it means. */
export interface DescribedError {
  readonly status: number;
  readonly name: string;
  readonly codes: readonly string[];
  readonly meaning: string;
}

/** A field of a row, or of a row within it (`logs[].address`). */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
  readonly optional: boolean;
}

/** One operation of the Data API as its section of the reference shows it. */
export interface SiteOperation {
  readonly id: string;
  readonly tag: string;
  /** Below the base URL, with its placeholders. */
  readonly path: string;
  /** What stands for the chain in examples. */
  readonly chain: string;
  /** The same path with values that fit. */
  readonly examplePath: string;
  /** Those values by the names of their parameters. */
  readonly exampleParameters: Readonly<Record<string, string | number | boolean>>;
  readonly summary: string;
  readonly description: string | undefined;
  readonly cu: number;
  readonly dataset: string | undefined;
  readonly maxWindowBlocks: number | undefined;
  readonly parameters: readonly Parameter[];
  /** What `data` is: the name of a row, and whether it is a list of those. */
  readonly row: string;
  readonly isList: boolean;
  readonly fields: readonly Field[];
  readonly example: unknown;
  readonly errors: readonly DescribedError[];
}

/** Every operation of the description, in its order. `chain`: what stands for the chain in examples. */
export function siteOperations(description: Description, chain: string): SiteOperation[] {
  const operations = [...operationsOf(description), ...accountOperationsOf(description)];
  return operations.map((one) => describe(description, one, chain));
}

/** Every error of the Data API once, in the order of their statuses. */
export function dataErrors(operations: readonly SiteOperation[]): DescribedError[] {
  const byName = new Map(operations.flatMap(({ errors }) => errors.map((error) => [error.name, error])));
  return [...byName.values()].sort((one, other) => one.status - other.status);
}

/** Values that are written as one word: their name, form and meaning. */
export function wordTypes(description: Description): (readonly [name: string, schema: Schema])[] {
  return Object.entries(description.components.schemas).filter(
    ([, { properties, pattern }]) => properties === undefined && pattern !== undefined,
  );
}

/** The fields of a row of the description, those of rows within it included. */
export function schemaFieldsOf(description: Description, schema: Schema, depth = 0): Field[] {
  const { properties = {}, required = [] } = resolve(description, schema);
  return Object.entries(properties).flatMap(([name, one]) => {
    const own = {
      name,
      type: typeOf(description, one),
      meaning: meaningOf(description, one),
      optional: !required.includes(name),
    };
    const inner = rowWithin(description, one);
    if (inner === undefined || depth + 1 === MAX_DEPTH) return [own];
    const prefix = inner.isList ? `${name}[].` : `${name}.`;
    const below = schemaFieldsOf(description, inner.schema, depth + 1);
    return [own, ...below.map((field) => ({ ...field, name: prefix + field.name }))];
  });
}

function describe(
  description: Description,
  { base, path, operation, parameters }: DescribedOperation,
  chain: string,
): SiteOperation {
  const response = successOf(description, operation.responses);
  const content = response.content?.['application/json'];
  if (content === undefined) throw new Error(`${operation.operationId} has no success with a body`);
  const { schema, example } = content;
  const data = schema.properties?.data ?? {};
  const rowSchema = data.items ?? data;
  return {
    id: operation.operationId,
    tag: operation.tags[0] ?? '',
    path: base + path,
    chain,
    examplePath: examplePath(base + path, parameters, chain),
    exampleParameters: Object.fromEntries(
      parameters.filter(isInExample).map(({ name, example = '' }) => [name, example]),
    ),
    summary: operation.summary,
    description: operation.description,
    cu: operation['x-compute-units'],
    dataset: operation['x-dataset'],
    maxWindowBlocks: operation['x-max-window-blocks'],
    parameters,
    row: nameOf(rowSchema),
    isList: data.items !== undefined,
    fields: schemaFieldsOf(description, rowSchema),
    example,
    errors: Object.entries(operation.responses)
      .filter(([status]) => !status.startsWith('2'))
      .map(([status, reference]) => describeError(description, status, reference.$ref))
      .filter(({ codes }) => codes.length > 0),
  };
}

function successOf(
  description: Description,
  responses: DescribedOperation['operation']['responses'],
): Response {
  return lookUp(description, 'responses', responses['200'] ?? { $ref: '' });
}

function describeError(description: Description, status: string, reference: string): DescribedError {
  const response = lookUp(description, 'responses', { $ref: reference });
  return {
    status: Number(status),
    name: reference.slice(RESPONSE_PREFIX.length),
    codes: response['x-error-codes'] ?? [],
    meaning: response.description,
  };
}

/** A path with an example for each placeholder, and behind it those of parameters that need one. */
function examplePath(path: string, parameters: readonly Parameter[], chain: string): string {
  const examples = parameters.filter(isInExample).map((one) => [one.name, exampleOf(one)] as const);
  const filled = path.replace(CHAIN_SEGMENT, chain);
  return requestOf({ kind: 'data', id: '', path: filled, bare: [], chain }, examples).path;
}

/** What is required, and what the description gives an example of. */
function isInExample({ required, example }: Parameter): boolean {
  return required === true || example !== undefined;
}

function exampleOf({ name, example }: Parameter): string {
  if (example === undefined) throw new Error(`the description has no example of ${name}`);
  return String(example);
}

function meaningOf(description: Description, schema: Schema): string {
  if (schema.description !== undefined) return schema.description;
  if (schema.$ref !== undefined) return resolve(description, schema).description ?? '';
  return '';
}

interface InnerRow {
  readonly schema: Schema;
  readonly isList: boolean;
}

function rowWithin(description: Description, schema: Schema): InnerRow | undefined {
  const candidates: InnerRow[] = [
    { schema, isList: false },
    ...(schema.anyOf ?? []).map((one) => ({ schema: one, isList: false })),
    ...(schema.items === undefined ? [] : [{ schema: schema.items, isList: true }]),
  ];
  return candidates.find((one) => resolve(description, one.schema).properties !== undefined);
}

function resolve(description: Description, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return lookUp(description, 'schemas', { $ref: schema.$ref });
}
