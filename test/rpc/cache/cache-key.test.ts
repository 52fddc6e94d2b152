/** Two calls share a place in the cache if and only if they ask the same of the same chain. */
import fc from 'fast-check';
import { cacheKey } from '../../../lambdas/rpc/cache/equal-calls.ts';

/** Tokens of which many are nearly equal, so that a careless key would take one for another. */
const scalar = fc.constantFrom(
  ...['0', '-0', '9007199254740993', '9007199254740992', '25', '25.0', '2.5e1', '1e400', 'null', 'true'],
  ...[
    '"null"',
    '"25"',
    '""',
    '" "',
    '"a b"',
    '"ab"',
    '"\\u0061b"',
    '"\\"[1, 2]"',
    '"\\\\"',
    '"é"',
    '"0xAB"',
    '"0xab"',
  ],
);

/** A JSON value as the list of its tokens. */
const { value } = fc.letrec<{ value: string[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { arbitrary: scalar.map((token) => [token]), weight: 3 },
    {
      arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((elements) => ['[', ...joined(elements), ']']),
      weight: 2,
    },
    {
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom('"a"', '"b"'), tie('value')), { maxLength: 2 })
        .map((members) => ['{', ...joined(members.map(([name, tokens]) => [name, ':', ...tokens])), '}']),
      weight: 1,
    },
  ),
}));

function joined(lists: readonly string[][]): string[] {
  return lists.flatMap((tokens, index) => (index === 0 ? tokens : [',', ...tokens]));
}

const params = fc.array(value, { maxLength: 3 }).map((elements) => ['[', ...joined(elements), ']']);
const space = fc.constantFrom('', '', ' ', '\n', '\t \r\n');

const call = fc.record({
  chain: fc.constantFrom('a', 'a1', 'b'),
  chainId: fc.constantFrom(1, 11),
  method: fc.constantFrom('eth_call', 'eth_calls', '1eth_call'),
  params: fc.option(params, { nil: undefined }),
  spaces: fc.array(space, { minLength: 1, maxLength: 8 }),
});
type GeneratedCall = typeof call extends fc.Arbitrary<infer Generated> ? Generated : never;

function keyOfGenerated({ chain, chainId, method, params: tokens, spaces }: GeneratedCall): string {
  const spaced = tokens?.map((token, index) => `${spaces[index % spaces.length]}${token}`).join('');
  return cacheKey(
    { chain, chainId },
    { method, params: spaced === undefined ? undefined : Buffer.from(spaced) },
  );
}

function identityOf({ chain, chainId, method, params: tokens }: GeneratedCall): string {
  return JSON.stringify([chain, chainId, method, tokens ?? null]);
}

test('keys are equal if and only if chain, method and parameters are', () => {
  const pair = fc.oneof(
    fc.tuple(call, call),
    // The same call again with other white space, and perhaps one field of another call.
    fc
      .tuple(call, call, fc.subarray(['chain', 'chainId', 'method', 'params'] as const, { maxLength: 1 }))
      .map(([one, other, changed]): [GeneratedCall, GeneratedCall] => [
        one,
        {
          ...one,
          spaces: other.spaces,
          ...Object.fromEntries(changed.map((field) => [field, other[field]])),
        },
      ]),
  );
  fc.assert(
    fc.property(pair, ([one, other]) => {
      expect(keyOfGenerated(one) === keyOfGenerated(other)).toBe(identityOf(one) === identityOf(other));
    }),
    { numRuns: 3_000 },
  );
});
