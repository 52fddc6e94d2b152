import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import { describeChains } from '../../lambdas/status/describe-chains.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';

const chains: readonly ChainSettings[] = [
  CHAIN,
  { ...CHAIN, chain: 'example_private', default: false, public: false },
  {
    ...CHAIN,
    chain: 'example_testnet',
    default: false,
    chainId: 2,
    relaxedChecks: [{ check: 'logIndex', to: 9 }],
    methods: { allow: ['eth_*'], deny: ['eth_getLogs'] },
  },
];

test('lists the public chains with the methods that each serves', () => {
  const listed = describeChains(chains, true).chains;
  expect(listed.map(({ data }) => data)).toEqual([true, true]);
  expect(describeChains(chains, false).chains.map(({ data }) => data)).toEqual([false, false]);
  expect(listed.map(({ chain, chain_id }) => [chain, chain_id])).toEqual([
    ['example_mainnet', 1],
    ['example_testnet', 2],
  ]);
  expect(listed[0]?.methods.allow).toEqual(['eth_*', 'net_*', 'web3_*', 'debug_trace*']);
  expect(listed[0]?.methods.deny).toContain('eth_subscribe');
  expect(listed[1]?.methods.allow).toEqual(['eth_*']);
  expect(listed[1]?.methods.deny).toEqual([...(listed[0]?.methods.deny ?? []), 'eth_getLogs']);
});

test('says of how many blocks nodes have proofs, where they refused some', () => {
  const proven = (known?: ReadonlyMap<string, number>) =>
    describeChains(chains, true, known).chains.map(({ proof_window_blocks }) => proof_window_blocks);
  expect(proven()).toEqual([null, null]);
  expect(proven(new Map([['example_mainnet', 0]]))).toEqual([0, null]);
});

test('says which checks of stored blocks a chain does without', () => {
  const relaxed = (areIndexed: boolean) =>
    describeChains(chains, areIndexed).chains.map(({ relaxed_checks }) => relaxed_checks);
  expect(relaxed(true)).toEqual([[], [{ check: 'logIndex', to: 9 }]]);
  expect(relaxed(false)).toEqual([[], []]);
});
