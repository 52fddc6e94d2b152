/** Upstreams are one voice by their operator, and one whose operator cannot be read is nobody's second voice. */
import { independentOf } from '../../../../lambdas/shared/upstream/operators/two-operators.ts';

const UPSTREAMS = ['a-1', 'b-1', 'a-2', 'unread', 'c-1', 'b-2'].map((name) => ({ name }));
const operatorOf = async (name: string) => {
  if (name.startsWith('unread')) throw new Error('the secret cannot be read');
  return name.slice(0, 1);
};
const namesOf = async (upstream: string) =>
  (await independentOf(upstream, UPSTREAMS, operatorOf)).map((voice) => voice.map(({ name }) => name));

test('independent of an upstream are those of each other operator, in their order, and none that cannot be read', async () => {
  expect(await namesOf('a-1')).toEqual([['b-1', 'b-2'], ['c-1']]);
  expect(await namesOf('b-2')).toEqual([['a-1', 'a-2'], ['c-1']]);
});

test('nobody is independent of an upstream whose operator cannot be read', async () => {
  expect(await namesOf('unread')).toEqual([]);
});
