/** `operator down` leaves nothing of a trial, keeps the books of a stage that retains, and touches what is of others never. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outside } from '../../../bin/operator/stage/outside.ts';
import { StoreUnavailableError } from '../../../lambdas/access/store/store.ts';
import { createAccount } from '../../../lambdas/accounts/create-account.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { type CapturedRun, capturedRun } from '../captured-run.ts';
import { STAGE_TABLES } from '../restore/memory-tables.ts';
import { FakeCloud } from './fake-cloud.ts';
import { PARTS } from './fake-resources.ts';

const TRIAL = { removal: 'destroy' };
const STAGE = '444455556666/us-east-1/own';
const BOOKS = ['EvidenceLeaves', 'HeadsKey', 'HeadsPublished', 'HeadsPublishedPolicy', 'TablesLedger'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-down-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const down = (outside: Outside, ...more: string[]): Promise<CapturedRun> =>
  capturedRun(['down', '--config', 'own.json', ...more], BARE_CONTEXT, outside);

/** An account in which a stage is deployed, or its deployment has failed after some resources. */
function deployed(stage: object, failsAfter = Number.POSITIVE_INFINITY, rollsBack = false): FakeCloud {
  const cloud = new FakeCloud(stage);
  cloud.failsAfter = failsAfter;
  cloud.deploy('gateway-own', rollsBack);
  settled(cloud);
  return cloud;
}

function settled(cloud: FakeCloud): void {
  for (const stack of cloud.stacks) while (stack.status.endsWith('_IN_PROGRESS')) cloud.look(stack);
}

/** What is there of a stage, by the names that its stack has for it. */
const left = ({ resources }: FakeCloud, stage = 'own') =>
  [...resources.all.keys()]
    .flatMap((id) => new RegExp(`^gateway-${stage}-(\\w+)-`).exec(id)?.[1] ?? [])
    .sort();

const credited = (cloud: FakeCloud, account: string) =>
  createAccount(cloud.store, systemClock, {
    account,
    plan: 'standard',
    credit: { cu: 5, reference: 'opening' },
  });

describe('a trial', () => {
  test('leaves nothing, not even the role of logs, after a yes', async () => {
    const cloud = deployed(TRIAL);
    await credited(cloud, 'first');
    const { exitCode, stdout } = await down(cloud.outside);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'gateway-own is gone, and nothing is left of it\n',
    });
    expect({ left: left(cloud), role: cloud.logRole }).toEqual({ left: [], role: '' });
    expect(cloud.asked).toEqual(['this cannot be undone. Type yes to delete it:']);
    expect(cloud.told.join('\n')).toMatch(
      /^gateway-own \(CREATE_COMPLETE\): 23 resources go\n {2}AWS::DynamoDB::Table /,
    );
    expect((await down(cloud.outside)).stdout).toBe('gateway-own is gone, and nothing is left of it\n');
  });

  test.each([['no'], ['Yes'], [undefined]])('stays as it is after the answer %s', async (answer) => {
    const cloud = deployed(TRIAL);
    cloud.answers = answer === undefined ? [] : [answer];
    expect((await down(cloud.outside)).exitCode).toBe(2);
    expect(left(cloud)).toHaveLength(21);
  });

  test('with one credit of another account stays as it is, until its books are to go too', async () => {
    const cloud = deployed(TRIAL);
    await credited(cloud, 'first');
    await credited(cloud, 'acme');
    const { exitCode, stderr } = await down(cloud.outside);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        'operator: nothing is deleted: acme had credit or charges here; --books-too deletes their books\n',
    });
    expect({ deleted: cloud.resources.deleted, asked: cloud.asked }).toEqual({ deleted: [], asked: [] });
    expect(cloud.standing('gateway-own')?.status).toBe('CREATE_COMPLETE');
    expect((await down(cloud.outside, '--books-too')).exitCode).toBe(0);
    expect(left(cloud)).toEqual([]);
  });

  test('whose books cannot be read stays as it is', async () => {
    const cloud = deployed(TRIAL);
    const openBooks = () => Promise.reject(new Error('no such table'));
    const { exitCode, stderr } = await down({ ...cloud.outside, openBooks });
    expect({ exitCode, stderr, deleted: cloud.resources.deleted }).toMatchObject({
      exitCode: 1,
      deleted: [],
    });
  });

  test('says first what is charged and not settled', async () => {
    const cloud = deployed(TRIAL);
    await credited(cloud, 'first');
    const { lines, outside } = withPending(cloud, 'first', 1_234);
    await down(outside);
    expect(lines[0]).toBe('first has 1,234 CU unsettled');
    expect(left(cloud)).toEqual([]);
  });

  test('whose deletion has failed is deleted by the same command, though its tables are gone', async () => {
    const cloud = deployed(TRIAL);
    await credited(cloud, 'first');
    const stack = cloud.standing('gateway-own');
    for (const [logicalId, part] of stack?.has ?? [])
      if (logicalId.startsWith('Tables')) {
        part.status = 'DELETE_COMPLETE';
        cloud.resources.all.delete(part.id);
      }
    if (stack !== undefined) stack.status = 'DELETE_FAILED';
    const openBooks = () => Promise.reject(new Error('no such table'));
    const { exitCode, stderr } = await down({ ...cloud.outside, openBooks });
    expect({ exitCode, stderr, left: left(cloud) }).toEqual({ exitCode: 0, stderr: '', left: [] });
  });

  test('with a table less, whose deletion has not begun, stays as it is', async () => {
    const cloud = deployed(TRIAL);
    cloud.standing('gateway-own')?.has.delete('TablesAccounts');
    const { exitCode, stderr } = await down(cloud.outside);
    expect({ exitCode, deleted: cloud.resources.deleted }).toEqual({ exitCode: 1, deleted: [] });
    expect(stderr).toContain('the books cannot be read (a table is gone)');
  });

  test('leaves the role of logs to the other APIs of the account, and says so', async () => {
    const cloud = deployed(TRIAL);
    cloud.otherApis = 1;
    const { exitCode, stdout } = await down(cloud.outside);
    expect({ exitCode, left: left(cloud) }).toEqual({ exitCode: 0, left: ['LogRole'] });
    expect(stdout).toContain('writes the logs of other APIs');
  });

  test('of the name x goes without what belongs to x2', async () => {
    const cloud = deployed(TRIAL);
    cloud.deploy('gateway-own2');
    cloud.deploy('gateway-own-2');
    settled(cloud);
    const others = () => [left(cloud, 'own2').length, left(cloud, 'own-2').length];
    const before = others();
    expect((await down(cloud.outside)).exitCode).toBe(0);
    expect({
      own: left(cloud).filter((one) => PARTS.some(([name]) => name === one)),
      others: others(),
    }).toEqual({
      own: [],
      others: before,
    });
    expect(cloud.standing('gateway-own2')?.status).toBe('CREATE_COMPLETE');
  });
});

describe('a stage that retains', () => {
  test('of the name x that is gone goes without what x2 has left', async () => {
    const cloud = deployed({}, 9, true);
    cloud.deploy('gateway-own2', true);
    settled(cloud);
    for (const one of cloud.stacks) one.status = 'DELETE_COMPLETE';
    const before = left(cloud, 'own2');
    expect((await down(cloud.outside, '--answer', STAGE)).exitCode).toBe(0);
    expect({ own: left(cloud), own2: left(cloud, 'own2') }).toEqual({ own: [], own2: before });
    expect(before.length).toBeGreaterThan(5);
  });

  test('is asked for by account, region and name, and keeps its books', async () => {
    const cloud = deployed({});
    cloud.answers = [STAGE];
    const { exitCode, stdout } = await down(cloud.outside);
    expect({ exitCode, left: left(cloud) }).toEqual({ exitCode: 0, left: BOOKS });
    expect(stdout.match(/^ {2}kept /gm)).toHaveLength(5);
    expect(cloud.told).toContainEqual(
      expect.stringMatching(/^ {2}stays: AWS::DynamoDB::Table .*TablesLedger/),
    );
    cloud.answers = [STAGE];
    expect((await down(cloud.outside)).stdout.match(/^ {2}kept /gm)).toHaveLength(5);
    expect(cloud.asked).toHaveLength(1);
  });

  test('whose stack is gone is asked for its books as before, by what it has left', async () => {
    const cloud = deployed({});
    await credited(cloud, 'acme');
    cloud.end('gateway-own');
    // What AWS may have forgotten of it.
    for (const stack of cloud.stacks) stack.outputs = {};
    const all = left(cloud);
    const flags = ['--books-too', '--answer', STAGE];
    const open = await down(withPending(cloud, 'acme', 9).outside, ...flags);
    expect(open).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('operator adopt and up') });
    const closed = deployed({});
    await credited(closed, 'acme');
    closed.end('gateway-own');
    for (const stack of closed.stacks) stack.outputs = {};
    const unexported = await down(closed.outside, ...flags);
    expect(unexported).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('add --export FILE') });
    expect([left(cloud), left(closed)]).toEqual([all, all]);
    const file = join(folder, 'ledger.jsonl');
    expect((await down(closed.outside, '--export', file, '--answer', STAGE)).exitCode).toBe(0);
    expect(left(closed)).toEqual(BOOKS);
    expect((await down(closed.outside, ...flags)).exitCode).toBe(0);
    expect(left(closed)).toEqual([]);
  });

  test('that was adopted, and has no outputs yet, is asked for its books', async () => {
    const cloud = deployed({});
    await credited(cloud, 'acme');
    for (const stack of cloud.stacks) stack.outputs = {};
    const all = left(cloud);
    const adopted = await down(cloud.outside, '--books-too', '--answer', STAGE);
    expect(adopted).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('add --export FILE') });
    expect(left(cloud)).toEqual(all);
  });

  test('that went twice stays with the books of both, until one of them is adopted', async () => {
    const cloud = deployed({});
    await credited(cloud, 'acme');
    cloud.end('gateway-own');
    cloud.deploy('gateway-own');
    settled(cloud);
    cloud.end('gateway-own');
    const all = left(cloud);
    const twice = await down(cloud.outside, '--books-too', '--answer', STAGE);
    expect(twice).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('several stacks have left books'),
    });
    expect(left(cloud)).toEqual(all);
  });

  test.each([['yes'], ['444455556666/us-east-1/own2'], ['']])(
    'stays after the answer "%s"',
    async (answer) => {
      const cloud = deployed({});
      expect((await down(cloud.outside, `--answer=${answer}`)).exitCode).toBe(2);
      expect(cloud.resources.deleted).toEqual([]);
    },
  );

  test('stays while an account of others has charges that are not settled, and while its ledger is not exported', async () => {
    const cloud = deployed({});
    await credited(cloud, 'acme');
    const open = await down(withPending(cloud, 'acme', 9).outside, '--books-too', '--answer', STAGE);
    expect(open).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('acme have charges that are not'),
    });
    const settledCloud = deployed({});
    await credited(settledCloud, 'acme');
    const unexported = await down(settledCloud.outside, '--books-too', '--answer', STAGE);
    expect(unexported).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('add --export FILE') });
    expect([cloud.resources.deleted, settledCloud.resources.deleted]).toEqual([[], []]);
  });

  test('goes with its books once they are exported, to the last digit', async () => {
    const cloud = deployed({});
    await credited(cloud, 'acme');
    const file = join(folder, 'ledger.jsonl');
    const flags = ['--export', file, '--books-too', '--answer', STAGE];
    expect((await down(cloud.outside, ...flags)).exitCode).toBe(0);
    expect(left(cloud)).toEqual([]);
    const records = readFileSync(file, 'utf8').trim().split('\n');
    expect(records).toHaveLength(cloud.store.items('ledger').length);
    expect(records).toContainEqual(expect.stringMatching(/"record":"credit#.*"cu":5/));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('keeps a file that is there, and itself', async () => {
    const cloud = deployed({});
    await credited(cloud, 'acme');
    const { exitCode, stderr } = await down(
      cloud.outside,
      '--export',
      import.meta.filename,
      '--answer',
      STAGE,
    );
    expect({ exitCode, deleted: cloud.resources.deleted }).toEqual({ exitCode: 2, deleted: [] });
    expect(stderr).toContain('exists already');
  });

  test('says what is locked and stays', async () => {
    const cloud = deployed({});
    for (const [id, one] of cloud.resources.all) one.isLocked = id.includes('HeadsPublished');
    const { exitCode, stdout } = await down(cloud.outside, '--books-too', '--answer', STAGE);
    expect({ exitCode, left: left(cloud) }).toEqual({ exitCode: 1, left: ['HeadsPublished'] });
    expect(stdout).toMatch(/left {2}AWS::S3::Bucket .*: it is not empty/);
  });

  test('is one although its file says otherwise by now, if its stack is protected', async () => {
    const cloud = deployed({});
    const { outside } = cloud;
    const readFacts: Outside['readFacts'] = async (file) => {
      const facts = await outside.readFacts(file);
      return { ...facts, config: { ...facts.config, removal: 'destroy' } };
    };
    expect((await down({ ...outside, readFacts }, '--answer', 'yes')).exitCode).toBe(2);
    expect(cloud.resources.deleted).toEqual([]);
  });

  test('leaves to another stack what that has taken over', async () => {
    const cloud = deployed({}, 5, true);
    const [ledger] = [...cloud.resources.all.keys()].filter((id) => id.includes('TablesLedger'));
    cloud.deploy('gateway-new');
    settled(cloud);
    const has = cloud.standing('gateway-new')?.has;
    has?.set('TablesLedger', { type: 'AWS::DynamoDB::Table', id: ledger ?? '', status: 'IMPORT_COMPLETE' });
    const { exitCode, stdout } = await down(cloud.outside, '--answer', STAGE);
    expect({ exitCode, left: left(cloud) }).toEqual({ exitCode: 1, left: ['TablesLedger'] });
    expect(stdout).toMatch(/it belongs to arn:aws:cloudformation:.*\/gateway-new\//);
  });
});

describe.each([
  ['a trial', TRIAL, 'yes'],
  ['a stage that retains', {}, STAGE],
])('the first deployment of %s that failed', (_name, stage, answer) => {
  const points = Array.from({ length: 10 }, (_, index) => 1 + Math.floor((index * (PARTS.length - 1)) / 9.5));

  test.each(points)('after %d resources leaves nothing, with a rollback or without', async (point) => {
    for (const rollsBack of [false, true]) {
      const cloud = deployed(stage, point, rollsBack);
      const { exitCode, stderr } = await down(cloud.outside, '--answer', answer);
      expect({ rollsBack, exitCode, stderr, left: left(cloud) }).toEqual({
        rollsBack,
        exitCode: 0,
        stderr: '',
        left: [],
      });
    }
  });

  test('at its ledger, which it names and never made, leaves nothing', async () => {
    const cloud = deployed(stage, 12);
    const openBooks: Outside['openBooks'] = async () => ({
      store: cloud.store,
      openTables: async () => ({
        reader: {
          describe: async () => undefined,
          scan: () => Promise.reject(new StoreUnavailableError('ResourceNotFoundException', false)),
          getMany: () => Promise.reject(new StoreUnavailableError('ResourceNotFoundException', false)),
        },
        names: STAGE_TABLES,
      }),
    });
    const { exitCode, stderr } = await down({ ...cloud.outside, openBooks }, '--answer', answer);
    expect({ exitCode, stderr, left: left(cloud) }).toEqual({ exitCode: 0, stderr: '', left: [] });
  });

  test('twice, and was taken away by hand, leaves nothing', async () => {
    const cloud = deployed(stage, 12, true);
    for (const failsAfter of [9, 14]) {
      for (const one of cloud.stacks) one.status = 'DELETE_COMPLETE';
      cloud.failsAfter = failsAfter;
      cloud.deploy('gateway-own', true);
      settled(cloud);
    }
    for (const one of cloud.stacks) one.status = 'DELETE_COMPLETE';
    expect((await down(cloud.outside, '--answer', answer)).exitCode).toBe(0);
    expect(left(cloud)).toEqual([]);
  });

  test('or that was complete, stopped at each question to AWS and started again, leaves nothing', async () => {
    let step = 1;
    for (let came = true; came && step < 400; step += 1) {
      const cloud = deployed(stage);
      const { ask } = cloud.outside;
      let count = 0;
      const stopping: Outside['ask'] = async (call) => {
        count += 1;
        const response = await ask(call);
        if (count >= step) throw new Error('stopped');
        return response;
      };
      await down({ ...cloud.outside, ask: stopping }, '--answer', answer, '--books-too');
      came = count >= step;
      settled(cloud);
      const { exitCode, stderr } = await down(cloud.outside, '--answer', answer, '--books-too');
      expect({ step, exitCode, stderr, left: left(cloud) }).toEqual({
        step,
        exitCode: 0,
        stderr: '',
        left: [],
      });
    }
    expect(step).toBeGreaterThan(20);
  });
});

/** The same world, in which an account has charges that nobody has settled. */
function withPending(cloud: FakeCloud, account: string, cu: number) {
  const lines: string[] = [];
  const { outside } = cloud;
  const openBooks: Outside['openBooks'] = async (...given) => {
    const context = await outside.openBooks(...given);
    const hour = new Date().toISOString().slice(0, 13);
    const { store } = context;
    await store.update({
      table: 'lanes',
      key: { account_shard: `${account}#0`, hour_lane: `${hour}#lane` },
      when: [],
      set: { n: 1n, total: BigInt(cu) },
    });
    return context;
  };
  return { lines, outside: { ...outside, openBooks, tell: (text: string) => void lines.push(text) } };
}
