import { type Description, readDescription, type Schema } from '../../api/read-description.ts';
import { checkSchema } from './contract.ts';

/** What a schema is, wherever in the description. */
type Node = Schema & { readonly const?: unknown };

const DESCRIPTION = readDescription();
/** Rows that may be null as a whole: what generators take as `anyOf` with null. */
const NULLABLE_ROWS = 7;

/** Each object of the description with its place. */
function* nodesOf(part: unknown, place = ''): Generator<readonly [place: string, node: Node]> {
  if (typeof part !== 'object' || part === null) return;
  yield [place, part as Node];
  for (const [name, value] of Object.entries(part)) {
    if (name !== 'example' && name !== 'examples') yield* nodesOf(value, `${place}/${name}`);
  }
}

const nodes = [...nodesOf(DESCRIPTION)];
const holdsNull = ({ anyOf }: Node) => Array.isArray(anyOf) && anyOf.some(({ type }) => type === 'null');

/** The row of a schema with each member null that may be, and without those that may be left out. */
function allNull({ components }: Description, name: string): Record<string, unknown> {
  const { example, properties = {}, required = [] } = components.schemas[name] ?? {};
  const entries = required.map((member) => {
    const schema = properties[member] ?? {};
    const mayBeNull = holdsNull(schema) || [schema.type].flat().includes('null');
    return [member, mayBeNull ? null : (example as Record<string, unknown>)[member]];
  });
  return Object.fromEntries(entries);
}

/** Generators of clients name a type for each component: those of Go and of Windows' file names know no case. */
test('no two components have one name, whatever their kinds and case', () => {
  const names = Object.values(DESCRIPTION.components).flatMap((kind) => Object.keys(kind));
  const twice = names.filter(
    (name, at) => names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) < at,
  );
  expect(twice).toEqual([]);
});

test('no enum and no const holds null', () => {
  const held = nodes.filter(
    ([, { enum: values, const: only }]) => (Array.isArray(values) && values.includes(null)) || only === null,
  );
  expect(held.map(([place]) => place)).toEqual([]);
});

test('nothing is null and nothing else', () => {
  const only = nodes.filter(([place, { type }]) => type === 'null' && !/\/anyOf\/\d+$/.test(place));
  expect(only.map(([place]) => place)).toEqual([]);
});

test('only whole rows are null by anyOf; a value that may be null has its form in place', () => {
  const rows = nodes.filter(([, node]) => holdsNull(node));
  expect(rows).toHaveLength(NULLABLE_ROWS);
  for (const [place, { anyOf = [] }] of rows) {
    const named = anyOf.flatMap(
      ({ $ref = '' }) => DESCRIPTION.components.schemas[$ref.split('/').at(-1) ?? ''] ?? [],
    );
    expect([place, named.map(({ properties }) => properties !== undefined)]).toEqual([place, [true]]);
  }
  const forms = new Set(
    nodes.flatMap(([, { pattern, type }]) => (type === 'string' && pattern !== undefined ? [pattern] : [])),
  );
  const nullable = nodes.filter(
    ([, { pattern, type }]) => Array.isArray(type) && type.includes('null') && forms.has(pattern ?? ''),
  );
  expect(nullable.length).toBeGreaterThanOrEqual(68);
});

test.each([
  'Transaction',
  'TransactionDetail',
  'Block',
  'BatchedTransaction',
  'BatchedToken',
  'BatchedPrice',
])('%s may have null in each member that may be null', (name) => {
  const row = allNull(DESCRIPTION, name);
  expect(Object.values(row)).toContain(null);
  checkSchema(name, row);
});
