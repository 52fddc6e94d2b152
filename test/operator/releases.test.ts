import type { Context } from '../../bin/operator/context/command.ts';
import { BARE_CONTEXT } from './bare-context.ts';
import { capturedRun } from './captured-run.ts';
import { FakeReleases } from './fake-releases.ts';

const OLD = '2026-11-20T10:00:00.000+0000';
const BEFORE = '2026-11-21T10:00:00.000+0000';
const LAST = '2026-11-22T10:00:00.000+0000';
const LAST_TOO = '2026-11-22T10:20:00.000+0000';

let aws: FakeReleases;
beforeEach(() => {
  aws = new FakeReleases();
});

/** Runs a command on a stage with these functions. */
async function run(line: string, application?: string) {
  const functions = [...aws.functions.keys()].map((functionName) => ({ name: functionName, functionName }));
  const where = { ask: aws.ask, region: 'eu-west-1', pause: async () => undefined };
  const context = { ...BARE_CONTEXT, releases: { ...where, functions, application } };
  return capturedRun(`${line} --stack gateway-test`.split(' '), context);
}

async function json(line: string, application?: string) {
  const { stdout, exitCode, stderr } = await run(`${line} --json`, application);
  expect(stderr).toBe('');
  return { exitCode, ...JSON.parse(stdout) };
}

const aliases = () =>
  Object.fromEntries([...aws.functions].map(([name, { version, weights }]) => [name, [version, weights]]));

test('all functions of the last release go back to the version before, and it is said which', async () => {
  aws.add('rpc', OLD, BEFORE, LAST);
  aws.add('data', BEFORE, LAST_TOO);
  expect(await json('release back')).toEqual({
    exitCode: 0,
    dry_run: false,
    stopped_deployments: [],
    functions: [
      {
        function: 'rpc',
        from: 3,
        from_made_at: '2026-11-22T10:00:00Z',
        to: 2,
        to_made_at: '2026-11-21T10:00:00Z',
      },
      {
        function: 'data',
        from: 2,
        from_made_at: '2026-11-22T10:20:00Z',
        to: 1,
        to_made_at: '2026-11-21T10:00:00Z',
      },
    ],
    unchanged: [],
  });
  expect(aliases()).toEqual({ rpc: [2, {}], data: [1, {}] });
});

test('a function that the last release did not change stays', async () => {
  aws.add('rpc', BEFORE, LAST);
  aws.add('status', OLD, BEFORE);
  expect(await json('release back')).toMatchObject({
    functions: [{ function: 'rpc', from: 2, to: 1 }],
    unchanged: ['status'],
  });
  expect(aliases()).toEqual({ rpc: [1, {}], status: [2, {}] });
});

test('a version that was rolled back is never rolled back to', async () => {
  const rpc = aws.add('rpc', OLD, BEFORE);
  await json('release back');
  rpc.versions.set(3, LAST);
  Object.assign(rpc, { version: 3 });
  expect(await json('release back')).toMatchObject({ functions: [{ from: 3, to: 1 }] });
  expect(rpc.tags).toEqual({ 'gateway-left-versions': '2 3' });
});

test('a dry run says the same, and changes nothing', async () => {
  aws.add('rpc', BEFORE, LAST);
  aws.deployments.set('d-1', { functionName: 'rpc', status: 'InProgress', looks: 0, target: 2 });
  const { stdout, exitCode } = await run('release back --dry-run', 'app');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Deployment d-1 would be stopped.');
  expect(stdout).toMatch(/rpc\s+2 \(2026-11-22T10:00:00Z\)\s+1 \(2026-11-21T10:00:00Z\)\s+would go back/);
  expect(aliases()).toEqual({ rpc: [2, {}] });
  expect(aws.deployments.get('d-1')?.status).toBe('InProgress');
});

test('without a version before, nothing is changed of any function', async () => {
  aws.add('rpc', BEFORE, LAST);
  aws.add('data', LAST);
  const { exitCode, stdout, stderr } = await run('release back');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe('operator: there is no version to go back to: data is at version 1\n');
  expect(aliases()).toEqual({ rpc: [2, {}], data: [1, {}] });
});

test('a deployment under way is stopped first, with its own way back', async () => {
  const rpc = aws.add('rpc', BEFORE, LAST);
  Object.assign(rpc, { version: 1, weights: { 2: 0.1 } });
  aws.deployments.set('d-1', { functionName: 'rpc', status: 'InProgress', looks: 0, target: 2 });
  const updates: string[] = [];
  aws.beforeUpdate = (name) => void updates.push(name);
  expect(await json('release back', 'app')).toMatchObject({
    exitCode: 0,
    stopped_deployments: ['d-1'],
    functions: [{ from: 2, to: 1 }],
  });
  expect(aws.deployments.get('d-1-back')?.status).toBe('Succeeded');
  expect(aliases()).toEqual({ rpc: [1, {}] });
  expect(updates).toEqual([]);
});

test('weights that were left behind go, and the older version gets everything', async () => {
  const rpc = aws.add('rpc', BEFORE, LAST);
  Object.assign(rpc, { version: 2, weights: { 1: 0.9 } });
  expect(await json('release back')).toMatchObject({ functions: [{ from: 2, to: 1 }] });
  expect(aliases()).toEqual({ rpc: [1, {}] });
});

test('an alias that changes meanwhile fails alone, and the others go back', async () => {
  aws.add('rpc', BEFORE, LAST);
  const data = aws.add('data', BEFORE, LAST);
  aws.beforeUpdate = (name) => {
    if (name === 'data') data.revision += 1;
  };
  const { exitCode, functions } = await json('release back');
  expect(exitCode).toBe(1);
  expect(functions).toMatchObject([
    { function: 'rpc', to: 1 },
    { function: 'data', failure: expect.stringContaining('PreconditionFailed') },
  ]);
  expect(aliases()).toEqual({ rpc: [1, {}], data: [2, {}] });
  expect(data.tags).toEqual({});
});

test('what is live, and before, is shown', async () => {
  const rpc = aws.add('rpc', OLD, BEFORE, LAST);
  Object.assign(rpc, { version: 2, weights: { 3: 0.1 } });
  aws.deployments.set('d-1', { functionName: 'rpc', status: 'InProgress', looks: 0, target: 3 });
  expect(await json('release back --dry-run', 'app')).toMatchObject({
    functions: [{ function: 'rpc', second: { version: 3, weight: 0.1 }, from: 3, to: 2 }],
    stopped_deployments: ['d-1'],
  });
  const { stdout } = await run('release back --dry-run', 'app');
  expect(stdout).toContain('2 (2026-11-21T10:00:00Z), 10 % 3 (2026-11-22T10:00:00Z)');
  expect(stdout).toContain('Deployment d-1 would be stopped.');
});

test('a local run has no releases', async () => {
  const { exitCode, stderr } = await capturedRun(['release', 'back', '--local'], {} as Context);
  expect([exitCode, stderr]).toEqual([
    2,
    'operator: only a stack in AWS has releases; deploy an older one again\n',
  ]);
});
