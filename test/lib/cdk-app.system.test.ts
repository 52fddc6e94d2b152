import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** What `npx cdk` runs. */
const CDK = join('node_modules', '.bin', 'cdk');

/** Lists the stacks of the app, as a person does in a fresh clone. */
function list(...contextArguments: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(CDK, ['ls', ...contextArguments], {
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr };
}

test('without a stage it is the example, and one line tells how to name another', () => {
  const { status, stdout, stderr } = list();
  expect([status, stdout]).toEqual([0, 'gateway-example-production']);
  expect(stderr).toMatch(
    /^using stage example-production; choose another with -c stage=NAME \(example-instances, example-production, example-web, local\) or -c config=PATH$/m,
  );
});

test('a stage file is named by its path', () =>
  expect(list('-c', 'config=config/local.json').stdout).toBe('gateway-local'));

test('one that does not exist is refused, with those that do', () => {
  const { status, stderr } = list('-c', 'stage=prod');
  expect(status).not.toBe(0);
  expect(stderr).toContain(
    'unknown stage prod; config has example-instances, example-production, example-web, local',
  );
});
