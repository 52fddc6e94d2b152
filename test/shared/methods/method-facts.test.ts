/** A method without a row is judged by its name, on the safe side. */
import { RPC_METHODS } from '../../../api/rpc-methods.ts';
import { isIdempotent, isKnownMethod, methodFacts } from '../../../lambdas/shared/methods/method-facts.ts';
import { METHODS } from '../../../lambdas/shared/methods/method-table.ts';

describe('the table of methods', () => {
  test('has every method that is described to callers', () => {
    const described = Object.values(RPC_METHODS).flatMap((group) => group.map(({ method }) => method));
    expect(described.filter((method) => !isKnownMethod(method))).toEqual([]);
  });

  test('describes to callers every method that has a weight of its own', () => {
    const described = Object.values(RPC_METHODS).flatMap((group) => group.map(({ method }) => method));
    const weighed = METHODS.flatMap(({ name, cu }) => (cu === undefined ? [] : [name]));
    expect(weighed.filter((name) => !described.includes(name))).toEqual([]);
  });

  test('caches no result that acts or is about the present', () => {
    const kept = METHODS.filter(({ cache }) => cache !== undefined);
    expect(kept.filter(({ needs }) => needs === 'head').map(({ name }) => name)).toEqual([]);
    expect(kept.filter((row) => row.class === 'send').map(({ name }) => name)).toEqual([]);
  });
});

describe('a method without a row', () => {
  test.each([
    ['eth_sendAnything', { class: 'send', needs: 'head' }],
    ['eth_submitWork', { class: 'send', needs: 'head' }],
    ['debug_traceAnything', { class: 'trace', heavy: true, needs: 'head' }],
    ['debug_traceByHash', { class: 'trace', heavy: true, needs: 'hash' }],
    ['eth_getThingByBlockHashAndIndex', { class: 'read', needs: 'hash' }],
    ['net_anything', { class: 'read', needs: 'nothing' }],
    ['eth_anything', { class: 'read', needs: 'head' }],
    ['__proto__', { class: 'read', needs: 'head' }],
  ])('%s is judged by its name', (method, facts) => {
    expect(isKnownMethod(method)).toBe(false);
    expect(methodFacts(method)).toMatchObject(facts);
    expect(methodFacts(method).cache).toBeUndefined();
  });

  test('is sent twice only if its name does not say that it acts', () => {
    expect(['eth_sendX', 'eth_submitX', 'eth_call', 'eth_x'].filter(isIdempotent)).toEqual([
      'eth_call',
      'eth_x',
    ]);
  });
});
