import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDeployedConfig, loadStageConfig } from '../../../lib/config/config.ts';
import { stageFile, stageNames } from '../../../lib/config/stage-files.ts';

const EXAMPLE = JSON.parse(readFileSync(stageFile('example-production'), 'utf8'));
const ACCOUNT = '444455556666';
const OTHER_ACCOUNT = '777788889999';

const folder = mkdtempSync(join(tmpdir(), 'placeholders-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The example with the values of an operator, and some entries more. */
function own(more: object = {}): object {
  const text = JSON.stringify(EXAMPLE)
    .replaceAll('111122223333', ACCOUNT)
    .replaceAll('example.com', 'gateway.test')
    .replace('00000000-0000-0000-0000-000000000000', '1c7e0a52-35c1-4b5e-9a53-0f6f6b1d2c3e')
    .replace('Z0EXAMPLE', 'Z03141592653');
  return { ...JSON.parse(text), ...more };
}

/** Lines of the refusal, without the file's name; none if the stage is taken. */
function refused(content: object, account: string | undefined = ACCOUNT): string[] {
  const file = join(folder, 'stage.json');
  writeFileSync(file, JSON.stringify(content));
  try {
    loadDeployedConfig(file, account);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').flatMap((line) => line.split(`${file}: `)[1] ?? []);
  }
}

test.each(stageNames().filter((stage) => stage.startsWith('example-')))(
  '%s cannot be deployed as it is',
  (stage) =>
    expect(() => loadDeployedConfig(stageFile(stage), undefined)).toThrow('alarms.email: is a placeholder'),
);

test('each placeholder of the example is named by its path, with what to enter', () =>
  expect(refused(EXAMPLE, undefined)).toMatchInlineSnapshot(`
[
  "alarms.email: is a placeholder (example.com): enter an address whose mails are read",
  "alarms.pageEmail: is a placeholder (example.com): enter an address whose mails are read",
  "domain.name: is a placeholder (example.com): enter a host name of yours, or leave domain out",
  "domain.certificateArn: is a placeholder (111122223333, 00000000-0000-0000-0000-000000000000): enter the ARN of an issued certificate of ACM in the region of the stage",
  "domain.hostedZone.id: is a placeholder (Z0EXAMPLE): enter the id of your zone in Route 53, or leave hostedZone out",
  "domain.hostedZone.name: is a placeholder (example.com): enter the name of your zone in Route 53, or leave hostedZone out",
  "backup.copyTo: is a placeholder (111122223333): enter the ARN of a vault of AWS Backup in another region (one of another account needs backup.keyArn too), or leave backup out",
]
`));

test('the stage of local runs, and the example with values of an operator, have none', () => {
  expect(loadDeployedConfig(stageFile('local'), ACCOUNT)).toEqual(loadStageConfig(stageFile('local')));
  expect(refused(own())).toEqual([]);
});

const [chain] = EXAMPLE.chains;
test.each<[string, object, string]>([
  [
    'in the URL of a node',
    { chains: [{ ...chain, upstreams: ['https://node.example.com/key', 'secret:a/b'] }] },
    'chains[0].upstreams[0]: is a placeholder (example.com): enter the URL of your node',
  ],
  [
    'in the URL of a node with settings',
    { chains: [{ ...chain, upstreams: [{ url: 'https://Example.com' }, 'secret:a/b'] }] },
    'chains[0].upstreams[0].url: is a placeholder (Example.com): enter the URL of your node',
  ],
  [
    'in the header of a node',
    {
      chains: [
        {
          ...chain,
          upstreams: [{ url: 'secret:a', headers: { 'x-of': 'me@example.com' } }, 'secret:a/b'],
        },
      ],
    },
    'chains[0].upstreams[0].headers.x-of: is a placeholder (example.com)',
  ],
  [
    'in a URL for alarms',
    { alarms: { email: 'a@gateway.test', pageUrl: 'https://pages.example.com:8443/1?to=me' } },
    'alarms.pageUrl: is a placeholder (example.com): enter a value of your own',
  ],
  [
    'in a key',
    { backup: { ...EXAMPLE.backup, keyArn: 'arn:aws:kms:us-east-1:111122223333:key/1' } },
    'backup.keyArn: is a placeholder (111122223333)',
  ],
  [
    "in the site's certificate",
    {
      site: {
        enabled: true,
        domain: {
          name: 'docs.gateway.test',
          certificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/00000000-0000-0000-0000-000000000000`,
        },
      },
    },
    'site.domain.certificateArn: is a placeholder (00000000-0000-0000-0000-000000000000): enter the ARN of an issued certificate of ACM in us-east-1',
  ],
])('a placeholder is found %s', (_where, entries, line) =>
  expect(refused(own(entries))).toContainEqual(expect.stringContaining(line)),
);

test.each([
  'https://wiki.my-example.com/runbook',
  'https://example.company/runbook',
  'https://example.com.gateway.test/runbook',
  'https://gateway.test/1111222233334/runbook',
])('%s is no placeholder', (runbookUrl) =>
  expect(refused(own({ alarms: { email: 'a@gateway.test', runbookUrl } }))).toEqual([]),
);

describe('copies to another account', () => {
  const copyTo = `arn:aws:backup:us-west-2:${OTHER_ACCOUNT}:backup-vault:gateway`;

  test('are refused without a key, which each of them needs', () =>
    expect(refused(own({ backup: { copyTo } }))).toEqual([
      `backup.keyArn: is required, because backup.copyTo is in account ${OTHER_ACCOUNT}: enter the ARN of a KMS key that it may use`,
    ]));

  test('are taken with one', () =>
    expect(refused(own({ backup: { copyTo, keyArn: `arn:aws:kms:us-east-1:${ACCOUNT}:key/1` } }))).toEqual(
      [],
    ));

  test('are taken without one as long as the account is not known', () => {
    const file = join(folder, 'unknown-account.json');
    writeFileSync(file, JSON.stringify(own({ backup: { copyTo } })));
    expect(loadDeployedConfig(file, undefined)).toMatchObject({ backup: { copyTo } });
  });
});
