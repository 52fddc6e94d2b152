import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import { readStatus, type StatusHead } from '../../lambdas/status/chain-status.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const clock = { now: () => NOW };

function chain(name: string, settings: Partial<ChainSettings> = {}): ChainSettings {
  return { ...CHAIN, chain: name, ...settings };
}

/** A head of so many milliseconds ago. */
function ago(milliseconds: number): StatusHead {
  return { block: 7, timeMs: NOW - milliseconds };
}

async function status(chains: readonly ChainSettings[], heads: Readonly<Record<string, StatusHead>>) {
  return readStatus(chains, async (one) => heads[one.chain], clock);
}

test('tells the head of each public chain', async () => {
  const chains = [chain('a', { chainId: 1 }), chain('hidden', { public: false }), chain('b', { chainId: 2 })];
  expect(await status(chains, { a: ago(0), b: ago(12_999), hidden: ago(0) })).toEqual({
    checked_at: '2026-01-02T03:04:05Z',
    gateway: { status: 'ok' },
    chains: [
      { chain: 'a', chain_id: 1, head: { block: 7, time: '2026-01-02T03:04:05Z', lag_seconds: 0 } },
      { chain: 'b', chain_id: 2, head: { block: 7, time: '2026-01-02T03:03:52.001Z', lag_seconds: 12 } },
    ],
  });
});

test('a head from the future has no lag', async () => {
  const { chains } = await status([chain('a')], { a: ago(-5_000) });
  expect(chains[0]?.head.lag_seconds).toBe(0);
});

const strict = { maxHeadLagSeconds: 60 };
test.each<[string, readonly ChainSettings[], Readonly<Record<string, StatusHead>>, string]>([
  ['every head is known', [chain('a'), chain('b')], { a: ago(0), b: ago(0) }, 'ok'],
  ['a head has an age without a limit', [chain('a')], { a: ago(1e9) }, 'ok'],
  ['a head is as old as it may be', [chain('a', strict)], { a: ago(60_999) }, 'ok'],
  ['a head is older', [chain('a', strict)], { a: ago(61_000) }, 'degraded'],
  ['the only index is stuck', [chain('a')], { a: { ...ago(0), stuck: true } }, 'degraded'],
  ['one of two is not known', [chain('a'), chain('b')], { b: ago(0) }, 'degraded'],
  ['none is known', [chain('a'), chain('b')], {}, 'down'],
  [
    'only that of a chain is not known that is not public',
    [chain('a'), chain('b', { public: false })],
    { a: ago(0) },
    'ok',
  ],
  ['no chain is public', [chain('a', { public: false })], {}, 'ok'],
])('%s', async (_, chains, heads, expected) => {
  expect((await status(chains, heads)).gateway.status).toBe(expected);
});
