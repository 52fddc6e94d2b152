import fc from 'fast-check';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import type { KeyBounds } from '../../lambdas/access/contract/key-bounds.ts';
import { MAX_BOUNDS_BYTES } from '../../lambdas/access/keys/api-key.ts';
import { parseBounds, renderBounds } from '../../lambdas/accounts/parse-bounds.ts';

const MAX_BOUND_ENTRIES = 50;
type WrittenBounds = Parameters<typeof parseBounds>[0];

const NOW_MS = Date.parse('2026-11-20T23:30:00Z');
const BOUNDABLE = {
  chains: ['example_mainnet', 'example_testnet'],
  operations: new Map([
    ['getBlock', 5],
    ['listTransfers', 10],
  ]),
};

const parse = (written: WrittenBounds & { readonly clear?: string }, before?: KeyBounds) =>
  parseBounds(written, { boundable: BOUNDABLE, nowMs: NOW_MS }, before);
const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
const many = (count: number, entry: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => entry(number)).join();

test('every kind is read into its stored form', () => {
  expect(
    parse({
      apis: 'rpc, data',
      methods: 'eth_call,eth_get*',
      operations: 'getBlock',
      contracts: '0xABCDEF0000000000000000000000000000000001,0xabcdef0000000000000000000000000000000001',
      chains: 'example_mainnet',
      ips: '192.0.2.7,::ffff:10.0.0.0/104,2001:DB8::/32',
      expires: '2027-01-31T12:00Z',
      'cu-per-second': '20',
      'cu-per-day': '1000000',
    }),
  ).toEqual({
    apis: ['rpc', 'data'],
    methods: ['eth_call', 'eth_get*'],
    operations: ['getBlock'],
    contracts: ['0xabcdef0000000000000000000000000000000001'],
    chains: ['example_mainnet'],
    ips: ['192.0.2.7/32', '10.0.0.0/8', '2001:db8:0:0:0:0:0:0/32'],
    expires_at: '2027-01-31T12:00:00.000Z',
    cu_per_second: 20,
    cu_per_day: 1_000_000,
  });
  expect(parse({ 'cu-per-day': '20', methods: 'eth_call' })).toEqual({
    cu_per_day: 20,
    methods: ['eth_call'],
  });
  expect(parse({ 'cu-per-day': '5', apis: 'data', operations: 'getBlock' })).toMatchObject({ cu_per_day: 5 });
  expect(parse({ expires: '2027-01-31' })).toEqual({ expires_at: '2027-01-31T00:00:00.000Z' });
  expect(parse({})).toEqual({});
});

test.each<[WrittenBounds & { readonly clear?: string }, string]>([
  [{ apis: 'ws' }, 'unknown api ws (rpc, data, mcp)'],
  [{ apis: '' }, '--apis has an empty entry'],
  [{ ips: '10.0.0.0/8,' }, '--ips has an empty entry'],
  [{ methods: 'eth_subscribe' }, 'eth_subscribe is outside of the method policy'],
  [{ methods: 'admin_*' }, 'admin_* is outside of the method policy'],
  [{ methods: 'eth*' }, 'eth* is outside of the method policy'],
  [{ methods: '*' }, '* is outside of the method policy'],
  [{ methods: 'eth_*Call' }, 'eth_*Call is outside of the method policy'],
  [{ methods: `eth_${'x'.repeat(200)}` }, 'is outside of the method policy'],
  [{ operations: 'dropTable' }, 'unknown operation dropTable'],
  [{ chains: 'nowhere' }, 'unknown chain nowhere'],
  [{ contracts: '0x1234' }, '0x1234 is no address'],
  [{ ips: '10.0.0.0/33' }, '10.0.0.0/33 is no IPv4 or IPv6 address'],
  [{ ips: '10.1.0.0/8' }, '10.1.0.0/8 has bits behind its prefix'],
  [{ expires: '2026-11-20T23:30Z' }, '--expires 2026-11-20T23:30Z is past'],
  [{ expires: '2027-02-30' }, '--expires is a time of UTC'],
  [{ expires: '2027-01-01T24:00Z' }, '--expires is a time of UTC'],
  [{ expires: 'tomorrow' }, '--expires is a time of UTC'],
  [{ expires: '2027-01-31T12:00+02:00' }, '--expires is a time of UTC'],
  [
    { apis: 'data', methods: 'eth_call' },
    'methods and contracts bound JSON-RPC, which the apis of the key leave out',
  ],
  [{ apis: 'data', contracts: address(1) }, 'methods and contracts bound JSON-RPC'],
  [
    { apis: 'rpc', operations: 'getBlock' },
    'operations bound the Data API, which the apis of the key leave out',
  ],
  [{ 'cu-per-day': '199' }, '--cu-per-day 199 is below one call of the dearest method allowed, 200 CU'],
  [
    { 'cu-per-day': '49', methods: 'eth_call,eth_getLogs' },
    'below one call of the dearest method allowed, 50 CU',
  ],
  [
    { 'cu-per-day': '199', methods: 'debug_traceCall*' },
    'below one call of the dearest method allowed, 200 CU',
  ],
  [{ 'cu-per-day': '9', methods: 'eth_strange' }, 'below one call of the dearest method allowed, 10 CU'],
  [{ 'cu-per-day': '9', apis: 'data' }, 'below one call of the dearest method allowed, 10 CU'],
  [{ 'cu-per-day': '0' }, '--cu-per-day is a whole number of CU'],
  [{ 'cu-per-second': '1.5' }, '--cu-per-second is a whole number of CU'],
  [{ clear: 'ips', ips: '10.0.0.0/8' }, '--clear takes away ips, and --ips sets it'],
  [{ clear: 'everything' }, 'no bound is called everything'],
])('%j is refused: %s', (written, message) => {
  expect(() => parse(written)).toThrow(InputError);
  expect(() => parse(written)).toThrow(message);
});

test.each([51, 1_000])('a list of %i entries is refused, also of the same', (count) => {
  const message = `--contracts has ${count} entries, and may have ${MAX_BOUND_ENTRIES}`;
  expect(() => parse({ contracts: many(count, address) })).toThrow(message);
  expect(() => parse({ contracts: many(count, () => address(1)) })).toThrow(message);
});

test('the largest list fits, and bounds of more than 3 KiB are refused', () => {
  const contracts = many(MAX_BOUND_ENTRIES, address);
  expect(parse({ contracts }).contracts).toHaveLength(MAX_BOUND_ENTRIES);
  const methods = many(MAX_BOUND_ENTRIES, (number) => `eth_${'m'.repeat(20)}${number}`);
  expect(() => parse({ contracts, methods })).toThrow(`have at most ${MAX_BOUNDS_BYTES} bytes`);
  expect(() => parse({ methods }, parse({ contracts }))).toThrow(`have at most ${MAX_BOUNDS_BYTES} bytes`);
});

test('what is not written stays, what is written takes its place, and what is cleared is gone', () => {
  const before = parse({ apis: 'rpc,mcp', methods: 'eth_call', ips: '10.0.0.0/8' });
  expect(parse({ methods: 'eth_get*' }, before)).toEqual({ ...before, methods: ['eth_get*'] });
  expect(parse({ clear: 'apis, ips' }, before)).toEqual({ methods: ['eth_call'] });
  expect(() => parse({ apis: 'data' }, before)).toThrow('methods and contracts bound JSON-RPC');
});

test('whatever is written is refused in one line, or can be stored', () => {
  const words = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constantFrom(
      'rpc',
      'eth_call',
      'eth_*',
      '10.0.0.0/8',
      '::1',
      'getBlock',
      'example_mainnet',
      '2027-01-01',
    ),
  );
  const list = fc.array(words, { maxLength: 4 }).map((entries) => entries.join());
  const kinds = ['apis', 'methods', 'operations', 'contracts', 'chains', 'ips', 'expires', 'clear'] as const;
  const written = fc.record(Object.fromEntries(kinds.map((kind) => [kind, list])), { requiredKeys: [] });
  fc.assert(
    fc.property(written, (given) => {
      try {
        const bounds = parse(given);
        expect(Buffer.byteLength(renderBounds(bounds))).toBeLessThanOrEqual(MAX_BOUNDS_BYTES);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        expect((error as Error).message).toMatch(/^[\x20-\x7e]+$/);
      }
    }),
  );
});
