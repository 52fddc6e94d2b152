import fc from 'fast-check';
import { RPC_METHODS } from '../../../api/rpc-methods.ts';
import {
  isIdempotent,
  isKnownMethod,
  isMethodAvailable,
  methodFacts,
  readsState,
  weightOf,
} from '../../../lambdas/shared/methods/method-facts.ts';
import { DEFAULT_WEIGHT, METHODS, PREFIXES } from '../../../lambdas/shared/methods/method-table.ts';

const NAMES = METHODS.map(({ name }) => name);

describe('the table of methods', () => {
  test('names each method once', () => {
    expect(NAMES.filter((name, index) => NAMES.indexOf(name) !== index)).toEqual([]);
  });

  test('has methods that are served, and no other', () => {
    expect(NAMES.filter((name) => !isMethodAvailable(name))).toEqual([]);
  });

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

  test('caps the gas of executions of which the first parameter is one call', () => {
    const capped = METHODS.filter(({ gasCap }) => gasCap === true);
    expect(capped.filter(({ name }) => !readsState(name)).map(({ name }) => name)).toEqual([]);
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

test('the weight of any name is that of its row, of the longest prefix, or the default', () => {
  const ends = fc.string({ maxLength: 12 });
  const names = fc.oneof(
    fc.constantFrom(...NAMES),
    fc
      .tuple(fc.constantFrom(...NAMES, ...PREFIXES.map(({ prefix }) => prefix)), ends)
      .map((parts) => parts.join('')),
    ends,
  );
  fc.assert(
    fc.property(names, (name) => {
      const row = METHODS.find((one) => one.name === name)?.cu;
      const prefix = PREFIXES.filter(
        ({ cu, prefix }) => cu !== undefined && name.startsWith(prefix),
      ).toSorted((one, other) => other.prefix.length - one.prefix.length)[0];
      expect(weightOf(name)).toBe(row ?? prefix?.cu ?? DEFAULT_WEIGHT);
    }),
  );
});
