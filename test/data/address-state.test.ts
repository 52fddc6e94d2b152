import { keccak256, stringToBytes } from 'viem';
import { createAddressStateReader, createNativeBalanceReader } from '../../lambdas/data/address-state.ts';
import { type Character, SimulatedGateway } from '../nodes/simulated-gateway.ts';

const CHAIN = 'example_mainnet';
const ADDRESS = `0x${'a1'.repeat(20)}`;
const BLOCK = 704;
const NO_PROXY = { proxy_kind: 'none', implementation: null };
const UNKNOWN_PROXY = { proxy_kind: null, implementation: null };
const UNKNOWN_CODE = { has_code: null, account_kind: null, delegated_to: null, ...UNKNOWN_PROXY };
const TARGET = `0x${'7a'.repeat(20)}`;
const BEACON = `0x${'be'.repeat(20)}`;
const slotOf = (name: string) => `0x${(BigInt(keccak256(stringToBytes(name))) - 1n).toString(16)}`;
const [IMPLEMENTATION_SLOT, BEACON_SLOT] = ['eip1967.proxy.implementation', 'eip1967.proxy.beacon'].map(
  slotOf,
);
const ZERO_WORD = `0x${'0'.repeat(64)}`;
const wordOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
/** Time in which a node has to answer. */
const TIMEOUT_MS = 2_000;

function ask(character: Character, chain = CHAIN) {
  const gateway = new SimulatedGateway([character]);
  const read = createAddressStateReader(new Map([[CHAIN, gateway.node]]), gateway.clock);
  const state = gateway.clock.until(read(chain, ADDRESS, BLOCK));
  return { gateway, state };
}

/** A node that answers with these, by method. */
const says = (responses: Readonly<Record<string, unknown>>): Character => ({
  respond: ({ method }) => ({ result: JSON.stringify(responses[method]) }),
});

test('balance and code of the block are asked for, of one node', async () => {
  const { gateway, state } = ask(
    says({ eth_getBalance: `0x${'f'.repeat(64)}`, eth_getCode: '0x6001', eth_getStorageAt: ZERO_WORD }),
  );
  expect(await state).toEqual({
    native_balance: String(2n ** 256n - 1n),
    has_code: true,
    account_kind: 'contract',
    delegated_to: null,
    ...NO_PROXY,
  });
  expect(gateway.received().map(({ method, params }) => [method, params])).toEqual([
    ['eth_getBalance', [ADDRESS, '0x2c0']],
    ['eth_getCode', [ADDRESS, '0x2c0']],
    ['eth_getStorageAt', [ADDRESS, IMPLEMENTATION_SLOT, '0x2c0']],
    ['eth_getStorageAt', [ADDRESS, BEACON_SLOT, '0x2c0']],
  ]);
});

test('nothing is 0, and no code is false', async () => {
  expect(await ask(says({ eth_getBalance: '0x0', eth_getCode: '0x' })).state).toEqual({
    native_balance: '0',
    has_code: false,
    account_kind: 'eoa',
    delegated_to: null,
    ...NO_PROXY,
  });
});

test.each([
  [
    'an account that runs the code of another',
    `0xef0100${'5c'.repeat(20)}`,
    'delegated',
    `0x${'5c'.repeat(20)}`,
  ],
  ['code that begins alike', `0xef0100${'5c'.repeat(21)}`, 'contract', null],
  ['code that is that of a delegation cut short', `0xef0100${'5c'.repeat(19)}`, 'contract', null],
])('%s is told by its code', async (_, code, account_kind, delegated_to) => {
  const { state } = ask(says({ eth_getBalance: '0x0', eth_getCode: code, eth_getStorageAt: ZERO_WORD }));
  expect(await state).toEqual({
    native_balance: '0',
    has_code: true,
    account_kind,
    delegated_to,
    ...NO_PROXY,
  });
});

const clone = (target: string) => `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`;

test.each<[string, Readonly<Record<string, unknown>>, string | null, string | null]>([
  ['a clone', { code: clone(TARGET) }, 'eip1167', TARGET],
  [
    'a clone with PUSH0',
    { code: `0x365f5f375f5f365f73${TARGET.slice(2)}5af43d5f5f3e5f3d91602a57fd5bf3` },
    'eip1167',
    TARGET,
  ],
  ['code that only begins as a clone', { code: `${clone(TARGET)}00` }, 'none', null],
  ['a proxy of EIP-1967', { implementation: wordOf(TARGET) }, 'eip1967', TARGET],
  [
    'one whose beacon stands beside',
    { implementation: wordOf(TARGET), beacon: wordOf(BEACON) },
    'eip1967',
    TARGET,
  ],
  ['a proxy of a beacon', { beacon: wordOf(BEACON), call: wordOf(TARGET) }, 'beacon', TARGET],
  ['a proxy of a beacon that says nothing', { beacon: wordOf(BEACON), call: '0x' }, 'beacon', null],
  ['a slot with what is no address', { implementation: `0x${'f'.repeat(64)}` }, 'none', null],
  ['an empty slot that a node cuts short', { implementation: '0x0', beacon: ZERO_WORD }, null, null],
  ['a slot that a node does not tell', { implementation: null }, null, null],
  ['a beacon that a node does not tell', { beacon: null }, null, null],
])('%s', async (_, told, proxy_kind, implementation) => {
  const { state } = ask({
    respond: ({ method, params }) => {
      if (method === 'eth_getBalance') return { result: '"0x0"' };
      if (method === 'eth_getCode') return { result: JSON.stringify(told.code ?? '0x6001') };
      if (method === 'eth_call') {
        expect(params).toEqual([{ to: BEACON, data: '0x5c60da1b' }, '0x2c0']);
        return { result: JSON.stringify(told.call) };
      }
      const slot = (params as unknown[])[1] === BEACON_SLOT ? 'beacon' : 'implementation';
      return { result: JSON.stringify(slot in told ? told[slot] : ZERO_WORD) };
    },
  });
  expect(await state).toMatchObject({ account_kind: 'contract', proxy_kind, implementation });
});

test.each<[string, Character]>([
  ['that is not there', { fate: () => ({ kind: 'failure', error: 'closed' }) }],
  ['that takes too long', { latencyMs: () => 2 * TIMEOUT_MS }],
  [
    'that has no state of the block',
    { respond: () => ({ error: '{"code":-32000,"message":"missing trie node"}' }) },
  ],
  ['that answers something else', says({ eth_getBalance: null, eth_getCode: 7 })],
])('what a node %s does not tell is null', async (_, character) => {
  expect(await ask(character).state).toEqual({ native_balance: null, ...UNKNOWN_CODE });
});

test('one of the two may be known', async () => {
  const { state } = ask(says({ eth_getBalance: '0x10', eth_getCode: 'no data' }));
  expect(await state).toEqual({ native_balance: '16', ...UNKNOWN_CODE });
});

test('a chain without nodes tells nothing', async () => {
  expect(await ask({}, 'other').state).toEqual({ native_balance: null, ...UNKNOWN_CODE });
});

test('the native coin alone is one call, whatever code the address has', async () => {
  const gateway = new SimulatedGateway([says({ eth_getBalance: '0x10', eth_getCode: '0x6001' })]);
  const read = createNativeBalanceReader(new Map([[CHAIN, gateway.node]]));
  const balance = read(CHAIN, ADDRESS, BLOCK, gateway.clock.now() + TIMEOUT_MS);
  expect(await gateway.clock.until(balance)).toBe('16');
  expect(gateway.received().map(({ method, params }) => [method, params])).toEqual([
    ['eth_getBalance', [ADDRESS, '0x2c0']],
  ]);
  expect(await read('other', ADDRESS, BLOCK, 0)).toBeNull();
});
