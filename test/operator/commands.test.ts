import { userInfo } from 'node:os';
import type { Context } from '../../bin/operator/context/command.ts';
import { COMMAND_GROUPS, parseInvocation } from '../../bin/operator/parse-invocation.ts';
import { type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { chargeAt } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { BARE_CONTEXT } from './bare-context.ts';
import { capturedRun } from './captured-run.ts';

const CREATED_AT = '2026-11-20T23:15:00.000Z';
const ACME = {
  account: 'acme',
  plan: 'standard',
  granted_cu: 0,
  debited_cu: 0,
  charged_cu: 0,
  balance_cu: 0,
  pending_cu: {},
  created_at: CREATED_AT,
};

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

/** Runs one command line on the gateway of this test. */
async function run(line: string, on: Store = store) {
  const context: Context = {
    ...BARE_CONTEXT,
    store: on,
    clock: { now: () => Date.parse(CREATED_AT) },
    plans: ['standard', 'free'],
    shards: { standard: 1, free: 3 },
    defaultPlan: 'standard',
  };
  return capturedRun(line.split(' ').filter(Boolean), context);
}

async function json(line: string): Promise<unknown> {
  const { exitCode, stdout, stderr } = await run(`${line} --local --json`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function text(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(`${line} --local`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

async function refusal(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(line);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^operator: [^\n]+\n$/);
  return stderr;
}

test('accounts are created, shown, credited, listed and put on plans', async () => {
  expect(await json('account create acme')).toEqual(ACME);
  expect(await json('account show acme')).toEqual(ACME);
  const credited = { ...ACME, granted_cu: 500, balance_cu: 500 };
  const credit = { reference: 'r1', already_applied: false };
  expect(await json('account credit acme 500 --reference r1')).toEqual({ ...credited, ...credit });
  expect(await json('account credit acme 500 --reference r1')).toMatchObject({ already_applied: true });
  expect(await json('account plan acme free')).toEqual({ ...credited, plan: 'free' });
  expect(await json('account create zeta --plan free --credit 7')).toMatchObject({
    granted_cu: 7,
    plan: 'free',
  });
  expect(store.items('ledger')).toContainEqual(expect.objectContaining({ record: 'credit#opening', cu: 7n }));
  expect(await json('account credit zeta 5 --reference r2 --by alice@example.com')).toMatchObject({
    granted_cu: 12,
  });
  const by = (reference: string) =>
    store.items('ledger').find(({ record }) => record === `credit#${reference}`)?.by;
  expect([by('r1'), by('opening'), by('r2')]).toEqual([
    userInfo().username,
    userInfo().username,
    'alice@example.com',
  ]);
  const { accounts } = (await json('account list')) as { accounts: { account: string }[] };
  expect(accounts.map(({ account }) => account)).toEqual(['acme', 'zeta']);
});

test('an account has the shards of its plans, the most that it ever had', async () => {
  await json('account create acme');
  await json('account plan acme free');
  await json('account plan acme standard');
  expect(store.items('accounts')).toMatchObject([{ plan: 'standard', shards: 3n }]);
});

test('an account item that is gone is rebuilt; one that is right stays as it is', async () => {
  await json('account create acme --credit 500');
  await json('key create acme');
  await chargeAt(store, 'acme', CREATED_AT, 30);
  const shown = await json('account show acme');
  store.restore('accounts', { account: 'acme' }, undefined);
  const after = {
    plan: 'standard',
    plan_revision: 1,
    shards: 1,
    keys: 1,
    granted_cu: 500,
    debited_cu: 0,
    settled_cu: 0,
    open_from: '2026-11-20T23',
    closed_cu: 0,
    created_at: CREATED_AT,
  };
  const rebuilt = { account: 'acme', changed: true, before: null, after };
  expect(await json('account rebuild acme')).toEqual({ accounts: [rebuilt] });
  expect(await json('account show acme')).toEqual(shown);
  expect(await json('account rebuild acme')).toEqual({
    accounts: [{ account: 'acme', changed: false, before: after, after }],
  });
  expect(await text('account rebuild acme')).toMatch(/^acme +right +500 +0 /m);
});

test('an account without an id gets one', async () => {
  const created = (await json('account create')) as { account: string };
  expect(created.account).toMatch(/^account-[0-9a-f]{12}$/);
});

test('keys are created, listed, disabled and enabled', async () => {
  await json('account create acme');
  const key = (await json('key create acme --label back-end')) as Record<string, string>;
  expect(Object.keys(key)).toEqual(['key_id', 'api_key', 'account', 'label', 'created_at']);
  const listed = {
    key_id: key.key_id,
    account: 'acme',
    label: 'back-end',
    last4: key.api_key?.slice(-4),
    status: 'active',
    created_at: CREATED_AT,
  };
  expect(await json('key list acme')).toEqual({ keys: [listed] });
  expect(await json(`key disable ${key.key_id}`)).toEqual({ ...listed, status: 'disabled' });
  expect(await json(`key enable ${key.key_id}`)).toEqual(listed);
});

test('a credit is taken back once, with its reason, and not below zero unless that is said', async () => {
  await json('account create acme --credit 500');
  const debit = 'account debit acme 200 --reference refund-1 --reason refunded --by alice';
  const balance = { granted_cu: 500, debited_cu: 200, balance_cu: 300, reference: 'refund-1' };
  expect(await json(debit)).toMatchObject({ ...balance, already_applied: false });
  expect(await json(debit)).toMatchObject({ ...balance, already_applied: true });
  expect(store.items('ledger')).toContainEqual({
    account: 'acme',
    record: 'debit#refund-1',
    reference: 'refund-1',
    cu: 200n,
    by: 'alice',
    reason: 'refunded',
    created_at: CREATED_AT,
  });
  await chargeAt(store, 'acme', CREATED_AT, 50);
  const more = 'account debit acme 260 --reference refund-2 --reason r --local';
  expect(await refusal(more)).toContain('account acme has a balance of 250 CU; --below-zero takes back more');
  expect(await text('account show acme')).toContain('debited  200 CU');
  expect(await refusal('account debit acme 200 --reference refund-3 --local')).toContain('needs --reason');
});

test('credits and debits are listed with the person who made them', async () => {
  await json('account create acme');
  expect(await text('account credits acme')).toContain('Nothing was granted yet.');
  await json('account credit acme 500 --reference order-1 --by bob');
  await json('account debit acme 200 --reference refund-1 --reason refunded --by alice');
  const credit = { created_at: CREATED_AT, kind: 'credit', cu: 500, reference: 'order-1', by: 'bob' };
  const debit = { ...credit, kind: 'debit', cu: 200, reference: 'refund-1', by: 'alice', reason: 'refunded' };
  expect(await json('account credits acme')).toEqual({ credits: [credit, debit] });
  const listed = await text('account credits acme');
  expect(listed).toMatch(/order-1 +bob/);
  expect(listed).toMatch(/refund-1 +alice +refunded/);
});

test('a key has bounds, which are shown, changed and taken away', async () => {
  await json('account create acme');
  const command = `key create acme --apis rpc,data --ips 10.0.0.0/8 --contracts 0x${'0'.repeat(40)}`;
  const created = (await json(command)) as Record<string, string>;
  const bounds = { apis: ['rpc', 'data'], contracts: [`0x${'0'.repeat(40)}`], ips: ['10.0.0.0/8'] };
  expect(created).toMatchObject({ bounds });
  const shown = await json(`key show ${created.key_id}`);
  expect(shown).toMatchObject({ key_id: created.key_id, status: 'active', bounds });
  const updated = await json(`key update ${created.key_id} --operations getBlock --clear ips,contracts`);
  expect(updated).toMatchObject({ bounds: { apis: ['rpc', 'data'], operations: ['getBlock'] } });
  const told = await text(
    `key update ${created.key_id} --contracts 0x${'1'.repeat(40)} --expires 2999-01-01`,
  );
  expect(told).toContain('operations  getBlock\n');
  expect(told).toContain('the Data API and the tools of MCP that read its data are not bounded by them.');
  expect(told).toContain('The key is unknown from 2999-01-01T00:00:00.000Z on.');
  expect(await text(`key show ${created.key_id}`)).toMatch(/^expires +2999-01-01T00:00:00.000Z$/m);
});

test('flags may stand before and between what a command takes', async () => {
  expect(await json('account create --plan free acme')).toEqual({ ...ACME, plan: 'free' });
  expect(await json('account credit --reference r acme --by bob 5')).toMatchObject({ granted_cu: 5 });
});

test('people get tables, and see a key once', async () => {
  expect(await text('account create acme --credit 1234567')).toBe(
    [
      'account  acme',
      'plan     standard',
      'granted  1,234,567 CU',
      'charged  0 CU',
      'balance  1,234,567 CU',
      `created  ${CREATED_AT}`,
      '',
    ].join('\n'),
  );
  await chargeAt(store, 'acme', CREATED_AT, 1_000);
  expect(await text('account show acme')).toContain(
    'HOUR           NOT YET SETTLED, CU\n2026-11-20T23                1,000\n',
  );
  expect(await text('account list')).toBe(
    [
      'ACCOUNT  PLAN        GRANTED  CHARGED    BALANCE  CREATED',
      `acme     standard  1,234,567    1,000  1,233,567  ${CREATED_AT}`,
      '',
    ].join('\n'),
  );
  const created = await text('key create acme');
  const apiKey = /rgw_[0-9a-f]{64}/.exec(created)?.[0] ?? '';
  expect(apiKey).not.toBe('');
  const listed = await text('key list acme');
  expect(listed).not.toContain(apiKey);
  expect(listed).toContain(`...${apiKey.slice(-4)}`);
});

const WORDS_FIRST = 'the words of a command come before its flags: ';

test.each([
  ['', 'name a command'],
  ['account', 'unknown command account (commands: account create, account show,'],
  [
    'key ls acme',
    'unknown command key ls (commands: key create, key list, key show, key update, key disable, key enable)',
  ],
  ['acount list', 'unknown command acount list (see --help)'],
  ['nothing --help', 'unknown command nothing (see --help)'],
  ['help nothing', 'unknown command nothing (see --help)'],
  ['help key nothing', 'unknown command key nothing (commands: key create,'],
  ['key ls --help', 'unknown command key ls (commands: key create,'],
  ['account show', 'account show needs ACCOUNT (usage: account show ACCOUNT)'],
  ['account show acme', '--local or --stack'],
  ['account show acme --local --stack s', 'not both'],
  ['account show acme --local --region r', '--region needs --stack'],
  ['account show acme other --local', 'too many arguments'],
  ['account show acme --account other --local', "unknown option '--account'"],
  ['--local', 'name a command'],
  ['--json account show acme --local', `${WORDS_FIRST}account show acme --json --local`],
  ['--local account show acme', `${WORDS_FIRST}account show acme --local`],
  ['--stack x audit', `${WORDS_FIRST}audit --stack x`],
  ['--stack=x audit', `${WORDS_FIRST}audit --stack=x`],
  ['account --local show acme', `${WORDS_FIRST}account show acme --local`],
  ['--plan free account create acme', `${WORDS_FIRST}account create acme --plan free`],
  ['--local acount show', 'unknown command acount show (see --help)'],
  [
    'account show acme --bogus --local',
    "account show: unknown option '--bogus' (usage: account show ACCOUNT)",
  ],
  ['account show acme -x --local', "unknown option '-x'"],
  [
    'account show acme --label x --local',
    "account show: unknown option '--label' (usage: account show ACCOUNT)",
  ],
  ['account list --json=1 --local', "account list: unknown option '--json=1' (Did you mean --json?)"],
  ['account list --help=1', "unknown option '--help=1'"],
  ['account list --stack', "option '--stack <STACK>' argument missing"],
  ['account list --stack=', '--stack needs a value'],
  ['account list --stack s --region=', '--region needs a value'],
  ['account list --data-dir=', '--data-dir needs a value'],
  ['account show nobody --local', 'unknown account nobody'],
  ['account show ACME --local', 'an account id'],
  ['account create acme --plan gold --local', 'unknown plan gold (plans: standard, free)'],
  [
    'account create acme --credit 1e3 --local',
    'a credit must be a whole number of CU from 1 to 1000000000000000,',
  ],
  ['account create acme --credit 0 --local', 'a credit must be a whole number of CU'],
  ['account create acme --credit=-5 --local', 'a credit must be a whole number of CU'],
  ['account create acme --credit 99999999999999999999 --local', 'a credit must be a whole number of CU'],
  [
    'account create acme --credit -5 --local',
    '--credit needs a value; write a value that begins with - as --credit=VALUE',
  ],
  ['account create acme --reference r --local', '--reference needs --credit'],
  ['account credit acme 5 --local', 'account credit needs --reference'],
  ['account credit acme --reference r --local', 'account credit needs CU'],
  ['account credit acme -5 --reference r --local', 'a credit must be a whole number of CU from 1'],
  ['account credit acme 1000000000000001 --reference r --local', 'a credit must be a whole number of CU'],
  ['account plan nobody gold --local', 'unknown plan gold'],
  ['account rebuild nobody --local', 'unknown account nobody'],
  ['account rebuild --local', 'account rebuild needs either ACCOUNT or --all'],
  ['key create nobody --local', 'unknown account nobody'],
  ['key list nobody --local', 'unknown account nobody'],
  ['key disable xyz --local', 'a key id'],
  ['key show xyz --local', 'a key id'],
  [`key show ${'0'.repeat(64)} --local`, `unknown key ${'0'.repeat(64)}`],
  [`key update ${'0'.repeat(64)} --apis rpc --local`, `unknown key ${'0'.repeat(64)}`],
  [`key update ${'0'.repeat(64)} --local`, 'key update needs a bound to set, or --clear'],
  ['key create acme --chains nowhere --local', 'unknown chain nowhere'],
  ['key create acme --ips= --local', '--ips has an empty entry'],
  ['key create acme --clear ips --local', "key create: unknown option '--clear'"],
])('%j is wrong input: %s', async (line, message) => {
  expect(await refusal(line)).toContain(message);
  expect(store.items('accounts')).toEqual([]);
});

test('help is printed for all commands, and for one', async () => {
  const all = await run('--help');
  expect(all).toMatchObject({ exitCode: 0, stderr: '' });
  expect(all.stdout).toContain('\nKeys:\n  key create ACCOUNT ');
  expect(all.stdout).toContain('  account credit ACCOUNT CU ');
  expect(all.stdout).toContain('  account create [ACCOUNT] ');
  expect(all.stdout).toContain('2 invalid command line');
  const one = await run('key list --help');
  expect(one.stdout).toContain('Usage: key list ACCOUNT [options]\n');
  expect(one.stdout).not.toContain('key create');
});

test.each(Object.values(COMMAND_GROUPS).flat())(
  'help on $name names what it takes, in 80 columns, with a command line that is understood',
  async (command) => {
    const { name, positionals, flags = {}, example } = command;
    const { stdout } = await run(`${name} --help`);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 80 || /[\^$\\][\w[(]|\[[\w-]+\][+*{]/.test(line))).toEqual(
      [],
    );
    const taken = [
      ...positionals.map((one) => one.name.toUpperCase().replace('-', '_')),
      ...Object.keys(flags),
    ];
    const described = lines.flatMap(
      (line) => /^ {2}(?:--)?\[?([\w-]+)\]?(?: <\w+>)?(?: {2}|$)/.exec(line)?.[1] ?? [],
    );
    expect(described).toEqual(expect.arrayContaining(taken));
    const onGateway = !('runOnFile' in command);
    const words = onGateway ? [...example.split(' '), '--local'] : example.split(' ');
    expect(stdout.replace(/ \\\n */, ' ')).toContain(`npm run --silent operator -- ${words.join(' ')}\n`);
    expect(parseInvocation(words)).toMatchObject({ [onGateway ? 'command' : 'stageCommand']: { name } });
  },
);

test.each([
  ['-h', '--help'],
  ['help', '--help'],
  ['help key list', 'key list --help'],
  ['key list -h', 'key list --help'],
  ['help key', 'key --help'],
  ['help --local', '--help'],
])('%j is help as %j is', async (line, same) => {
  const { exitCode, stdout, stderr } = await run(line);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toBe((await run(same)).stdout);
});

test('help on the first word of commands is on those commands', async () => {
  const { stdout } = await run('key --help');
  for (const name of ['key create', 'key list', 'key show', 'key update', 'key disable', 'key enable']) {
    expect(stdout).toContain(`  ${name} `);
  }
  expect(stdout).not.toContain('account create');
});

test('a store that does not answer is a failure of one line', async () => {
  store.get = () => Promise.reject(new StoreUnavailableError('TimeoutError: no\n answer', true));
  await expect(run('account show acme --local')).resolves.toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'operator: the store failed (TimeoutError: no answer)\n',
  });
});
