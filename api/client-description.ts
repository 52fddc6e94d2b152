import type { Description } from './read-description.ts';

/** A part of the description, as JSON. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

const SUCCESS = '200';
const JSON_CONTENT = 'application/json';
const METHODS: ReadonlySet<string> = new Set(['get', 'post']);

/**
 * What the typed client reads of the description: parameters of operations and the JSON of a success, with the components
 * that these name, as JSON. Errors are classes of the client, headers it reads by name, and bodies of examples are in the reference.
 */
export function clientDescription(whole: Description): string {
  const description = JSON.parse(JSON.stringify(whole)) as JsonObject;
  const paths = mapValues(objectOf(description.paths), (path) =>
    mapEntries(objectOf(path), (name, part) => (METHODS.has(name) ? withSuccess(objectOf(part)) : part)),
  );
  const components = mapValues(objectOf(description.components), (kind) =>
    mapValues(objectOf(kind), withoutExamples),
  );
  const named = namedBy(paths, components);
  const isNamed = (kind: string, name: string) => named.has(`#/components/${kind}/${name}`);
  return JSON.stringify({
    ...description,
    paths,
    components: mapEntries(components, (kind, entries) =>
      keep(objectOf(entries), (name) => isNamed(kind, name)),
    ),
  });
}

function withSuccess(operation: JsonObject): JsonObject {
  const responses = objectOf(operation.responses);
  return { ...operation, responses: { [SUCCESS]: withoutExamples(responses[SUCCESS] ?? {}) } };
}

/** A response without headers, other forms and examples; anything else without examples that are whole bodies. */
function withoutExamples(part: Json): Json {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(withoutExamples);
  const entries = Object.entries(part as JsonObject).flatMap(([name, value]): [string, Json][] => {
    if (name === 'headers' || name === 'examples') return [];
    if (name === 'example' && typeof value === 'object') return [];
    if (name === 'content')
      return [[name, withoutExamples(keep(objectOf(value), (type) => type === JSON_CONTENT))]];
    return [[name, withoutExamples(value)]];
  });
  return Object.fromEntries(entries);
}

/** The references that parts of the description need, directly or through components. */
function namedBy(part: Json, components: JsonObject): ReadonlySet<string> {
  const named = new Set<string>();
  const open: Json[] = [part];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const reference = Array.isArray(next) ? undefined : (next as JsonObject).$ref;
    if (typeof reference === 'string' && !named.has(reference)) {
      named.add(reference);
      const [, , kind = '', name = ''] = reference.split('/');
      open.push(objectOf(components[kind])[name] ?? null);
    }
    open.push(...Object.values(next));
  }
  return named;
}

function objectOf(part: Json | undefined): JsonObject {
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? (part as JsonObject) : {};
}

function keep(part: JsonObject, wanted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([name]) => wanted(name)));
}

function mapValues(part: JsonObject, change: (value: Json) => Json): JsonObject {
  return mapEntries(part, (_, value) => change(value));
}

function mapEntries(part: JsonObject, change: (name: string, value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, change(name, value)]));
}
