/** The bounds of a key are read as they were stored, and each of them must hold. */
import fc from 'fast-check';
import { APIS, type KeyBounds } from '../../../lambdas/access/contract/key-bounds.ts';
import {
  isChainAllowed,
  isMethodAllowed,
  isOperationAllowed,
  readBounds,
  refusedEntry,
} from '../../../lambdas/access/keys/api-key.ts';
import { renderBounds } from '../../../lambdas/accounts/parse-bounds.ts';

const NOW = Date.parse('2026-11-20T23:30:00Z');
const HERE = { api: 'rpc', address: '192.0.2.7' } as const;

const some = <T>(entry: fc.Arbitrary<T>) => fc.uniqueArray(entry, { minLength: 1, maxLength: 50 });
/** Any bounds that can be stored. */
const anyBounds: fc.Arbitrary<KeyBounds> = fc.record(
  {
    apis: some(fc.constantFrom(...APIS)),
    methods: some(fc.stringMatching(/^[a-z_]{1,20}\*?$/)),
    operations: some(fc.stringMatching(/^[a-zA-Z]{1,20}$/)),
    contracts: some(fc.stringMatching(/^0x[0-9a-f]{40}$/)),
    chains: some(fc.stringMatching(/^[a-z_]{1,20}$/)),
    ips: some(fc.ipV4().map((address) => `${address}/32`)),
    cu_per_second: fc.integer({ min: 1 }),
    cu_per_day: fc.integer({ min: 1 }),
    expires_at: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9000-01-01') })
      .map((time) => time.toISOString()),
  },
  { requiredKeys: [] },
);

test('bounds are read as they were stored, and equal ones are the same text', () => {
  fc.assert(
    fc.property(anyBounds, (bounds) => {
      expect(readBounds(renderBounds(bounds))).toEqual(bounds);
      const turned = Object.fromEntries(Object.entries(bounds).reverse());
      expect(renderBounds(turned)).toBe(renderBounds(bounds));
    }),
  );
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['null', 'null'],
  ['a kind of a later release', '{"countries":["FR"]}'],
  ['no list', '{"apis":"rpc"}'],
  ['a list of something else', '{"ips":[1]}'],
  ['no time', '{"expires_at":"soon"}'],
  ['no amount', '{"cu_per_day":"5"}'],
  ['less than nothing', '{"cu_per_second":-5}'],
  ['a number', 7n],
])('bounds that are %s cannot be kept to', (_, stored) => {
  expect(readBounds(stored)).toBeUndefined();
});

test('a key without bounds may do everything', () => {
  expect(readBounds(undefined)).toEqual({});
  expect(refusedEntry({}, { api: 'mcp', address: undefined }, NOW)).toBeUndefined();
  expect([
    isChainAllowed(undefined, 'a'),
    isMethodAllowed({}, 'eth_call'),
    isOperationAllowed({}, 'getBlock'),
  ]).toEqual([true, true, true]);
});

test('all kinds must hold, and one entry of each is enough', () => {
  const bounds: KeyBounds = {
    apis: ['data', 'rpc'],
    ips: ['10.0.0.0/8', '192.0.2.0/24'],
    expires_at: '2026-11-21T00:00:00.000Z',
  };
  expect(refusedEntry(bounds, HERE, NOW)).toBeUndefined();
  expect(refusedEntry(bounds, { ...HERE, api: 'mcp' }, NOW)).toBe('api');
  expect(refusedEntry(bounds, { ...HERE, address: '192.0.3.1' }, NOW)).toBe('address');
  expect(refusedEntry(bounds, { ...HERE, address: undefined }, NOW)).toBe('address');
  expect(refusedEntry(bounds, HERE, Date.parse('2026-11-21T00:00:00Z') - 1)).toBeUndefined();
  expect(refusedEntry(bounds, HERE, Date.parse('2026-11-21T00:00:00Z'))).toBe('expired');
  // What tells of the account is open to every key, from its addresses and in its time.
  expect(refusedEntry(bounds, { ...HERE, api: undefined }, NOW)).toBeUndefined();
});

test('methods are names and patterns', () => {
  const bounds = { methods: ['eth_call', 'eth_get*'] };
  const asked = ['eth_call', 'eth_callMany', 'eth_getLogs', 'eth_get', 'net_version'];
  expect(asked.map((method) => isMethodAllowed(bounds, method))).toEqual([true, false, true, true, false]);
});

test('operations are names', () => {
  const bounds = { operations: ['getBlock'] };
  expect(['getBlock', 'getBlocks'].map((id) => isOperationAllowed(bounds, id))).toEqual([true, false]);
});

test('a network that cannot be read lets nobody in, and the others hold', () => {
  const at = (ips: string[]) => refusedEntry({ ips }, HERE, NOW);
  expect([at(['here']), at(['here', '192.0.2.0/24'])]).toEqual(['address', undefined]);
});
