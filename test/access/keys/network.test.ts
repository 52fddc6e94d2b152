/** An address is in a block of addresses exactly where Node.js finds it. */
import { BlockList } from 'node:net';
import fc from 'fast-check';
import {
  isAligned,
  isInNetworks,
  parseNetwork,
  renderNetwork,
} from '../../../lambdas/access/keys/network.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();

/** What Node.js makes of the same block. */
function oracle(address: string, length: number, asked: string): boolean {
  const list = new BlockList();
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  list.addSubnet(address, length, family(address));
  return list.check(asked, family(asked));
}

function isIn(block: string, asked: string): boolean {
  const network = parseNetwork(block);
  return network !== undefined && isInNetworks([network], asked);
}

test.each([
  ['192.0.2.0/24', '192.0.2.255', true],
  ['192.0.2.0/24', '192.0.3.0', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '203.0.113.9', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::', false],
  // IPv4-mapped IPv6 is IPv4, whichever side it is on, however it is written.
  ['192.0.2.0/24', '::ffff:192.0.2.5', true],
  ['192.0.2.0/24', '::ffff:c000:205', true],
  ['::ffff:192.0.2.0/120', '192.0.2.5', true],
  ['::ffff:192.0.2.0/120', '192.0.3.5', false],
  ['::ffff:192.0.2.1', '192.0.2.1', true],
  // The old IPv4-compatible form is not.
  ['192.0.2.0/24', '::192.0.2.5', false],
])('%s and %s: %s', (block, address, expected) => {
  expect(isIn(block, address)).toBe(expected);
});

test.each([
  '',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.0/33',
  '192.0.2.0/',
  '192.0.2.0/-1',
  '192.0.2.0/024',
  '192.0.2.0/24/1',
  '192.0.2.0/2e1',
  '::/129',
  'fe80::1%eth0',
  ':::',
  '1.2.3.4, 5.6.7.8',
  'localhost',
])('%j is no block, and no address is in it', (text) => {
  expect(parseNetwork(text)).toBeUndefined();
  expect(isInNetworks([parseNetwork('0.0.0.0/0') as never, parseNetwork('::/0') as never], text)).toBe(false);
});

test('any block has the addresses that Node.js finds in it', () => {
  const v4 = fc.record({ address: ipv4, length: fc.integer({ min: 0, max: 32 }), asked: ipv4 });
  const v6 = fc.record({ address: ipv6, length: fc.integer({ min: 0, max: 128 }), asked: ipv6 });
  fc.assert(
    fc.property(fc.oneof(v4, v6), fc.boolean(), ({ address, length, asked }, isItself) => {
      const of = isItself ? address : asked;
      expect(isIn(`${address}/${length}`, of)).toBe(oracle(address, length, of));
    }),
  );
});

test('a block is written in one way, and is the same block when it is read again', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.nat({ max: 32 }), (address, length) => {
      const network = parseNetwork(`${address}/${length}`);
      if (network === undefined) throw new Error(`${address}/${length} was not read`);
      expect(parseNetwork(renderNetwork(network))).toEqual(network);
    }),
  );
  expect(renderNetwork(parseNetwork('2001:DB8::/32') as never)).toBe('2001:db8:0:0:0:0:0:0/32');
  expect(renderNetwork(parseNetwork('::ffff:10.0.0.0/104') as never)).toBe('10.0.0.0/8');
});

test('a block begins at its first address', () => {
  expect(['10.0.0.0/8', '10.1.0.0/8', '10.0.0.1', '2001:db8::/32', '2001:db8::1/32'].map(aligned)).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
});

function aligned(text: string): boolean {
  const network = parseNetwork(text);
  return network !== undefined && isAligned(network);
}
