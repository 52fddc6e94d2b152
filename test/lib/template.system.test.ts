import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { synthesisedOnce } from '../support/synthesised-once.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

/** What changes with the code of a function alone: hashes of assets, of the deployment of the API, of versions and of revisions. */
const ASSET_HASH = /\b[0-9a-f]{64}\b/g;
const DEPLOYMENT_HASH = /(ApiRestDeployment[0-9A-F]{8})[0-9a-f]{32}/g;
const VERSION_HASH = /(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g;
/** CDK names a dependency also where a reference already makes one. */
const IGNORED_RULES = 'W3005';
const STAGES = readdirSync('config').map((file) => file.replace('.json', ''));

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
    expect(masked(new SynthesisedStage(name))).toMatchSnapshot();
  });

  test('is the same again, so that a diff of an unchanged tree is empty', () => {
    expect(new SynthesisedStage(name, 'second').text).toBe(new SynthesisedStage(name).text);
  });
});

test('the templates pass cfn-lint, where it is installed', () => {
  const templates = STAGES.map((name) => {
    const { folder, stackName } = synthesisedOnce(name);
    return join(folder, `${stackName}.template.json`);
  });
  const { error, stdout, stderr } = spawnSync('cfn-lint', ['-i', IGNORED_RULES, '--', ...templates], {
    encoding: 'utf8',
  });
  if (error !== undefined) {
    console.warn('cfn-lint is not installed (pip install cfn-lint): the templates are not linted');
    return;
  }
  expect(`${stdout}${stderr}`).toBe('');
});
