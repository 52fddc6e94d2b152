import { loadStageConfig } from '../../../lib/config/config.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';
import { upstreamWarnings } from '../../../lib/config/upstream-warnings.ts';

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
