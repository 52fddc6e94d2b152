import fc from 'fast-check';
import {
  type ChainSchema,
  chainSchema,
  isSchemaName,
} from '../../lambdas/shared/chain-database/chain-schema.ts';

const NAME = fc.oneof(fc.stringMatching(/^[a-z0-9_-]{0,70}$/), fc.string());

test('every name becomes one quoted identifier, or is refused', () => {
  fc.assert(
    fc.property(NAME, (name) => {
      if (isSchemaName(name)) expect(chainSchema(name)).toMatch(/^"[a-z0-9][a-z0-9_-]{0,62}"$/);
      else expect(() => chainSchema(name)).toThrow('is not a valid schema name');
    }),
  );
});

test.each(['pg_catalog', 'public', 'gateway', 'information_schema', '', 'A', 'a"; DROP SCHEMA gateway; --'])(
  'refuses %j',
  (name) => expect(() => chainSchema(name)).toThrow('is not a valid schema name'),
);

test('a string is not a schema until it has been checked', () => {
  // @ts-expect-error only `chainSchema` makes a schema
  const unchecked: ChainSchema = '"public"';
  expect(isSchemaName(unchecked)).toBe(false);
});
