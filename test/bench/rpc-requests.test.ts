import { BATCH, CACHED_CALL, SINGLE_CALL, variantsOf } from '../../bench/rpc/rpc-requests.ts';

interface SentCall {
  readonly params: readonly unknown[];
}

test.each([
  ['a single call', SINGLE_CALL, 1],
  ['a batch', BATCH, 100],
])('no two calls of the variants of %s are equal', (_name, body, calls) => {
  const variants = variantsOf(body);
  const sent = variants.flatMap((variant): SentCall[] => JSON.parse(variant));
  expect(sent).toHaveLength(variants.length * calls);
  expect(new Set(sent.map(({ params }) => JSON.stringify(params))).size).toBe(sent.length);
  for (const { params } of sent) expect(params[0]).toMatch(/^0x[0-9a-f]{40}$/);
});

test('what is answered from the cache is the same in each request', () => {
  expect(variantsOf(CACHED_CALL)).toEqual([CACHED_CALL]);
});
