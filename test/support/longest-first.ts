import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

type SequencerModule = typeof import('@jest/test-sequencer', { with: { 'resolution-mode': 'require' }});
type Tests = Parameters<InstanceType<SequencerModule['default']>['sort']>[0];

/** As its types say: what `import` brings of it has another shape. */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as SequencerModule;

const TESTS = join(import.meta.dirname, '..');

/** The files that take more than ten seconds though they are not among the largest, the longest first. */
const LONGEST = [
  'end-to-end/default-stage',
  'end-to-end/demo-chain',
  'end-to-end/indexing.deep',
  'local/start',
  'simulation/scale/collapse.deep',
  'end-to-end/bulk-fill.deep',
  'local/mend-index.deep',
  'indexer/bad-input/crash-points.deep',
  'end-to-end/store-outage',
  'end-to-end/chains',
  'lib/template',
  'snapshots/take-snapshot',
  'local/parts',
  'simulation/invariants.deep',
  'simulation/models/model-check',
  'simulation/mutants/mutants.deep',
  'indexer/follow/follow-step',
  'indexer/bad-input/nodes',
  'cost/counted-operations.deep',
  'local/demo-chain/play.deep',
].map((name) => join(TESTS, `${name.endsWith('.deep') ? name : `${name}.system`}.test.ts`));

/**
 * The longest test files first, so that no worker is left with one of them when the others have ended. Of the others,
 * those that took long in the last run; in a fresh clone, which knows of no run, the largest.
 */
// biome-ignore lint/style/noDefaultExport: jest makes one of the default export
export default class LongestFirst extends Sequencer {
  constructor(...options: ConstructorParameters<typeof Sequencer>) {
    super(...options);
    const gone = LONGEST.filter((path) => !existsSync(path));
    if (gone.length > 0) throw new Error(`test/support/longest-first.ts names what is not there: ${gone}`);
  }

  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    const long = LONGEST.flatMap((path) => sorted.filter((test) => test.path === path));
    return [...long, ...sorted.filter((test) => !long.includes(test))];
  }
}
