import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseInvocation } from '../../bin/operator/parse-invocation.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { type FollowedGuide, follow, shellBlocks } from './followed-guide.ts';

const read = (page: string) => readFileSync(join(import.meta.dirname, '..', '..', page), 'utf8');
const GUIDE = read('docs/deploy.md');
const README_SECTION = read('README.md').split('\n## Deploy it\n')[1]?.split('\n## ')[0] ?? '';

const EXAMPLE = readFileSync(stageFile('example-production'), 'utf8');
const [, VAULT_REGION, VAULT] = /"arn:aws:backup:([\w-]+):\d+:backup-vault:(\w+)"/.exec(EXAMPLE) ?? [];
const SECRETS = [...EXAMPLE.matchAll(/"secret:([^"]+)"/g)].map(([, name]) => name);

/** `operator up` deploys, for the first time without a rollback. */
const isDeployment = (call: readonly string[]) =>
  call[0] === 'npm' && call[call.indexOf('--') + 1] === 'up' && call.includes('operator');
const isOfCdk = ([program, tool]: readonly string[]) => program === 'npx' && tool === 'cdk';
/** The stage file of a command of the CDK, or of the operator. */
const stageFileOf = (call: readonly string[]) =>
  isOfCdk(call)
    ? call.flatMap((word) => /^config=(.*)/.exec(word)?.[1] ?? [])[0]
    : call[call.indexOf('--config') + 1];

test('every block of the guide is what a shell understands', () => {
  expect(shellBlocks(GUIDE).length).toBeGreaterThan(15);
  for (const block of shellBlocks(GUIDE)) {
    const { stderr, status } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' });
    expect({ block, stderr, status }).toEqual({ block, stderr: '', status: 0 });
  }
});

describe.each([
  ['the guide', GUIDE],
  ['the short form in the README', README_SECTION],
])('%s, pasted block by block', (_name, text) => {
  let followed: FollowedGuide;
  beforeAll(() => {
    followed = follow(shellBlocks(text));
  });
  afterAll(() => followed.remove());

  test('uses no variable, function, program or file that is not there yet', () =>
    expect(followed.complaints).toEqual([]));

  test('names a stage file that exists in each command of the CDK', () => {
    const named = followed.calls.filter((call) => isOfCdk(call) || call.includes('--config'));
    expect(named.length).toBeGreaterThan(0);
    for (const call of named) {
      const file = stageFileOf(call);
      expect({ call, exists: file !== undefined && followed.hasFile(file) }).toEqual({ call, exists: true });
    }
  });

  test('names files that exist', () => {
    const files = followed.calls.flat().filter((word) => /^(config|cdk\.out)\/\S+$/.test(word));
    expect(files.filter((file) => !followed.hasFile(file))).toEqual([]);
  });

  test('has commands of the operator that it understands', () => {
    const ofOperator = followed.calls.filter(
      ([program, ...words]) => program === 'npm' && words.includes('operator'),
    );
    for (const call of ofOperator)
      expect(parseInvocation(call.slice(call.indexOf('--') + 1))).toHaveProperty('args');
  });

  test('has the name of the stage in a variable', () => {
    const unnamed = followed.calls.filter((call) => call.some((word) => /\b(STACK|STAGE)\b/.test(word)));
    expect(unnamed).toEqual([]);
  });

  test('deploys for the first time without a rollback', () => {
    const first = followed.calls.findIndex(isDeployment);
    expect(first).toBeGreaterThan(0);
    expect(followed.calls.slice(0, first).filter((call) => isOfCdk(call) && call[2] === 'deploy')).toEqual(
      [],
    );
  });

  test('leads from a clone to the first call with three commands', () =>
    expect(followed.calls.findIndex(isDeployment)).toBe(2));

  test('leaves no gap in a command for the reader to fill', () =>
    expect(shellBlocks(text).filter((block) => block.includes('…'))).toEqual([]));
});

describe('before the first deployment the guide', () => {
  let before: readonly string[];
  beforeAll(() => {
    const { calls, remove } = follow(shellBlocks(GUIDE));
    remove();
    const ofProduction = calls.findIndex(
      (call) => isDeployment(call) && stageFileOf(call) === 'config/production.json',
    );
    before = calls.slice(0, ofProduction).map((call) => call.join(' '));
  });

  test.each([
    ['makes the role of RDS', 'aws iam create-service-linked-role --aws-service-name rds.amazonaws.com'],
    ['asks for a certificate', 'aws acm request-certificate'],
    [
      'makes the vault that the example copies to',
      `aws backup create-backup-vault --region ${VAULT_REGION} --backup-vault-name ${VAULT} `,
    ],
    // Preflight does it.
    ['looks at the concurrency of the account', 'preflight --config config/production.json'],
    ...SECRETS.map((name): [string, string] => [
      `stores the secret ${name} of the example`,
      `aws secretsmanager create-secret --name ${name} `,
    ]),
  ])('%s', (_what, command) => expect(before).toContainEqual(expect.stringContaining(command)));

  test('says what cannot be undone, and what AWS has to verify', () => {
    const [way = ''] = GUIDE.split('\n### Deploy\n');
    const words = ['400 days', 'must be verified'];
    expect(words.filter((one) => !way.includes(one))).toEqual([]);
  });
});
