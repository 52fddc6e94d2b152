import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The description of the Data API as it is written. */
const DESCRIPTION_FILE = join(import.meta.dirname, 'data-api.yaml');

/** Errors that every operation may answer, by status: names of responses. */
const ERRORS = {
  400: 'BadRequest',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'NoAnswer',
  503: 'Unavailable',
  504: 'NoAnswer',
};
/** Further ones of the operations on chains, which are billed. */
const BILLED_ERRORS = { 402: 'InsufficientBalance', 403: 'Forbidden', 422: 'Unprocessable' };
const UNCHANGED = { 304: 'NotModified' };
/** Operations whose answers are others each time, and so have no `ETag`. */
const NEVER_THE_SAME: ReadonlySet<string> = new Set(['listChains', 'getFreshness']);
const BILLED_HEADERS = [
  'X-CU-Cost',
  'X-CU-Billed',
  'X-CU-Balance',
  'X-CU-Lane',
  'RateLimit',
  'RateLimit-Policy',
];
/** Parameter of operations whose answer may have another page. */
const CURSOR = '#/components/parameters/Cursor';
/** Parameters that stand behind another one wherever it is: those of exports behind that of pages, and the rest of a window. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  [CURSOR]: ['Format', 'Trailer', 'Csv', 'MaxRows'],
  '#/components/parameters/FromBlock': ['ToBlock', 'FromTime', 'ToTime', 'Clamp', 'Finality'],
};
/** `meta` of an example that says no other. */
const EXAMPLE_META = {
  as_of_block: 960,
  finalized_block: 704,
  coverage: 'full',
  refreshed_at: '2026-11-21T08:34:09Z',
  rows_read: 1,
  query_ms: 4,
};
/** Error of operations that read a snapshot of balances: a header of theirs names it. */
const SNAPSHOT_ERROR = '#/components/responses/SnapshotReplaced';

/** The parameter that names the chain of a path. */
const CHAIN_PARAMETER = 'ChainName';

/** A JSON Schema, as far as this description uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
}

interface Success {
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  /** Absent where a response has no body. */
  readonly content?: { readonly 'application/json': Success } | undefined;
  readonly 'x-error-codes'?: readonly string[];
}

interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly 'x-compute-units': number;
  /** Parameter that is a list; the price is for each of its members. */
  readonly 'x-per-item'?: string;
  readonly 'x-dataset'?: string;
  readonly 'x-max-window-blocks'?: number;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly responses: Readonly<Record<string, Reference>>;
}

/** The description, as it is written. */
export interface Description {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: Operation;
        /** Base of the path, if it is not `/v1/data`. */
        readonly servers?: readonly { readonly url: string }[];
      }
    >
  >;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** An operation with its path and all its parameters but the chain. References are resolved. */
export interface DescribedOperation {
  /** The part of the URL before `path`. */
  readonly base: '/v1/data' | '/v1';
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

/** The description of the Data API, with what its operations share at each of them. */
export function readDescription(file: string = DESCRIPTION_FILE): Description {
  return withSharedParts(parse(readFileSync(file, 'utf8')) as Description);
}

/**
 * Adds the errors of each operation, the headers of its success and what is around its rows, and the parameters of exports and
 * windows: they are not written at each.
 */
function withSharedParts(written: Description): Description {
  const successes: Record<string, Response> = {};
  const paths = Object.entries(written.paths).map(([path, { get, ...rest }]) => {
    const isBilled = rest.servers === undefined;
    const hasTag = isBilled && !NEVER_THE_SAME.has(get.operationId);
    const name = get.responses['200']?.$ref.split('/').pop() ?? '';
    const { description, content } = lookUp(written, 'responses', referenceTo('responses', name));
    successes[name] = {
      description,
      headers: successHeaders(get, isBilled, hasTag),
      content: content && { 'application/json': inEnvelope(content['application/json'], get, isBilled) },
    };
    const errors = { ...ERRORS, ...(isBilled && BILLED_ERRORS), ...(hasTag && UNCHANGED) };
    const shared = Object.entries(errors).map(([status, error]) => [status, referenceTo('responses', error)]);
    const responses = { ...Object.fromEntries(shared), ...get.responses };
    const parameters = isBilled ? withOthersBehind(get) : get.parameters;
    return [path, { ...rest, get: { ...get, ...(parameters && { parameters }), responses } }];
  });
  const components = { ...written.components, responses: { ...written.components.responses, ...successes } };
  return { ...written, paths: Object.fromEntries(paths), components };
}

/** Parameters that the operation names itself are not added: the list of proof levels has no CSV. */
function withOthersBehind({ parameters }: Operation): Operation['parameters'] {
  const named = new Set(parameters?.map((parameter) => ('$ref' in parameter ? parameter.$ref : '')));
  return parameters?.flatMap((parameter) => {
    const behind = '$ref' in parameter ? (BEHIND[parameter.$ref] ?? []) : [];
    const others = behind.map((name) => referenceTo('parameters', name));
    return [parameter, ...(others.some(({ $ref }) => named.has($ref)) ? [] : others)];
  });
}

function inEnvelope(
  { schema: { properties }, example }: Success,
  { parameters = [] }: Operation,
  hasMeta: boolean,
): Success {
  const isPaged = parameters.some((parameter) => '$ref' in parameter && parameter.$ref === CURSOR);
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['data', ...(hasMeta ? ['meta'] : [])],
    properties: {
      ...properties,
      ...(isPaged && { next_cursor: referenceTo('schemas', 'NextCursor') }),
      ...(hasMeta && { meta: referenceTo('schemas', 'Meta') }),
    },
  };
  const { meta = EXAMPLE_META, ...rows } = example as { readonly meta?: object };
  return { schema, example: { ...rows, ...(hasMeta && { meta }) } };
}

function successHeaders({ responses }: Operation, isBilled: boolean, hasTag: boolean): Response['headers'] {
  const names = [
    'X-Request-Id',
    ...(isBilled ? BILLED_HEADERS : []),
    ...(responses['409']?.$ref === SNAPSHOT_ERROR ? ['X-Snapshot-Block'] : []),
    ...(hasTag ? ['ETag'] : []),
    ...(isBilled ? ['Cache-Control'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, referenceTo('headers', name)]));
}

function referenceTo(kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** All operations of the Data API, in the order of the description. */
export function operationsOf(description: Description): DescribedOperation[] {
  return described(description, '/v1/data');
}

/** The operations on the account of the key, which belong to no chain and are not below `/v1/data`. */
export function accountOperationsOf(description: Description): DescribedOperation[] {
  return described(description, '/v1');
}

function described(description: Description, base: DescribedOperation['base']): DescribedOperation[] {
  const paths = Object.entries(description.paths).filter(
    ([, { servers }]) => (servers === undefined) === (base === '/v1/data'),
  );
  return paths.map(([path, { get }]) => ({
    base,
    path,
    operation: get,
    parameters: (get.parameters ?? [])
      .map((parameter) => ('$ref' in parameter ? lookUp(description, 'parameters', parameter) : parameter))
      .filter(({ name }) => name !== 'chain'),
  }));
}

/** The component that a reference names. */
export function lookUp<Kind extends keyof Description['components']>(
  description: Description,
  kind: Kind,
  { $ref }: Reference,
): Description['components'][Kind][string] {
  const name = $ref.slice(`#/components/${kind}/`.length);
  const found = description.components[kind][name];
  if (found === undefined) throw new Error(`the description has no ${$ref}`);
  return found as Description['components'][Kind][string];
}

/**
 * The description as a gateway serves it. Its example of a chain is a public chain of this gateway, if there is one, so that
 * a tool that tries the example gets data.
 */
export function describedFor(description: Description, chain: string | undefined): Description {
  if (chain === undefined) return description;
  const { components } = description;
  const { [CHAIN_PARAMETER]: named, ...others } = components.parameters;
  if (named === undefined) throw new Error(`the description has no parameter ${CHAIN_PARAMETER}`);
  const parameters = { [CHAIN_PARAMETER]: { ...named, example: chain }, ...others };
  return { ...description, components: { ...components, parameters } };
}
