import { RPC_METHODS } from '../../docs/site/rpc-methods.ts';
import { isMethodAvailable } from '../../lambdas/shared/methods/method-policy.ts';

const METHODS = Object.values(RPC_METHODS).flat();

test.each(METHODS.map(({ method }) => method))('%s is served', (method) => {
  expect(isMethodAvailable(method)).toBe(true);
});

test('no method is shown twice', () => {
  expect(new Set(METHODS.map(({ method }) => method)).size).toBe(METHODS.length);
});
