import { exchangeWarnings, upstreamWarnings } from '../../../lib/config/chain-warnings.ts';
import { loadStageConfig } from '../../../lib/config/config.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';

const [chain] = loadStageConfig(stageFile('example-production')).chains;
if (chain === undefined) throw new Error('no chain');

test.each([
  ['one', ['https://one.example'], 1],
  ['one in a secret', ['secret:gateway/one'], 1],
  ['two', ['https://one.example', 'secret:gateway/two'], 0],
  ['the one of a local run', ['embedded'], 0],
])('a chain with %s', (_name, upstreams, warnings) => {
  const told = upstreamWarnings([{ ...chain, upstreams }]);
  expect(told).toHaveLength(warnings);
  for (const warning of told) expect(warning).toContain(chain.chain);
});

test('of the shipped stages, that with such a chain is told so, and the local one not', () => {
  expect(upstreamWarnings(loadStageConfig(stageFile('example-production')).chains)).toEqual([
    expect.stringContaining('example_testnet has one upstream'),
  ]);
  expect(upstreamWarnings(loadStageConfig(stageFile('local')).chains)).toEqual([]);
});

test('quotes without exchanges are warned of, as then no pool prices anything', () => {
  const quotes = { stables: [{ token: `0x${'a'.repeat(40)}`, decimals: 6, usd: '1' }] };
  const exchanges = [{ protocol: 'uniswap_v2' as const, factory: `0x${'b'.repeat(40)}` }];
  expect(exchangeWarnings([{ ...chain, quotes }, chain])).toEqual([
    expect.stringContaining('lists no exchanges'),
  ]);
  expect(exchangeWarnings([{ ...chain, quotes, exchanges }])).toEqual([]);
});
