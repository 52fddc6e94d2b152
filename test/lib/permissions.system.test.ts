import { readFileSync } from 'node:fs';
import { SynthesisedStage } from './synthesised-stage.ts';

let production: SynthesisedStage;

beforeAll(() => {
  production = new SynthesisedStage('example-production');
});

const WRITES_CHAINS =
  'BatchExecuteStatement BeginTransaction CommitTransaction ExecuteStatement RollbackTransaction';

/** What authenticating, admitting and charging a request takes. */
const METERING = {
  TablesKeys: 'GetItem UpdateItem',
  TablesAccounts: 'GetItem',
  TablesBalances: 'GetItem',
  TablesLanes: 'Query UpdateItem',
  TablesUnsettled: 'PutItem',
};

/** By policy: table, index or cluster, and the actions on it. All others are denied. */
const DATA_ACCESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FunctionsRpc: {
    ...METERING,
    ResponseCacheAnswers: 'BatchGetItem BatchWriteItem GetItem UpdateItem',
  },
  FunctionsData: {
    ...METERING,
    ResponseCacheAnswers: 'UpdateItem',
    ChainDatabaseCluster: 'ExecuteStatement',
  },
  FunctionsMcp: {
    ...METERING,
    TablesLedger: 'Query',
    ResponseCacheAnswers: 'BatchGetItem BatchWriteItem GetItem UpdateItem',
    ChainDatabaseCluster: 'ExecuteStatement',
  },
  FunctionsStatus: {
    TablesKeys: 'GetItem',
    TablesAccounts: 'GetItem',
    TablesBalances: 'GetItem',
    TablesLanes: 'Query',
    TablesLedger: 'Query',
    ResponseCacheAnswers: 'BatchGetItem UpdateItem',
    EvidenceLeaves: 'GetObject ListBucket',
  },
  // The role of the cluster, for its imports.
  ChainDatabaseImports: { ChainDatabaseImportsFiles: 'GetObject ListBucket' },
  FunctionsCharges: { TablesLanes: 'UpdateItem', TablesUnsettled: 'PutItem' },
  AccountBalances: {
    TablesAccounts: 'GetItem',
    TablesBalances: 'GetItem UpdateItem',
    TablesLanes: 'Query',
    TablesUnsettled: 'DeleteItem Query',
  },
  BooksSettlement: {
    TablesAccounts: 'GetItem UpdateItem',
    TablesLanes: 'Query',
    TablesUnsettled: 'DeleteItem PutItem Query',
    TablesLedger: 'GetItem PutItem Query',
    EvidenceLeaves: 'GetObject ListBucket PutObject',
    HeadsPublished: 'GetObject ListBucket',
  },
  Heads: {
    TablesUnsettled: 'DeleteItem Query',
    TablesLedger: 'GetItem PutItem',
    EvidenceLeaves: 'GetObject ListBucket PutObject',
    HeadsPublished: 'GetObject ListBucket PutObject',
    HeadsKey: 'GetPublicKey Sign',
  },
  BooksAudit: {
    TablesAccounts: 'GetItem',
    TablesLanes: 'Query',
    TablesUnsettled: 'GetItem',
    TablesLedger: 'Query',
  },
  Migrations: { ChainDatabaseCluster: WRITES_CHAINS },
  IndexingFollowexamplemainnet: {
    ChainDatabaseCluster: WRITES_CHAINS,
    ResponseCacheAnswers: 'BatchWriteItem',
  },
  IndexingFollowexampletestnet: {
    ChainDatabaseCluster: WRITES_CHAINS,
    ResponseCacheAnswers: 'BatchWriteItem',
  },
  IndexingFill: {
    ChainDatabaseCluster: WRITES_CHAINS,
    IndexingBlockFilesUploaded: 'GetObject ListBucket',
    ChainDatabaseImportsFiles: 'GetObject ListBucket PutObject',
  },
  RollupsDeriveexamplemainnet: { ChainDatabaseCluster: WRITES_CHAINS },
  RollupsDeriveexampletestnet: { ChainDatabaseCluster: WRITES_CHAINS },
  Snapshots: { ChainDatabaseCluster: WRITES_CHAINS },
};

/** What a statement's resource is: the construct, or one of its indexes. */
function place(resource: unknown): string {
  const text = JSON.stringify(resource);
  const id = /"(?:Fn::GetAtt":\["|Ref":")([A-Za-z]+?)[0-9A-F]{8}"/.exec(text)?.[1] ?? text;
  const index = /\/index\/([\w-]+)/.exec(text)?.[1];
  return index === undefined ? id : `${id} index ${index}`;
}

/** Every right on data of a policy: where, and which action. */
function rightsOf(policy: string): { readonly on: string; readonly action: string }[] {
  return production.statements(policy).flatMap(({ Action, Resource }) =>
    [Action]
      .flat()
      .filter((action) => /^(dynamodb|rds-data|s3|kms):/.test(action))
      .flatMap((action) =>
        [Resource].flat().map((one) => ({ on: place(one), action: action.replace(/.*:/, '') })),
      ),
  );
}

function dataAccess(): Record<string, Record<string, string>> {
  const policies = production.resources('AWS::IAM::Policy').map(([id]) => {
    const rights = rightsOf(id);
    const places = [...new Set(rights.map(({ on }) => on))].map((on) => [
      on,
      // Rights on items of different keys are statements of their own.
      [...new Set(rights.flatMap((right) => (right.on === on ? [right.action] : [])))].sort().join(' '),
    ]);
    return [id.replace(/(Service)?RoleDefaultPolicy.*/, ''), Object.fromEntries(places)];
  });
  return Object.fromEntries(policies);
}

test('each function has its tables, its indexes and its part of the database, and no more', () => {
  expect(dataAccess()).toEqual(DATA_ACCESS);
});

/** How the policy for operators names what is no table. */
const PLACES_OF_OPERATORS: Readonly<Record<string, string>> = {
  EvidenceLeaves: 'arn:aws:s3:::EVIDENCE_BUCKET',
  HeadsPublished: 'arn:aws:s3:::HEADS_BUCKET',
  HeadsKey: 'HEAD_KEY_ARN',
};

/** Every right of the policy that the guide for operators shows: service left out, and a pattern of the place. */
function rightsOfOperators(): { readonly action: string; readonly on: string }[] {
  const guide = readFileSync('docs/deploy.md', 'utf8');
  const [, json = ''] = /This policy covers[\s\S]*?```json\n([\s\S]*?)```/.exec(guide) ?? [];
  const { Statement } = JSON.parse(json) as {
    Statement: { readonly Action: string | string[]; readonly Resource: string | string[] }[];
  };
  return Statement.flatMap(({ Action, Resource }) =>
    [Action]
      .flat()
      .flatMap((action) => [Resource].flat().map((on) => ({ action: action.replace(/.*:/, ''), on }))),
  );
}

test('the policy for operators lets them settle, seal, audit and clear the cache as the functions do', () => {
  const { BooksSettlement, BooksAudit, Heads, IndexingFollowexamplemainnet } = dataAccess();
  const { ResponseCacheAnswers = '' } = IndexingFollowexamplemainnet ?? {};
  const needed = [BooksSettlement, BooksAudit, Heads, { ResponseCacheAnswers }]
    .flatMap((rights = {}) => Object.entries(rights))
    .flatMap(([place, actions]) => {
      const on = PLACES_OF_OPERATORS[place] ?? `arn:aws:dynamodb:REGION:ACCOUNT:table/STACK-${place}`;
      return actions.split(' ').map((action) => ({ action, on: action.endsWith('Object') ? `${on}/*` : on }));
    });
  const allowed = rightsOfOperators();
  const isAllowed = (right: { action: string; on: string }) =>
    allowed.some(
      ({ action, on }) =>
        action === right.action &&
        (on === right.on || (on.endsWith('*') && right.on.startsWith(on.slice(0, -1)))),
    );
  expect(needed.length).toBeGreaterThan(20);
  expect(needed.filter((right) => !isAllowed(right))).toEqual([]);
});

test('the key of receipts is stored by the function that makes it, and read by the one that signs them', () => {
  const rights = production
    .resources('AWS::IAM::Policy')
    .flatMap(([id]) => production.permissions(id).map((permission) => [id, permission] as const))
    .filter(
      ([, permission]) => permission.includes('HeadsIssuer') || permission.startsWith('secretsmanager:*'),
    );
  expect(rights.map(([id, permission]) => [id.replace(/(Service)?Role.*/, ''), permission])).toEqual([
    ['FunctionsStatus', 'secretsmanager:GetSecretValue on HeadsIssuer'],
    ['Heads', 'secretsmanager:PutSecretValue on HeadsIssuer'],
  ]);
});

test('no function may change or delete a record of the ledger, and no person either', () => {
  const onLedger = Object.values(dataAccess()).flatMap(({ TablesLedger = '' }) => TablesLedger.split(' '));
  expect(new Set(onLedger)).toEqual(new Set(['', 'GetItem', 'PutItem', 'Query']));
  const { ResourcePolicy } = production.properties('AWS::DynamoDB::Table', 'TablesLedger');
  const changes = [
    'BatchWriteItem',
    'DeleteItem',
    'PartiQLDelete',
    'PartiQLInsert',
    'PartiQLUpdate',
    'UpdateItem',
  ];
  expect(ResourcePolicy).toMatchObject({
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Deny',
          Principal: { AWS: '*' },
          Resource: '*',
          Action: changes.map((action) => `dynamodb:${action}`),
        },
      ],
    },
  });
});

test("each role is one function's, and only Lambda may take it", () => {
  const roles = production
    .resources('AWS::IAM::Role')
    .filter(([id]) => !/^(ApiRestCloudWatch|BackupsPlan|ChainDatabaseImports|ReleasesRole)/.test(id));
  const functions = production.resources('AWS::Lambda::Function');
  const taken = functions.map(([, { Properties }]) => JSON.stringify(Properties.Role));
  expect(new Set(taken).size).toBe(functions.length);
  expect(roles).toHaveLength(functions.length);
  for (const [, { Properties }] of roles) {
    expect(Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
      ],
    });
  }
});
