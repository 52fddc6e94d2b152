import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stageNames } from '../../lib/config/stage-files.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

/** A second synthesis of each stage file, which makes its bundles anew, is the first: no deployment changes what no commit did. */

describe.each(stageNames())('the template of %s', (name) => {
  const first = new SynthesisedStage(name);
  const again = new SynthesisedStage(name, 'second');

  test('is the same again, so that a diff of an unchanged tree is empty', () =>
    expect(again.text).toBe(first.text));

  test('names the same assets again', () => {
    const assets = readdirSync(again.folder).filter((file) => file.startsWith('asset.'));
    expect(assets.length).toBeGreaterThan(0);
    expect(assets.filter((asset) => !existsSync(join(first.folder, asset)))).toEqual([]);
  });
});
