import { readFileSync } from 'node:fs';
import { UNSEALED_SLOTS } from '../../lambdas/settlement/heads.ts';
import { brief, linesOf, nameOf, statementLines } from './resource-lines.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

let production: SynthesisedStage;

beforeAll(() => {
  production = new SynthesisedStage('example-production');
});

/**
 * By policy, all that it allows: each statement on a line, but for the log of its own function. What no line allows is
 * denied.
 */
const STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  FunctionsRpc: [
    'dynamodb:GetItem on <TablesAccounts>, <TablesBalances>, <TablesKeys>',
    'dynamodb:UpdateItem on <TablesKeys> if {ForAllValues:StringEquals: {dynamodb:Attributes: [key_id, tat, rt, day_cu, day]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [tat, rt, day_cu, day]}}',
    'dynamodb:Query on <TablesLanes>',
    'dynamodb:Query on <TablesLedger> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [#prices]}}',
    'dynamodb:UpdateItem on <TablesLanes> if {ForAllValues:StringEquals: {dynamodb:Attributes: [account_shard, hour_lane, n, total, used, expires_at]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [n, total, used, expires_at]}}',
    'dynamodb:PutItem on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}}',
    'sqs:SendMessage on <ChargesQueue>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????',
    'dynamodb:BatchGetItem dynamodb:BatchWriteItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [result *, version#*, anchor *, proofs#*, given *]}}',
    'dynamodb:GetItem dynamodb:UpdateItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [waiting *, given *, view 2 *, refused *]}}',
    'lambda:InvokeFunction on <AccountBalancesServiceFunction>',
  ],
  FunctionsData: [
    'dynamodb:GetItem on <TablesAccounts>, <TablesBalances>, <TablesKeys>',
    'dynamodb:UpdateItem on <TablesKeys> if {ForAllValues:StringEquals: {dynamodb:Attributes: [key_id, tat, rt, day_cu, day]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [tat, rt, day_cu, day]}}',
    'dynamodb:Query on <TablesLanes>',
    'dynamodb:Query on <TablesLedger> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [#prices]}}',
    'dynamodb:UpdateItem on <TablesLanes> if {ForAllValues:StringEquals: {dynamodb:Attributes: [account_shard, hour_lane, n, total, used, expires_at]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [n, total, used, expires_at]}}',
    'dynamodb:PutItem on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}}',
    'sqs:SendMessage on <ChargesQueue>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????, <ChainDatabaseReaderSecret>',
    'dynamodb:GetItem dynamodb:UpdateItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [waiting *, view 2 *, refused *]}}',
    'rds-data:ExecuteStatement on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'lambda:InvokeFunction on <AccountBalancesServiceFunction>',
  ],
  FunctionsStatus: [
    'dynamodb:GetItem on <TablesAccounts>, <TablesBalances>, <TablesKeys>',
    'dynamodb:Query on <TablesLanes>, <TablesLedger>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????, <HeadsIssuer>',
    'dynamodb:BatchGetItem dynamodb:UpdateItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [refused *]}}',
    'dynamodb:BatchGetItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [head#*, history#*, proofs#*]}}',
    's3:GetObject on <EvidenceLeaves>/leaves/*, <HeadsPublished>/certificates/*, <HeadsPublished>/heads/*, <HeadsPublished>/leaves/*, <HeadsPublished>/prices/*',
    's3:ListBucket on <EvidenceLeaves>, <HeadsPublished>',
  ],
  FunctionsMcp: [
    'dynamodb:GetItem on <TablesAccounts>, <TablesBalances>, <TablesKeys>',
    'dynamodb:UpdateItem on <TablesKeys> if {ForAllValues:StringEquals: {dynamodb:Attributes: [key_id, tat, rt, day_cu, day]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [tat, rt, day_cu, day]}}',
    'dynamodb:Query on <TablesLanes>, <TablesLedger>',
    'dynamodb:Query on <TablesLedger> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [#prices]}}',
    'dynamodb:UpdateItem on <TablesLanes> if {ForAllValues:StringEquals: {dynamodb:Attributes: [account_shard, hour_lane, n, total, used, expires_at]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [n, total, used, expires_at]}}',
    'dynamodb:PutItem on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}}',
    'sqs:SendMessage on <ChargesQueue>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????, <ChainDatabaseReaderSecret>',
    'dynamodb:BatchGetItem dynamodb:BatchWriteItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [result *, version#*, anchor *, proofs#*, given *, refused *]}}',
    'dynamodb:GetItem dynamodb:UpdateItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [waiting *, given *, view 2 *, refused *]}}',
    'rds-data:ExecuteStatement on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'lambda:InvokeFunction on <AccountBalancesServiceFunction>',
  ],
  FunctionsCharges: [
    'dynamodb:UpdateItem on <TablesLanes> if {ForAllValues:StringEquals: {dynamodb:Attributes: [account_shard, hour_lane, n, total, used, expires_at]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [n, total, used, expires_at]}}',
    'dynamodb:PutItem on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}, ForAnyValue:StringEquals: {dynamodb:Attributes: [slot, entry, mark]}}',
    'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:GetQueueUrl sqs:ReceiveMessage on <ChargesQueue>',
  ],
  IndexingFollowexamplemainnet: [
    'rds-data:BeginTransaction rds-data:CommitTransaction rds-data:ExecuteStatement rds-data:RollbackTransaction on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, <ChainDatabaseWriterSecret>',
    'dynamodb:GetItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [view 2 *]}}',
    'sqs:SendMessage on <IndexingDeadLetters>, <IndexingFailedRollups>',
    'dynamodb:BatchGetItem dynamodb:BatchWriteItem on <ResponseCacheAnswers> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [head#example_mainnet, history#example_mainnet]}}',
  ],
  IndexingFollowexampletestnet: [
    'rds-data:BeginTransaction rds-data:CommitTransaction rds-data:ExecuteStatement rds-data:RollbackTransaction on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????, <ChainDatabaseWriterSecret>',
    'dynamodb:GetItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [view 2 *]}}',
    'sqs:SendMessage on <IndexingDeadLetters>, <IndexingFailedRollups>',
    'dynamodb:BatchGetItem dynamodb:BatchWriteItem on <ResponseCacheAnswers> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [head#example_testnet, history#example_testnet]}}',
  ],
  ChainDatabaseImports: [
    's3:GetObject on <ChainDatabaseImportsFiles>/*',
    's3:ListBucket on <ChainDatabaseImportsFiles>',
  ],
  Migrations: [
    'rds-data:BeginTransaction rds-data:CommitTransaction rds-data:ExecuteStatement rds-data:RollbackTransaction on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'secretsmanager:GetSecretValue on <ChainDatabaseClusterSecretAttachment>',
    'secretsmanager:GetSecretValue secretsmanager:PutSecretValue on <ChainDatabaseReaderSecret>, <ChainDatabaseWriterSecret>',
  ],
  IndexingFill: [
    'rds-data:BeginTransaction rds-data:CommitTransaction rds-data:ExecuteStatement rds-data:RollbackTransaction on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????, <ChainDatabaseWriterSecret>',
    'dynamodb:GetItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [view 2 *]}}',
    'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:GetQueueUrl sqs:ReceiveMessage sqs:SendMessage on <IndexingBackfill>',
    's3:GetObject on <IndexingBlockFilesUploaded>/*',
    's3:ListBucket on <ChainDatabaseImportsFiles>, <IndexingBlockFilesUploaded>',
    's3:GetObject s3:PutObject on <ChainDatabaseImportsFiles>/*',
  ],
  Snapshots: [
    'rds-data:BeginTransaction rds-data:CommitTransaction rds-data:ExecuteStatement rds-data:RollbackTransaction on arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>',
    'secretsmanager:GetSecretValue on arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/primary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_mainnet/secondary-??????, arn:aws:secretsmanager:us-east-1:<AWS::AccountId>:secret:gateway/example_testnet-??????, <ChainDatabaseWriterSecret>',
    'dynamodb:GetItem on <ResponseCacheAnswers> if {ForAllValues:StringLike: {dynamodb:LeadingKeys: [view 2 *]}}',
  ],
  Heads: [
    'secretsmanager:PutSecretValue on <HeadsIssuer>',
    'kms:GetPublicKey kms:Sign on <HeadsKey>',
    's3:GetObject s3:PutObject on <EvidenceLeaves>/sealed/*, <HeadsPublished>/certificates/*, <HeadsPublished>/heads/*, <HeadsPublished>/leaves/*, <HeadsPublished>/prices/*',
    's3:ListBucket on <EvidenceLeaves>, <HeadsPublished>',
    'dynamodb:DeleteItem dynamodb:Query on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [UNSEALED_SLOTS]}}',
    'dynamodb:GetItem on <TablesLedger>',
    'dynamodb:Query on <TablesLedger> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [#prices]}}',
    'dynamodb:PutItem on <TablesLedger> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [#heads]}}',
  ],
  BooksSettlement: [
    'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:GetQueueUrl sqs:ReceiveMessage sqs:SendMessage on <BooksSettlementWork>',
    'sqs:SendMessage on <BooksSettlementDeadLetters>',
    'dynamodb:GetItem dynamodb:UpdateItem on <TablesAccounts>',
    'dynamodb:Query on <TablesLanes>',
    'dynamodb:DeleteItem dynamodb:Query on <TablesUnsettled>',
    'dynamodb:GetItem dynamodb:Query on <TablesLedger>',
    'dynamodb:PutItem on <TablesLedger> if {ForAllValues:StringNotEquals: {dynamodb:LeadingKeys: [#prices]}}',
    'dynamodb:PutItem on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [UNSEALED_SLOTS]}}',
    's3:PutObject on <EvidenceLeaves>/leaves/*',
    's3:GetObject on <EvidenceLeaves>/sealed/*, <HeadsPublished>/heads/*',
    's3:ListBucket on <EvidenceLeaves>, <HeadsPublished>',
  ],
  BooksAudit: [
    'sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes sqs:GetQueueUrl sqs:ReceiveMessage sqs:SendMessage on <BooksAuditWork>',
    'sqs:SendMessage on <BooksAuditDeadLetters>',
    'dynamodb:GetItem on <TablesAccounts>, <TablesUnsettled>',
    'dynamodb:Query on <TablesLanes>, <TablesLedger>',
  ],
  AccountBalances: [
    'dynamodb:GetItem on <TablesAccounts>',
    'dynamodb:Query on <TablesLanes>',
    'dynamodb:GetItem dynamodb:UpdateItem on <TablesBalances>',
    'dynamodb:DeleteItem dynamodb:Query on <TablesUnsettled> if {ForAllValues:StringEquals: {dynamodb:LeadingKeys: [wide]}}',
  ],
};

test('each function has its tables, its indexes and its part of the database, and no more', () => {
  const policies = production.resources('AWS::IAM::Policy').map(([id, { Properties }]) => {
    const name = id.replace(/(Service)?RoleDefaultPolicy.*/, '');
    expect(brief(Properties.Roles)).toBe(`[<${nameOf(id).replace('DefaultPolicy', '')}>]`);
    const [, owner = ''] = /^(\w+Role)DefaultPolicy/.exec(id) ?? [];
    const log = `logs:CreateLogStream logs:PutLogEvents on <${owner.replace(/Role$/, '')}Log>`;
    const lines = statementLines(Properties.PolicyDocument).map((line) =>
      line.replace(UNSEALED_SLOTS.join(', '), 'UNSEALED_SLOTS'),
    );
    // The role of the cluster, for its imports, has no log.
    if (name !== 'ChainDatabaseImports') expect(lines).toContain(log);
    return [name, lines.filter((line) => line !== log)];
  });
  expect(Object.fromEntries(policies)).toEqual(STATEMENTS);
});

/** How the policy for operators names what is no table. */
const PLACES_OF_OPERATORS: Readonly<Record<string, string>> = {
  EvidenceLeaves: 'arn:aws:s3:::EVIDENCE_BUCKET',
  HeadsPublished: 'arn:aws:s3:::HEADS_BUCKET',
  HeadsKey: 'HEAD_KEY_ARN',
};

function placeOf(construct: string): string {
  return PLACES_OF_OPERATORS[construct] ?? `arn:aws:dynamodb:REGION:ACCOUNT:table/STACK-${construct}`;
}

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
  const { BooksSettlement = [], BooksAudit = [], Heads = [], IndexingFollowexamplemainnet = [] } = STATEMENTS;
  const cache = IndexingFollowexamplemainnet.filter((line) => line.includes('<ResponseCacheAnswers>'));
  const needed = [...BooksSettlement, ...BooksAudit, ...Heads, ...cache].flatMap((line) => {
    const [, actions = '', places = ''] = /^(.*?) on (.*?)(?: if .*)?$/.exec(line) ?? [];
    const onData = [...actions.matchAll(/\b(?:dynamodb|s3|kms):(\w+)/g)];
    return onData.flatMap(([, action = '']) =>
      places.split(', ').map((place) => ({ action, on: place.replace(/<(\w+)>/, (_, id) => placeOf(id)) })),
    );
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

test('each function has a role of its own, that only Lambda may take, and these services have the others', () => {
  const byLambda =
    ' AssumeRolePolicyDocument={Statement: [{Action: sts:AssumeRole, Effect: Allow, Principal: {Service: lambda.amazonaws.com}}], Version: 2012-10-17}';
  const roles = linesOf(production, 'AWS::IAM::Role');
  const taken = production
    .resources('AWS::Lambda::Function')
    .map(([, { Properties }]) => brief(Properties.Role).replace(/^<(\w+)>$/, `$1${byLambda}`));
  expect(roles.filter((line) => line.endsWith(byLambda)).sort()).toEqual(taken.sort());
  expect(roles.filter((line) => !line.endsWith(byLambda))).toEqual([
    'ApiRestCloudWatchRole AssumeRolePolicyDocument={Statement: [{Action: sts:AssumeRole, Effect: Allow, Principal: {Service: apigateway.amazonaws.com}}], Version: 2012-10-17} ManagedPolicyArns=[arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    'BackupsPlanTablesRole AssumeRolePolicyDocument={Statement: [{Action: sts:AssumeRole, Effect: Allow, Principal: {Service: backup.amazonaws.com}}], Version: 2012-10-17} ManagedPolicyArns=[arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
    'ChainDatabaseImportsRole AssumeRolePolicyDocument={Statement: [{Action: sts:AssumeRole, Effect: Allow, Principal: {Service: rds.amazonaws.com}}], Version: 2012-10-17} Description=Reads the files that the chain database imports',
    'ReleasesRole AssumeRolePolicyDocument={Statement: [{Action: sts:AssumeRole, Effect: Allow, Principal: {Service: codedeploy.amazonaws.com}}], Version: 2012-10-17} ManagedPolicyArns=[arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
  ]);
});
