/** `operator up` leads from a stage file to the first paid call, and run again it continues where it was stopped. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outside } from '../../../bin/operator/stage/outside.ts';
import { keyIdOf } from '../../../lambdas/access/keys/api-key.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { capturedRun } from '../captured-run.ts';
import { API_KEY, FakeCloud } from './fake-cloud.ts';

let folder: string;
let keyFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-up-'));
  keyFile = join(folder, 'own.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const up = (outside: Outside, ...more: string[]) =>
  capturedRun(['up', '--config', 'own.json', '--key-file', keyFile, ...more], BARE_CONTEXT, outside);
const activeKeys = ({ store }: FakeCloud) => store.items('keys').filter(({ status }) => status === 'active');
const credits = ({ store }: FakeCloud) =>
  store.items('ledger').filter(({ record }) => String(record).startsWith('credit#'));
const FIRST_DEPLOYMENT = 'npx cdk deploy -c config=own.json --no-rollback --require-approval never';

test('an empty account has a first call after one command and one answer', async () => {
  const cloud = new FakeCloud();
  const { exitCode, stdout, stderr } = await up(cloud.outside);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toBe('gateway-own answers at https://api.test, block 16\n');
  expect(cloud.ran).toEqual(['npx cdk bootstrap aws://444455556666/us-east-1', FIRST_DEPLOYMENT]);
  expect(cloud.asked).toEqual([expect.stringContaining('rights of an administrator')]);
  const [key = ''] = API_KEY.exec(cloud.shown.join()) ?? [];
  expect(activeKeys(cloud)).toEqual([expect.objectContaining({ key_id: keyIdOf(key), account: 'first' })]);
  expect(credits(cloud)).toHaveLength(1);
  expect(cloud.conformed).toBe(1);
  expect(cloud.told).toContainEqual(expect.stringMatching(/^ {3}a month of this stage: about 15 USD/));
  expect(readdirSync(folder)).toEqual([]);
});

test.each([['no'], [undefined]])('without a yes nothing is made: %s', async (answer) => {
  const cloud = new FakeCloud();
  cloud.answers = answer === undefined ? [] : [answer];
  const { exitCode, stderr } = await up(cloud.outside);
  expect({ exitCode, ran: cloud.ran }).toEqual({ exitCode: 1, ran: [] });
  expect(stderr).toContain('nothing was made');
  expect((await up(cloud.outside, '--answer', 'yes')).exitCode).toBe(0);
});

test('what preflight finds wrong is printed with what mends it, and nothing is made', async () => {
  const cloud = new FakeCloud();
  const { exitCode, stdout } = await up({
    ...cloud.outside,
    askNode: async () => ({ status: 401, body: '' }),
  });
  expect({ exitCode, ran: cloud.ran }).toEqual({ exitCode: 1, ran: [] });
  expect(stdout).toMatch(/NO {2}node 1 of mainnet .*its key is wrong\n +-> /);
});

test('without a terminal the key is in a file that only its owner may read, and nowhere else', async () => {
  const cloud = new FakeCloud();
  cloud.isTerminal = false;
  const { exitCode, stdout } = await up(cloud.outside);
  expect({ exitCode, mode: statSync(keyFile).mode & 0o777 }).toEqual({ exitCode: 0, mode: 0o600 });
  const key = readFileSync(keyFile, 'utf8').trim();
  expect(activeKeys(cloud)).toEqual([expect.objectContaining({ key_id: keyIdOf(key) })]);
  expect([stdout, cloud.told, cloud.ran, cloud.shown].join()).not.toMatch(API_KEY);
});

test('a file with anything but a key is refused, and stays', async () => {
  const cloud = new FakeCloud();
  writeFileSync(keyFile, 'mine');
  const { exitCode, stderr } = await up(cloud.outside);
  expect({ exitCode, keys: cloud.store.items('keys') }).toEqual({ exitCode: 2, keys: [] });
  expect([stderr.includes('holds no API key'), readFileSync(keyFile, 'utf8')]).toEqual([true, 'mine']);
});

test('a first deployment that failed is continued without a rollback, a later one keeps its rollback', async () => {
  const cloud = new FakeCloud();
  for (const failsAfter of [3, 7, 12]) {
    cloud.failsAfter = failsAfter;
    const { exitCode, stderr } = await up(cloud.outside);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/deployment failed/),
    });
  }
  expect(cloud.standing('gateway-own')?.status).toBe('UPDATE_FAILED');
  cloud.failsAfter = Number.POSITIVE_INFINITY;
  expect((await up(cloud.outside)).exitCode).toBe(0);
  expect(cloud.stacks).toHaveLength(1);
  await up(cloud.outside);
  const deployments = cloud.ran.filter((one) => one.includes('cdk deploy'));
  expect(deployments).toEqual([...Array(4).fill(FIRST_DEPLOYMENT), 'npx cdk deploy -c config=own.json']);
});

test('a stage whose first call was made keeps its key, and gets no other', async () => {
  const cloud = new FakeCloud();
  await up(cloud.outside);
  await charge(cloud);
  const { exitCode, stdout } = await up(cloud.outside);
  expect({ exitCode, keys: activeKeys(cloud).length, shown: cloud.shown.length }).toEqual({
    exitCode: 0,
    keys: 1,
    shown: 1,
  });
  expect(stdout).toContain('npm run conformance -- --url https://api.test --key KEY');
});

test('a gateway that never answers fails with its last response', async () => {
  const { outside } = new FakeCloud();
  const askNode: Outside['askNode'] = async (url, headers, body) =>
    url.startsWith('https://api.test') ? { status: 403, body: 'no' } : outside.askNode(url, headers, body);
  const { exitCode, stderr } = await up({ ...outside, askNode });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'operator: the first call failed 24 times, at last with: 403 no\n',
  });
});

/** The account has been charged, as the first call does it. */
async function charge({ store }: FakeCloud): Promise<void> {
  const { applied } = await store.update({
    table: 'accounts',
    key: { account: 'first' },
    when: [{ is: 'present', attribute: 'account' }],
    add: { settled: 10n, closed: 10n },
  });
  expect(applied).toBe(true);
}

describe('stopped at any of its steps, and started again', () => {
  class Stopped extends Error {}

  /** A world that ends at its n-th step, before or after the step is done. Resolves to whether it came so far. */
  function stoppedAt(outside: Outside, step: number, isDone: boolean) {
    let count = 0;
    const stops = <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
      ((...given: Given) => {
        count += 1;
        if (count === step && !isDone) throw new Stopped();
        const result = work(...given);
        if (count !== step) return result;
        return Promise.resolve(result).then(() => Promise.reject(new Stopped()));
      }) as typeof work;
    const world: Outside = {
      ...outside,
      ask: stops(outside.ask),
      run: stops(outside.run),
      inquire: stops(outside.inquire),
      conform: stops(outside.conform),
      show: (secret) => {
        const shown = outside.show(secret);
        count += 1;
        if (count === step) throw new Stopped();
        return shown;
      },
      askNode: outside.askNode,
      openGateway: async (...given) => {
        const context = await stops(outside.openGateway)(...given);
        const { store } = context;
        const methods = Object.fromEntries(
          (['get', 'put', 'update', 'transact', 'query'] as const).map((name) => [
            name,
            stops(store[name].bind(store) as (...given: unknown[]) => Promise<unknown>),
          ]),
        );
        return { ...context, store: Object.assign(Object.create(store), methods) };
      },
    };
    return { world, came: () => count >= step };
  }

  test.each([
    ['on a terminal, before the step', true, false],
    ['on a terminal, after it', true, true],
    ['without one, before the step', false, false],
    ['without one, after it', false, true],
  ])(
    '%s, it ends with one account, one credit and one key that its owner has',
    async (_where, isTerminal, isDone) => {
      let step = 1;
      for (; step < 200; step += 1) {
        rmSync(keyFile, { force: true });
        const cloud = new FakeCloud();
        cloud.isTerminal = isTerminal;
        cloud.answers = ['yes', 'yes'];
        const { world, came } = stoppedAt(cloud.outside, step, isDone);
        const stopped = await up(world);
        if (!came()) break;
        const { exitCode, stderr } = await up(cloud.outside);
        expect({ step, exitCode, stderr, stopped: stopped.exitCode }).toMatchObject({ step, exitCode: 0 });
        const keys = isTerminal
          ? (cloud.shown.at(-1)?.match(API_KEY) ?? [])
          : [readFileSync(keyFile, 'utf8').trim()];
        expect(activeKeys(cloud).map(({ key_id }) => key_id)).toEqual(keys.map(keyIdOf));
        expect(credits(cloud)).toHaveLength(1);
        expect(cloud.standing('gateway-own')?.status).toMatch(/^(CREATE|UPDATE)_COMPLETE$/);
      }
      expect(step).toBeGreaterThan(25);
    },
  );

  test('while CloudFormation is at work, it waits for that before it looks', async () => {
    const cloud = new FakeCloud();
    cloud.bootstrapped = true;
    cloud.deploy('gateway-own');
    expect(cloud.standing('gateway-own')?.status).toBe('CREATE_IN_PROGRESS');
    expect((await up(cloud.outside)).exitCode).toBe(0);
    expect(cloud.ran).toEqual(['npx cdk deploy -c config=own.json']);
  });
});
