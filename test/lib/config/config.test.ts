import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { EXCHANGE_PROTOCOLS } from '../../../lambdas/shared/runtime/settings.ts';
import { RESERVED_SEGMENTS } from '../../../lib/config/chain-config.ts';
import {
  loadStageConfig,
  mostHeldBackCu,
  parseStageConfig,
  requestsAtOnce,
  toStageSettings,
} from '../../../lib/config/config.ts';
import { plan } from '../../../lib/config/plan-config.ts';
import type { StageConfigInput } from '../../../lib/config/stage-config.ts';
import { stageFile, stageNames } from '../../../lib/config/stage-files.ts';
import { ROUTES } from '../../../lib/edge/api-routes.ts';

const FILE = 'config/x.json';

const CHAIN = {
  chain: 'example_mainnet',
  name: 'Example Mainnet',
  chainId: 1,
  default: true,
  upstreams: ['https://node.example/key'],
};
const PLAN = { bucketCapacity: 100, refillPerSecond: 10 };
const VALID = { stage: 'x', chains: [CHAIN], plans: { standard: PLAN }, defaultPlan: 'standard' };

const VAULT = 'arn:aws:backup:us-west-2:111122223333:backup-vault:gateway';

/** A domain with a certificate where CloudFront takes it. */
function named(name: string) {
  return { name, certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/0' };
}

function problems(content: unknown): string[] {
  try {
    parseStageConfig(content, FILE);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

function withChain(entries: object): unknown {
  return { ...VALID, chains: [{ ...CHAIN, ...entries }] };
}

/** The valid stage file with some entries otherwise, such as `chains[0].name`. */
function withEntries(changes: Readonly<Record<string, unknown>>): unknown {
  const content = structuredClone(VALID);
  for (const [path, value] of Object.entries(changes)) {
    const names = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
    const last = names.pop() ?? '';
    let part = content as unknown as Record<string, unknown>;
    for (const name of names) {
      part[name] ??= {};
      part = part[name] as typeof part;
    }
    part[last] = value;
  }
  return content;
}

test('every setting of a plan is in the guide for operators', () => {
  const row = readFileSync('docs/deploy.md', 'utf8').match(/^\| `plans`.*$/m)?.[0] ?? '';
  expect(Object.keys(plan.in.shape).filter((name) => !row.includes(`\`${name}\``))).toEqual([]);
});

describe('a stage file', () => {
  test('is complete with its defaults', () => {
    expect(parseStageConfig(VALID, FILE)).toEqual({
      ...VALID,
      size: 'production',
      heads: { lockDays: 400 },
      chains: [
        {
          ...CHAIN,
          public: true,
          privateUpstreams: false,
          maxCallGas: 50_000_000,
          maxLogsBlockRange: 10_000,
          stateWindowBlocks: 128,
          maxResponseBytes: 33_554_432,
        },
      ],
      plans: { standard: { ...PLAN, shards: 1 } },
      metering: { storeBeforeAnswer: false },
      dataApi: { queriesPerKey: 8, exportsPerKey: 4 },
      tables: {},
      upstreamTimeoutMs: 20_000,
      objectives: {
        enabled: true,
        rpc: { answeredPercent: 99.9, latencyMs: 300, fastPercent: 99 },
        data: { answeredPercent: 99.5, latencyMs: 2_000, fastPercent: 97 },
      },
      functions: {
        rpc: { hosting: 'event', memoryMb: 1_024, timeoutSeconds: 40 },
        data: { hosting: 'event', memoryMb: 1_024, timeoutSeconds: 25 },
        status: { memoryMb: 512, timeoutSeconds: 10 },
        mcp: { hosting: 'event', memoryMb: 1_024, timeoutSeconds: 25 },
        charges: { memoryMb: 256, timeoutSeconds: 10 },
        reserveConcurrency: true,
      },
      releases: { canary: false, differences: [] },
      logs: { retentionDays: 30 },
      alarms: { enabled: true, extent: 'all', runbookUrl: 'docs/runbook.md' },
      firewall: { enabled: true, requestsPerAddress: 120_000, reputation: true },
      removal: 'retain',
      database: {
        enabled: true,
        minAcu: 0.5,
        maxAcu: 8,
        engineVersion: '17.9',
        standby: false,
        ioOptimized: false,
      },
      indexing: { enabled: false, memoryMb: 1_024, backfillConcurrency: 4 },
      demo: { creditCu: 10_000_000, chainActivity: false },
    });
  });

  test.each(stageNames())('%s is valid', (stage) => {
    expect(loadStageConfig(stageFile(stage)).stage).toBe(stage);
  });

  test('tells the functions what they need and nothing else', () => {
    const config = parseStageConfig(VALID, FILE);
    expect(Object.keys(toStageSettings(config)).sort()).toEqual(
      [
        'chains',
        'dataApi',
        'defaultPlan',
        'metering',
        'plans',
        'rpcConcurrency',
        'stage',
        'upstreamTimeoutMs',
      ].sort(),
    );
  });
});

describe('price lists of a stage', () => {
  const withLists = (...prices: readonly object[]) =>
    parseStageConfig({ ...VALID, metering: { prices } }, FILE);
  const LIST = {
    from: '2026-12-01T00',
    cached: 1,
    default: 10,
    prices: { eth_call: 21, 'debug_trace*': 200 },
  };

  test('are shipped to the functions as they are', () => {
    expect(toStageSettings(withLists(LIST)).metering.prices).toEqual([LIST]);
    expect(toStageSettings(parseStageConfig(VALID, FILE)).metering.prices).toBeUndefined();
  });

  test.each([
    ['a day', { from: '2026-12-01' }],
    ['another price of cached calls', { cached: 2 }],
    ['a price of 0', { prices: { eth_call: 0 } }],
    ['a member that is none', { note: '' }],
  ])('with %s are refused', (_, change) => {
    expect(() => withLists({ ...LIST, ...change })).toThrow('metering.prices');
  });
});

describe('a function on instances', () => {
  const hosted = (rpc: object, entries: object = {}) =>
    parseStageConfig({ ...VALID, ...entries, functions: { rpc: { hosting: 'instances', ...rpc } } }, FILE);

  test('has the memory of one processor, and three environments to thirty', () => {
    expect(hosted({}).functions.rpc).toEqual({
      hosting: 'instances',
      memoryMb: 2_048,
      timeoutSeconds: 40,
      environments: { min: 3, max: 30 },
    });
    expect(hosted({ memoryMb: 4_096, environments: { max: 5 } }).functions.rpc).toMatchObject({
      memoryMb: 4_096,
      environments: { min: 3, max: 5 },
    });
  });

  test('stores charges in groups and draws ahead, and no other function does', () => {
    const config = hosted({});
    const modes = ([undefined, 'rpc', 'data', 'mcp'] as const).map((name) => {
      const { metering, plans } = toStageSettings(config, name);
      return [metering.groupCommitCu, plans.standard?.drawAhead];
    });
    expect(modes).toEqual([
      [0, false],
      [100_000, true],
      [0, false],
      [0, false],
    ]);
    expect(mostHeldBackCu(config)).toBe(100_000);
  });

  test('does as the stage file says where it says so, and holds nothing back that is to be stored first', () => {
    const asked = hosted(
      {},
      { metering: { groupCommitCu: 7 }, plans: { standard: { ...PLAN, drawAhead: false } } },
    );
    const { metering, plans } = toStageSettings(asked, 'rpc');
    expect([metering.groupCommitCu, plans.standard?.drawAhead]).toEqual([7, false]);
    const first = hosted({}, { metering: { storeBeforeAnswer: true } });
    expect(toStageSettings(first, 'rpc').metering.groupCommitCu).toBe(0);
  });

  test('has 64 requests under way in each environment', () => {
    const config = hosted({ environments: { max: 5 } });
    expect(requestsAtOnce(config, 'rpc')).toBe(320);
    expect(toStageSettings(config).rpcConcurrency).toBe(320);
    expect(requestsAtOnce(config, 'data')).toBeUndefined();
  });
});

const UPSTREAM_REASON =
  'must be an https:// URL (http:// with privateUpstreams, no user name or password), "secret:NAME" or "embedded"';

/** What is said of entries that are wrong by themselves, and what stands there. */
const WRONG_ENTRIES: readonly [problem: string, value: unknown][] = [
  ['chain: is an unknown key', 1],
  ['chains[0].chainID: is an unknown key', 1],
  ['plans.standard.x: is an unknown key', 1],
  ['functions.rcp: is an unknown key', {}],
  ['stage: is required', undefined],
  ['stage: must be lower-case letters, digits and -, at most 32', 'A B'],
  ['region: must be an AWS region', 'here'],
  ['chains: must hold at least one chain', []],
  ['chains: must be a list of chains', {}],
  ['chains[0].chain: must be lower-case letters, digits, _ and -, at most 63', 'Example'],
  ['chains[0].chain: must not start with rgw_, as API keys do', 'rgw_x'],
  ['chains[0].name: is required', undefined],
  ['chains[0].name: must be a name of at most 100 characters', ''],
  ['chains[0].chainId: must be an integer from 1 to 9007199254740991', 0],
  ['chains[0].chainId: must be an integer from 1 to 9007199254740991', '0x1'],
  ['chains[0].public: must be true or false', 'yes'],
  ['chains[0].upstreams: must name at least one upstream', []],
  ['chains[0].upstreams: must not name an upstream twice', ['embedded', 'embedded']],
  ['chains[0].maxLogsBlockRange: must be an integer from 1 to 1000000000', 0],
  ['chains[0].stateWindowBlocks: must be an integer from 1 to 9007199254740991', 1.5],
  ['chains[0].maxResponseBytes: must be an integer from 1024 to 134217728', 2 ** 40],
  ['chains[0].methods.allow: must name at least one method', []],
  [
    'chains[0].quotes.stables: must not name a token twice',
    ['a', 'A'].map((digit) => ({ token: `0x${digit.repeat(40)}`, decimals: 6 })),
  ],
  [
    'chains[0].exchanges: must not name a factory twice',
    ['a', 'A'].map((digit) => ({ protocol: 'uniswap_v2', factory: `0x${digit.repeat(40)}` })),
  ],
  [
    'chains[0].entryPoints: must not name a contract twice',
    ['a', 'A'].map((digit) => `0x${digit.repeat(40)}`),
  ],
  [
    'chains[0].entryPoints: must name at most 16 contracts',
    Array.from({ length: 17 }, (_, n) => `0x${String(n).padStart(40, '0')}`),
  ],
  ['chains[0].proof.form: must be one of ethereum, orbit, op, none', 'zksync'],
  ['chains[0].proof: must have a form if it is required', { form: 'none', required: true }],
  ['chains[0].agreement: must be 2, or be left out', 3],
  ['chains[0].broadcast: must be an integer from 1 to 16', 0],
  ['chains[0].upstreams: must name one that is no shadow', [{ url: 'https://node.example', shadow: true }]],
  [
    'chains: must contain exactly one default chain (default: true), not 2',
    [CHAIN, { ...CHAIN, chain: 'other' }],
  ],
  ['objectives.rpc.answeredPercent: must be a number from 94 to 99.99', 93],
  ['objectives.data.fastPercent: must be a number from 94 to 99.99', 100],
  ['plans.standard.bucketCapacity: must be an integer from 1 to 1000000000', 0],
  ['plans.standard.requestsPerSecond: must be an integer from 1 to 1000000000', 0],
  ['plans.standard.shards: must be an integer from 1 to 64', 65],
  ['plans.standard.drawAhead: must be true or false', 1],
  ['metering.groupCommitCu: must be an integer from 0 to 1000000', -1],
  ['metering.groupCommit: is an unknown key', 1],
  ['dataApi.queriesPerKey: must be an integer from 1 to 100', 0],
  ['dataApi.exportsPerKey: must be an integer from 1 to 100', 101],
  ['tables.warmWritesPerSecond: must be an integer from 4000 to 40000', 3_999],
  ['defaultPlan: must be the name of a plan', 'gold'],
  ['defaultPlan: must be the name of a plan', 'toString'],
  ['functions.rpc.timeoutSeconds: must be an integer from 1 to 898', 899],
  ['functions.data.timeoutSeconds: must be an integer from 1 to 29', 30],
  ['indexing.memoryMb: must be an integer from 768 to 10240', 767],
  ['functions.rpc.hosting: must be "event" or "instances"', 'web'],
  ['functions.status.hosting: is an unknown key', 'instances'],
  ['functions.rpc.environments: must be absent unless hosting is "instances"', { max: 3 }],
  ['alarms.monthlyBudgetUsd: must be absent without alarms.email', 100],
  ['database.engineVersion: must be a version 17 of Aurora PostgreSQL', '18.3'],
  ['alarms.email: must be an e-mail address', 'nobody'],
  ['removal: must be "retain" or "destroy"', 'keep'],
  ['domain.name: must be a lower-case host name', 'https://x'],
  ['functions.charges.timeoutSeconds: must be an integer from 1 to 30', 241],
  ['database.minAcu: must be a number from 0 to 256, in steps of 0.5', 0.7],
  ['database.autoPauseMinutes: must be absent unless minAcu is 0: only then the database pauses', 10],
  ['indexing.batchMinutes: must be 15, 20, 30, 60', 5],
  [
    'chains[0].chain: must not be the name of a PostgreSQL system schema: each chain has a schema of its name',
    'aws_s3',
  ],
  [
    'chains[0].chain: must not be the name of a PostgreSQL system schema: each chain has a schema of its name',
    'pg_catalog',
  ],
];

const WITHIN_POLICY =
  'must be a method name, or a prefix followed by *, within eth_*, net_*, web3_*, debug_trace* and not blocked';

type Wrong = readonly [problem: string, changes: Readonly<Record<string, unknown>>];

/** What is said of an entry beside others, or within one, and what is changed in the valid file. */
const WRONG: readonly Wrong[] = [
  ...['debug_*', 'trace_block', 'eth*', '*', '', 'eth_subscribe', 'eth_get*Block', 1].map(
    (pattern): Wrong => [
      `chains[0].methods.deny[1]: ${WITHIN_POLICY}`,
      { 'chains[0].methods': { deny: ['eth_call', pattern] } },
    ],
  ),
  [`chains[0].methods.allow[0]: ${WITHIN_POLICY}`, { 'chains[0].methods': { allow: ['admin_*'] } }],
  [
    'chains[0].quotes.stables[0].token: must be an address: 0x and 40 hex digits',
    { 'chains[0].quotes': { stables: [{ token: '0x1', decimals: 6 }] } },
  ],
  [
    'chains[0].quotes.stables[0].usd: must be a decimal number above 0 in a text',
    { 'chains[0].quotes': { stables: [{ token: `0x${'a'.repeat(40)}`, decimals: 6, usd: 1 }] } },
  ],
  [
    `chains[0].exchanges[0].protocol: must be one of ${EXCHANGE_PROTOCOLS.join(', ')}`,
    { 'chains[0].exchanges': [{ protocol: 'sushi', factory: `0x${'a'.repeat(40)}` }] },
  ],
  [
    'chains[0].relaxedChecks[0].check: must be one of logsBloom, zeroBloom, extraBloomBits, logIndex, receiptCount, stateSync, blockReceipt, missingMembers, millisecondTimes',
    { 'chains[0].relaxedChecks': [{ check: 'parentHash' }] },
  ],
  [
    'chains[0].relaxedChecks[0]: must not end before it begins',
    { 'chains[0].relaxedChecks': [{ check: 'logIndex', from: 2, to: 1 }] },
  ],
  [
    'chains[0].broadcast: must be at most 2: as many upstreams share a mempool, private ones aside',
    {
      'chains[0].broadcast': 3,
      'chains[0].upstreams': [
        'https://a.example',
        { url: 'https://b.example', mempool: 'public' },
        { url: 'https://c.example', mempool: 'private' },
        { url: 'https://d.example', mempool: 'other' },
        { url: 'https://e.example', shadow: true },
      ],
    },
  ],
  [
    'chains[0].upstreams[0].mempool: must be lower-case letters, digits, _ and -, at most 63',
    { 'chains[0].upstreams': [{ url: 'https://node.example', mempool: '' }] },
  ],
  [
    'chains[0].upstreams[1].shadow: must be true, or a percentage from 1 to 100',
    { 'chains[0].upstreams': ['https://node.example', { url: 'https://other.example', shadow: false }] },
  ],
  [
    'chains[0].upstreams[1].shadow: must be true, or a percentage from 1 to 100',
    { 'chains[0].upstreams': ['https://node.example', { url: 'https://other.example', shadow: 101 }] },
  ],
  [
    'chains[0].agreement: must not be set for fewer than 2 upstreams',
    {
      'chains[0].agreement': 2,
      'chains[0].upstreams': ['https://node.example', { url: 'https://b.example', shadow: true }],
    },
  ],
  [
    'chains[0].agreement: must not be set for fewer than 2 upstreams',
    { 'chains[0].agreement': 2, 'chains[0].upstreams': ['https://node.example'] },
  ],
  ['chains: must contain exactly one default chain (default: true), not 0', { 'chains[0].default': false }],
  [
    'chains[1].chain: must not be the name of another chain',
    { chains: [CHAIN, { ...CHAIN, default: false }] },
  ],
  [
    'chains[1].chain: must differ from other embedded chains in more than "-" and "_"',
    {
      chains: [
        { ...CHAIN, chain: 'a-b', upstreams: ['embedded'] },
        { ...CHAIN, chain: 'a_b', upstreams: ['embedded'], default: false },
      ],
    },
  ],
  [
    'plans.no,comma: must be a plan name: lower-case letters, digits, _ and -, at most 32',
    { plans: { standard: PLAN, 'no,comma': PLAN } },
  ],
  ['plans.standard.refillPerSecond: is required', { plans: { standard: { bucketCapacity: 1 } } }],
  [
    'functions.rpc.reservedConcurrency: must be at most 1000: each instance reads what is shared of a chain up to twice a second, ' +
      'and one item gives no more; "hosting": "instances" needs fewer',
    { functions: { rpc: { reservedConcurrency: 1_001 } } },
  ],
  [
    'dataApi.exportsPerKey: must be at most half of functions.data.reservedConcurrency',
    { functions: { data: { reservedConcurrency: 10 } }, dataApi: { exportsPerKey: 6 } },
  ],
  [
    'functions.rpc.timeoutSeconds: must be longer than upstreamTimeoutMs plus 5000 ms',
    {
      chains: [{ ...CHAIN, maxResponseBytes: 6_000_000 }],
      upstreamTimeoutMs: 20_000,
      functions: { rpc: { timeoutSeconds: 25 } },
    },
  ],
  [
    'functions.rpc.timeoutSeconds: must be longer than upstreamTimeoutMs plus 5000 ms ' +
      'plus 64109 ms to stream maxResponseBytes',
    { chains: [CHAIN, { ...CHAIN, chain: 'large', default: false, maxResponseBytes: 134_217_728 }] },
  ],
  [
    'functions.rpc.reservedConcurrency: must be absent if functions.reserveConcurrency is false',
    { functions: { reserveConcurrency: false, rpc: { reservedConcurrency: 1 } } },
  ],
  [
    'functions.rpc.memoryMb: must be one of 2048, 4096, 8192 if hosting is "instances"',
    { functions: { rpc: { hosting: 'instances', memoryMb: 1_024 } } },
  ],
  [
    'functions.mcp.reservedConcurrency: must be absent if hosting is "instances": environments.max is its bound',
    { functions: { mcp: { hosting: 'instances', reservedConcurrency: 9 } } },
  ],
  [
    'functions.data.provisionedConcurrency: must be absent if hosting is "instances": environments.min always run',
    { functions: { data: { hosting: 'instances', provisionedConcurrency: 9 } } },
  ],
  [
    'functions.rpc.environments.max: must not be less than environments.min',
    { functions: { rpc: { hosting: 'instances', environments: { max: 2 } } } },
  ],
  [
    'functions.rpc.environments.min: must be an integer from 1 to 1000',
    { functions: { rpc: { hosting: 'instances', environments: { min: 0 } } } },
  ],
  [
    'functions.data.provisionedConcurrency: must not exceed reservedConcurrency',
    { functions: { data: { reservedConcurrency: 5, provisionedConcurrency: 6 } } },
  ],
  [
    'releases.canary: must be false if alarms.enabled is false',
    { alarms: { enabled: false }, releases: { canary: true } },
  ],
  [
    'releases.differences: must be empty without releases.canary and probe',
    { releases: { canary: true, differences: ['listBlocks: body'] } },
  ],
  [
    'clientAddress.proofHeader: must be another header than "header"',
    { clientAddress: { header: 'x-a', proofHeader: 'x-a', proofSha256: ['0'.repeat(64)] } },
  ],
  [
    'clientAddress.header: must be a header of your own in lower case, such as "x-client-address"',
    { clientAddress: { header: 'x-forwarded-for', proofHeader: 'x-a', proofSha256: ['0'.repeat(64)] } },
  ],
  [
    'clientAddress.proofSha256[0]: must be a SHA-256 in 64 lower-case hex digits',
    { clientAddress: { header: 'x-a', proofHeader: 'x-b', proofSha256: ['secret'] } },
  ],
  ['throttling.burst: is required', { throttling: { requestsPerSecond: 1 } }],
  [
    'domain.certificateArn: must be a certificate in eu-west-1',
    {
      region: 'eu-west-1',
      domain: { name: 'rpc.example.com', certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/0' },
    },
  ],
  [
    'domain.hostedZone.name: must be rpc.example.com or a domain that it is in',
    { domain: { ...named('rpc.example.com'), hostedZone: { id: 'Z0EXAMPLE', name: 'ample.com' } } },
  ],
  [
    'site.domain.hostedZone.name: must be docs.example.com or a domain that it is in',
    {
      site: {
        enabled: true,
        domain: { ...named('docs.example.com'), hostedZone: { id: 'Z0EXAMPLE', name: 'example.org' } },
      },
    },
  ],
  [
    'site.domain.name: must be another name than domain.name',
    { domain: named('rpc.example.com'), site: { enabled: true, domain: named('rpc.example.com') } },
  ],
  [
    'backup.keyArn: must be a key in eu-west-1',
    { region: 'eu-west-1', backup: { copyTo: VAULT, keyArn: 'arn:aws:kms:us-west-2:111122223333:key/0' } },
  ],
  [
    "backup.copyTo: must not be the stage's own vault",
    {
      region: 'us-west-2',
      backup: {
        copyTo: `arn:aws:backup:us-west-2:111122223333:backup-vault:gateway-${VALID.stage}-0a1b2c3d`,
      },
    },
  ],
  ['database.maxAcu: must not be less than minAcu', { database: { minAcu: 16 } }],
  [
    'indexing.batchMinutes: must be absent unless alarms.extent is "least": others call for a chain that is behind',
    { indexing: { enabled: true, batchMinutes: 60 } },
  ],
  [
    'chains[0].maxHeadLagSeconds: must be more than the 60 minutes between two batches (indexing.batchMinutes)',
    {
      chains: [{ ...VALID.chains[0], maxHeadLagSeconds: 3_600 }],
      alarms: { extent: 'least' },
      indexing: { enabled: true, batchMinutes: 60 },
    },
  ],
  [
    'chains[0].upstreams: must not name an upstream twice',
    {
      'chains[0].upstreams': ['https://node.example', 'https://NODE.example:443/'],
      'chains[0].agreement': 2,
    },
  ],
  [
    'chains[0].quotes.stables[0].usd: must be a decimal number above 0 in a text',
    { 'chains[0].quotes': { stables: [{ token: `0x${'1'.repeat(40)}`, decimals: 6, usd: '0.00' }] } },
  ],
];

describe('a wrong stage file', () => {
  test('is an object', () => expect(problems([])).toContain(`${FILE}: must be an object`));

  test.each(WRONG)('%s', (problem, changes) => {
    expect(problems(withEntries(changes))).toContain(`${FILE}: ${problem}`);
  });

  test.each(WRONG_ENTRIES)('%s of %j', (problem, value) => {
    const [path = ''] = problem.split(': ');
    expect(problems(withEntries({ [path]: value }))).toContain(`${FILE}: ${problem}`);
  });

  test('names every problem on a line of its own', () => {
    expect(problems({ ...VALID, stage: 'A', extra: 1, logs: { retentionDays: 2 } })).toEqual([
      expect.stringMatching(/^config\/x\.json: stage: must be /),
      expect.stringMatching(/^config\/x\.json: logs\.retentionDays: must be one of 1, 3, 5, 7/),
      `${FILE}: extra: is an unknown key`,
    ]);
  });

  test('the first segment of every route that could be a chain is reserved', () => {
    const segments = ROUTES.map(({ path }) => path.split('/')[2] ?? '').filter((one) =>
      /^[a-z-]+$/.test(one),
    );
    expect(RESERVED_SEGMENTS).toEqual(expect.arrayContaining(segments));
  });

  test.each(RESERVED_SEGMENTS)('a chain named like the route %s', (chain) => {
    expect(problems(withChain({ chain }))).toEqual([
      `${FILE}: chains[0].chain: must not be a path segment of the API itself`,
    ]);
  });
});

describe('a stage that no stack could hold', () => {
  const chains = (count: number, entries: object = {}) =>
    Array.from({ length: count }, (_, index) => ({
      ...CHAIN,
      chain: `chain${index}`,
      default: index === 0,
      ...entries,
    }));
  const secrets = (count: number) =>
    Array.from({ length: count }, (_, index) => `secret:node-${index + 100}`);

  test('has more chains than there may be', () => {
    expect(problems({ ...VALID, chains: chains(50), indexing: { enabled: true } })).toEqual([]);
    expect(problems({ ...VALID, chains: chains(51) })).toEqual([
      `${FILE}: chains: must hold at most 50 chains`,
    ]);
  });

  test('has more secrets than the policies of a role can name, each counted once', () => {
    const named = (count: number) => {
      const all = secrets(count);
      return [...all.keys()]
        .filter((place) => place % 16 === 0)
        .map((place, index) => ({ ...chains(8)[index], upstreams: all.slice(place, place + 16) }));
    };
    expect(problems({ ...VALID, chains: named(79) })).toEqual([]);
    expect(problems({ ...VALID, chains: chains(50, { upstreams: secrets(16) }) })).toEqual([]);
    expect(problems({ ...VALID, chains: named(80) })).toEqual([
      `${FILE}: chains: must name fewer or shorter secrets: their ARNs have 7040 characters, and the policies of ` +
        'a role hold 7000',
    ]);
  });
});

describe('an upstream', () => {
  const GOOD = [
    'embedded',
    'secret:gateway/node-1',
    'https://node.example/v2/key?x=1',
    'http://127.0.0.1:8545',
    'http://127.1.2.3',
    'http://localhost:8545/',
    'http://[::1]:8545',
  ];
  test.each(GOOD)('%s', (upstream) => {
    expect(problems(withChain({ upstreams: [upstream], privateUpstreams: true }))).toEqual([]);
  });

  test('of a private network or this machine only where the chain allows it', () => {
    const reason = 'must be an https:// URL of a public host; privateUpstreams of the chain allows any';
    for (const upstream of ['http://127.0.0.1:8545', 'https://10.1.2.3', 'http://node.example']) {
      expect(problems(withChain({ upstreams: ['embedded', { url: upstream }] }))).toEqual([
        `${FILE}: chains[0].upstreams[1]: ${reason}`,
      ]);
    }
    expect(problems(withChain({ upstreams: ['embedded', 'secret:node', 'https://node.example/1'] }))).toEqual(
      [],
    );
  });

  const BAD = [
    '',
    'Embedded',
    'secret:',
    'secret:a b',
    'secret:*',
    'node.example',
    'ftp://node.example',
    'ws://127.0.0.1',
    'https://user:password@node.example',
    'https://',
  ];
  test.each(BAD)('is not %j', (upstream) => {
    expect(problems(withChain({ upstreams: [upstream] }))).toEqual([
      `${FILE}: chains[0].upstreams[0]: ${UPSTREAM_REASON}`,
    ]);
  });
});

describe('what is known of stocks', () => {
  const FACTORY = `0x${'Ab'.repeat(20)}`;

  test('is complete with its defaults', () => {
    const issuers = [{ factory: FACTORY, name: 'Issuer' }];
    const config = parseStageConfig(withChain({ stocks: { issuers } }), FILE);
    expect(config.chains[0]?.stocks).toEqual({ issuers, priceFeeds: [] });
    const feed = { token: FACTORY, aggregator: FACTORY, decimals: 8 };
    const fed = parseStageConfig(withChain({ stocks: { priceFeeds: [feed] } }), FILE);
    expect(fed.chains[0]?.stocks?.priceFeeds).toEqual([{ ...feed, heartbeatSeconds: 86_400 }]);
  });

  test.each([
    [
      { issuers: [{ factory: '0x1', name: 'x' }] },
      'issuers[0].factory: must be an address: 0x and 40 hex digits',
    ],
    [{ issuers: [{ factory: FACTORY }] }, 'issuers[0].name: is required'],
    [
      {
        issuers: [
          { factory: FACTORY, name: 'x' },
          { factory: FACTORY.toLowerCase(), name: 'y' },
        ],
      },
      'issuers: must not name a factory twice',
    ],
    [
      { priceFeeds: [{ token: FACTORY, aggregator: FACTORY, decimals: 99 }] },
      'priceFeeds[0].decimals: must be an integer from 0 to 77',
    ],
  ])('%j is refused', (stocks, problem) => {
    expect(problems(withChain({ stocks }))).toEqual([`${FILE}: chains[0].stocks.${problem}`]);
  });
});

describe('an upstream in words', () => {
  const URL_TEXT = 'https://node.example/key';

  test.each([
    [{ url: URL_TEXT }],
    [{ secret: 'gateway/node-1', name: 'primary', priority: 0, weight: 10 }],
    [{ embedded: true, priority: 100 }],
    [{ url: URL_TEXT, headers: { 'x-api-key': 'secret:gateway/key', authorization: 'Bearer a b' } }],
    [{ url: URL_TEXT, methods: { allow: ['eth_*'], deny: ['eth_getLogs'] }, callsPerSecond: 25 }],
    [{ url: URL_TEXT, stateBlocks: 128, historyBlocks: 90_000, maxLogsBlockRange: 100, maxBatchCalls: 1 }],
  ])('%j', (upstream) => {
    expect(problems(withChain({ upstreams: [upstream, 'https://other.example'] }))).toEqual([]);
  });

  test.each<[object, string]>([
    [{ headers: { host: 'x' } }, '.headers.host: must be a header that the gateway does not set itself'],
    [{ headers: { 'X-Key': 'x' } }, '.headers.X-Key: must be a header in lower case'],
    [
      { headers: { 'x-key': 'a\nb' } },
      '.headers.x-key: must be printable ASCII of at most 1,024 characters, or "secret:NAME"',
    ],
    [{ maxBatchCalls: 0 }, '.maxBatchCalls: must be an integer from 1 to 100'],
    [{ stateBlocks: 0 }, `.stateBlocks: must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`],
  ])('%j: %s', (settings, problem) => {
    const upstream = { url: URL_TEXT, ...settings };
    expect(problems(withChain({ upstreams: [upstream] })).join()).toContain(`upstreams[0]${problem}`);
  });

  test.each<[unknown, string]>([
    [{}, 'must have exactly one of url, secret and embedded'],
    [{ url: URL_TEXT, embedded: true }, 'must have exactly one of url, secret and embedded'],
    [{ url: 'ftp://node.example' }, UPSTREAM_REASON],
    [{ secret: 'a b' }, UPSTREAM_REASON],
    [5, UPSTREAM_REASON],
    [[], UPSTREAM_REASON],
  ])('is not %j', (upstream, reason) => {
    expect(problems(withChain({ upstreams: [upstream] }))).toContain(
      `${FILE}: chains[0].upstreams[0]: ${reason}`,
    );
  });

  test.each<[object, string]>([
    [{ embedded: false }, 'embedded: must be true'],
    [{ url: URL_TEXT, prority: 1 }, 'prority: is an unknown key'],
    [{ url: URL_TEXT, priority: -1 }, 'priority: must be an integer from 0 to 100'],
    [
      { url: URL_TEXT, operator: 'Acme' },
      'operator: must be lower-case letters, digits, ., _ and -, at most 63',
    ],
    [{ url: URL_TEXT, weight: 0 }, 'weight: must be an integer from 1 to 1000'],
    [{ url: URL_TEXT, name: 'A' }, 'name: must be lower-case letters, digits, _ and -, at most 63'],
  ])('is not %j', (upstream, problem) => {
    expect(problems(withChain({ upstreams: [upstream] }))).toContain(
      `${FILE}: chains[0].upstreams[0].${problem}`,
    );
  });

  test('is told from the others by what it refers to, and by its name', () => {
    expect(problems(withChain({ upstreams: [{ secret: 'a' }, 'secret:a'] }))).toEqual([
      `${FILE}: chains[0].upstreams: must not name an upstream twice`,
    ]);
    const named = (secret: string) => ({ secret, name: 'x' });
    expect(problems(withChain({ upstreams: [named('a'), named('b')] }))).toEqual([
      `${FILE}: chains[0].upstreams: must not give two upstreams the same name`,
    ]);
  });
});

describe('a stage file on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stage-file-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('that is missing is one line', () => {
    const path = join(folder, 'missing.json');
    expect(() => loadStageConfig(path)).toThrow(`${path}: cannot be read`);
  });

  test('that is not JSON is one line', () => {
    const path = join(folder, 'broken.json');
    writeFileSync(path, '{"stage":');
    expect(() => loadStageConfig(path)).toThrow(/broken\.json: is not JSON: [^\n]*$/);
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/).filter((one) => !RESERVED_SEGMENTS.includes(one));
  const positive = fc.integer({ min: 1, max: 1_000_000_000 });
  const plan = fc.record(
    {
      bucketCapacity: positive,
      refillPerSecond: positive,
      requestsPerSecond: positive,
      drawAhead: fc.boolean(),
      shards: fc.integer({ min: 1, max: 64 }),
    },
    { requiredKeys: ['bucketCapacity', 'refillPerSecond'], noNullPrototype: true },
  );
  const valid = fc
    .record({
      names: fc.uniqueArray(name, { minLength: 1, maxLength: 5 }),
      defaultChain: fc.nat(),
      chainId: positive,
      upstream: fc.constantFrom('embedded', 'secret:a/b', 'https://node.example'),
      plans: fc.dictionary(name, plan, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      defaultPlan: fc.nat(),
      removal: fc.constantFrom('retain' as const, 'destroy' as const),
    })
    .map(({ names, defaultChain, chainId, upstream, plans, defaultPlan, removal }): StageConfigInput => {
      const plan = Object.keys(plans)[defaultPlan % Object.keys(plans).length] ?? '';
      const chains = names.map((chain, index) => ({
        chain,
        name: chain,
        chainId,
        upstreams: [upstream],
        default: index === defaultChain % names.length,
      }));
      return { stage: 'x', chains, plans, defaultPlan: plan, removal };
    });

  test('is read back as it was written, and once more with its defaults written out', () => {
    const path = join(folder, 'stage.json');
    fc.assert(
      fc.property(valid, (input) => {
        writeFileSync(path, JSON.stringify(input));
        const config = loadStageConfig(path);
        expect(config).toMatchObject(input);
        writeFileSync(path, JSON.stringify(config));
        expect(loadStageConfig(path)).toEqual(config);
      }),
      { numRuns: 100 },
    );
  });
});
