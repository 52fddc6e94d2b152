import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFile, synthesise } from '../../lib/synthesise.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

/** What changes with the code of a function alone: hashes of assets, of the deployment of the API, and of versions. */
const ASSET_HASH = /\b[0-9a-f]{64}\b/g;
const DEPLOYMENT_HASH = /(ApiRestDeployment[0-9A-F]{8})[0-9a-f]{32}/g;
const VERSION_HASH = /(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g;
/** CDK names a dependency also where a reference already makes one. */
const IGNORED_RULES = 'W3005';
const STAGES = readdirSync('config').map((file) => file.replace('.json', ''));

const folder = mkdtempSync(join(tmpdir(), 'template-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** The template without what changes with code, and with a change of a migration. */
function masked(stage: SynthesisedStage): unknown {
  const text = stage.text
    .replace(ASSET_HASH, 'HASH')
    .replace(DEPLOYMENT_HASH, '$1HASH')
    .replace(VERSION_HASH, '$1HASH');
  return JSON.parse(text);
}

describe.each(STAGES)('the template of %s', (name) => {
  test('is the one that was looked at: --updateSnapshot takes a changed one', () => {
    expect(masked(new SynthesisedStage(name, join(folder, name)))).toMatchSnapshot();
  }, 120_000);

  test('is the same again, so that a diff of an unchanged tree is empty', () => {
    const [first, second] = ['first', 'second'].map(
      (run) => new SynthesisedStage(name, join(folder, `${name}-${run}`)).text,
    );
    expect(second).toBe(first);
  }, 120_000);

  test('passes cfn-lint, where it is installed', () => {
    const { folder: assembly, stackName } = synthesise(stageFile(name), join(folder, `${name}-lint`));
    const template = join(assembly, `${stackName}.template.json`);
    const { error, stdout, stderr } = spawnSync('cfn-lint', ['-i', IGNORED_RULES, '--', template], {
      encoding: 'utf8',
    });
    if (error !== undefined) {
      console.warn('cfn-lint is not installed (pip install cfn-lint): the template is not linted');
      return;
    }
    expect(`${stdout}${stderr}`).toBe('');
  }, 120_000);
});
