import { createAddressStateReader } from '../../lambdas/data/address-state.ts';
import { type Character, SimulatedGateway } from '../nodes/simulated-gateway.ts';

const CHAIN = 'example_mainnet';
const ADDRESS = `0x${'a1'.repeat(20)}`;
const BLOCK = 704;
const UNKNOWN_CODE = { has_code: null, account_kind: null, delegated_to: null };
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
  const { gateway, state } = ask(says({ eth_getBalance: `0x${'f'.repeat(64)}`, eth_getCode: '0x6001' }));
  expect(await state).toEqual({
    native_balance: String(2n ** 256n - 1n),
    has_code: true,
    account_kind: 'contract',
    delegated_to: null,
  });
  expect(gateway.received().map(({ method, params }) => [method, params])).toEqual([
    ['eth_getBalance', [ADDRESS, '0x2c0']],
    ['eth_getCode', [ADDRESS, '0x2c0']],
  ]);
});

test('nothing is 0, and no code is false', async () => {
  expect(await ask(says({ eth_getBalance: '0x0', eth_getCode: '0x' })).state).toEqual({
    native_balance: '0',
    has_code: false,
    account_kind: 'eoa',
    delegated_to: null,
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
  const { state } = ask(says({ eth_getBalance: '0x0', eth_getCode: code }));
  expect(await state).toEqual({ native_balance: '0', has_code: true, account_kind, delegated_to });
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
