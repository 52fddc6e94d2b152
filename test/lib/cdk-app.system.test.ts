import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDeployedConfig } from '../../lib/config/config.ts';
import { stageFile, stageNames } from '../../lib/config/stage-files.ts';
import { testAtLength } from '../support/at-length-tests.ts';

/** What `npx cdk` runs. */
const CDK = join('node_modules', '.bin', 'cdk');
const folder = mkdtempSync(join(tmpdir(), 'cdk-app-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** The app itself, with this context: as the command does, without the second that the command takes. */
function run(context: Readonly<Record<string, string>>, variables: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [join('bin', 'gateway.ts')], {
    encoding: 'utf8',
    env: {
      ...process.env,
      CDK_CONTEXT_JSON: JSON.stringify(context),
      CDK_OUTDIR: join(folder, 'assembly'),
      ...variables,
    },
  });
}

/** Lists the stacks of the app, as a person does in a fresh clone. */
function list(...contextArguments: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(CDK, ['ls', ...contextArguments], {
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr };
}

testAtLength('without a stage it is the one of local runs, and one line tells how to name another', () => {
  const { status, stdout, stderr } = list();
  expect([status, stdout]).toEqual([0, 'gateway-local']);
  expect(stderr).toMatch(
    /^using stage local; choose another with -c stage=NAME \(example-instances, example-production, local, starter, two-chains\) or -c config=PATH$/m,
  );
});

test('one that does not exist is refused, with those that do', () => {
  const { status, stderr } = run({ stage: 'prod' });
  expect(status).not.toBe(0);
  expect(stderr).toContain(
    'unknown stage prod; config has example-instances, example-production, local, starter, two-chains',
  );
});

describe('placeholders', () => {
  const examples = stageNames().filter((stage) => stage.startsWith('example-'));

  test('of the shipped production stage are refused all at once, each by its path', () => {
    const { status, stdout, stderr } = run({ config: 'config/example-production.json' });
    const file = 'config/example-production.json: ';
    const lines = stderr.split('\n').filter((line) => line.startsWith(file));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(lines.map((line) => line.slice(file.length).split(':')[0])).toEqual([
      'alarms.email',
      'alarms.pageEmail',
      'domain.name',
      'domain.certificateArn',
      'domain.hostedZone.id',
      'domain.hostedZone.name',
      'backup.copyTo',
    ]);
    for (const line of lines) expect(line).toMatch(/: is a placeholder \(\S.*\): enter \S/);
    expect(stderr).toContain('-c placeholders=allow');
  });

  test.each(examples)('of %s keep it from being deployed as it is', (stage) => {
    expect(() => loadDeployedConfig(stageFile(stage), undefined)).toThrow('is a placeholder');
  });

  testAtLength('are allowed for those who only look at the template', () =>
    expect(list('-c', 'config=config/example-instances.json', '-c', 'placeholders=allow')).toMatchObject({
      status: 0,
      stdout: 'gateway-example-instances',
    }),
  );

  test('are none in a copy of the local stage with a node of its own', () => {
    const stage = JSON.parse(readFileSync(stageFile('local'), 'utf8'));
    const [{ quotes, exchanges, stocks, ...chain }] = stage.chains;
    const own = { ...chain, upstreams: ['http://127.0.0.1:8545'], privateUpstreams: true };
    const file = join(folder, 'own.json');
    writeFileSync(file, JSON.stringify({ ...stage, stage: 'own', chains: [own] }));
    expect(loadDeployedConfig(file, undefined).stage).toBe('own');
  });

  test('are refused with a missing key of copies to another account, which the CDK CLI names', () => {
    const stage = JSON.parse(readFileSync(stageFile('local'), 'utf8'));
    const backup = { copyTo: 'arn:aws:backup:us-west-2:777788889999:backup-vault:gateway' };
    const file = join(folder, 'copies.json');
    writeFileSync(file, JSON.stringify({ ...stage, backup }));
    const { status, stderr } = run({ config: file }, { CDK_DEFAULT_ACCOUNT: '444455556666' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        'backup.keyArn: is required, because backup.copyTo is in account 777788889999',
      ),
    });
  });
});
