import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { mappingOf } from '../../bin/operator/stage/adoption.ts';
import { testAtLength } from '../support/at-length-tests.ts';
import { STAGES, synthesisedOnce } from '../support/synthesised-once.ts';
import { brief } from './resource-lines.ts';
import { type Resource, SynthesisedStage } from './synthesised-stage.ts';

/**
 * What holds state of a stage, so that no change of the code replaces or loses it unseen: CloudFormation makes a resource
 * anew, and an empty one, if its logical id, its stack or one of these properties is another.
 */

/** CDK names a dependency also where a reference already makes one. */
const IGNORED_RULES = 'W3005';

/** Types that hold state, an address, or subscriptions, and the properties for whose change they are replaced. */
const REPLACING: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::ApiGateway::Stage': ['StageName', 'RestApiId'],
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::CloudFormation::Stack': [],
  'AWS::CloudFront::Distribution': [],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'AttributeDefinitions', 'LocalSecondaryIndexes'],
  'AWS::EC2::SecurityGroup': ['GroupName', 'GroupDescription', 'VpcId'],
  'AWS::EC2::Subnet': ['CidrBlock', 'AvailabilityZone', 'VpcId'],
  'AWS::EC2::VPC': ['CidrBlock', 'InstanceTenancy'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::RDS::DBCluster': [
    'DBClusterIdentifier',
    'Engine',
    'EngineMode',
    'DatabaseName',
    'DBSubnetGroupName',
    'MasterUsername',
    'StorageEncrypted',
    'KmsKeyId',
    'SnapshotIdentifier',
    'AvailabilityZones',
  ],
  'AWS::RDS::DBInstance': ['DBInstanceIdentifier', 'DBClusterIdentifier', 'Engine', 'AvailabilityZone'],
  'AWS::RDS::DBSubnetGroup': ['DBSubnetGroupName'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  // Another way to make the value makes another value.
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString'],
};

/** Of the stack of a stage file: its own template, or those of the stacks in it. */
const NESTED = /(AlarmsOfStage|ChainsChain\w+?)[0-9A-F]{8}\.nested\.template\.json$/;

/**
 * `[stack in the stack] logical id, type, policy at deletion / at replacement, replacing properties` of all that holds
 * state, sorted.
 */
function stateOf(stage: SynthesisedStage): string[] {
  const lines = [...stage.deployed].flatMap(([file, text]) => {
    const stack = NESTED.exec(file)?.[1];
    const { Resources } = JSON.parse(text) as { readonly Resources: Readonly<Record<string, Resource>> };
    return Object.entries(Resources).flatMap(([id, resource]) => {
      const { Type, Properties, DeletionPolicy, UpdateReplacePolicy } = resource;
      const properties = REPLACING[Type]
        ?.filter((name) => Properties?.[name] !== undefined)
        .map((name) => `${name}=${brief(Properties[name])}`);
      if (properties === undefined) return [];
      const policies = `${DeletionPolicy ?? 'default'}/${UpdateReplacePolicy ?? 'default'}`;
      const where = stack === undefined ? [] : [`[${stack}]`];
      return [[...where, id, Type.replace('AWS::', ''), policies, ...properties].join(' ')];
    });
  });
  return lines.sort();
}

const PRODUCTION = new SynthesisedStage('example-production');

const STATE: readonly string[] = [
  'AccountBalancesServiceLog5E44F266 Logs::LogGroup RetainExceptOnCreate/Retain',
  'AlarmsOfStageNestedStackOfStageNestedStackResource02535747 CloudFormation::Stack Delete/Delete',
  'AlarmsPages77C8911E SNS::Topic default/default',
  'AlarmsTickets74B5D1FC SNS::Topic default/default',
  'ApiAccessLog713001CC Logs::LogGroup RetainExceptOnCreate/Retain',
  'ApiRest4DEC74FE ApiGateway::RestApi default/default',
  'ApiRestDeploymentStageexampleproductionA0AF34E5 ApiGateway::Stage default/default StageName=example-production RestApiId=<ApiRest>',
  'BackupsVault1F11AFCC Backup::BackupVault RetainExceptOnCreate/Retain BackupVaultName=gateway-example-production-{Fn::Select: [0, {Fn::Split: [-, {Fn::Select: [2, {Fn::Split: [/, <AWS::StackId>]}]}]}]}',
  'BooksAuditDeadLetters9408822C SQS::Queue Delete/Delete',
  'BooksAuditServiceLog251BAF94 Logs::LogGroup RetainExceptOnCreate/Retain',
  'BooksAuditWork35E90180 SQS::Queue Delete/Delete',
  'BooksSettlementDeadLetters33026E2E SQS::Queue Delete/Delete',
  'BooksSettlementServiceLog2358D566 Logs::LogGroup RetainExceptOnCreate/Retain',
  'BooksSettlementWork4F24F22D SQS::Queue Delete/Delete',
  'ChainDatabaseAnswerKey19D0CF40 SecretsManager::Secret Retain/Retain GenerateSecretString={ExcludeCharacters:  !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~, GenerateStringKey: key, PasswordLength: 64, SecretStringTemplate: {}}',
  'ChainDatabaseClosed36D2908D EC2::SecurityGroup Retain/Retain GroupDescription=Lets nothing in and nothing out VpcId=<ChainDatabaseNetwork>',
  'ChainDatabaseCluster5436448F RDS::DBCluster Retain/Retain Engine=aurora-postgresql DatabaseName=gateway DBSubnetGroupName=<ChainDatabaseClusterSubnets> MasterUsername=gateway_admin StorageEncrypted=true',
  'ChainDatabaseClusterSubnets174AC44E RDS::DBSubnetGroup Retain/Retain',
  'ChainDatabaseClusterWriterCE224071 RDS::DBInstance Retain/Retain DBClusterIdentifier=<ChainDatabaseCluster> Engine=aurora-postgresql',
  'ChainDatabaseImportsFiles91536278 S3::Bucket Retain/Retain',
  'ChainDatabaseImportsToObjectsAC30BE20 EC2::SecurityGroup Retain/Retain GroupDescription=Lets nothing in, and HTTPS out, which has a route to S3 alone VpcId=<ChainDatabaseNetwork>',
  'ChainDatabaseLogB0818DA5 Logs::LogGroup Retain/Retain LogGroupName=/aws/rds/cluster/<ChainDatabaseCluster>/postgresql',
  'ChainDatabaseNetworkDB2A5017 EC2::VPC Retain/Retain CidrBlock=10.0.0.0/16 InstanceTenancy=default',
  'ChainDatabaseNetworkDatabaseSubnet1SubnetF1796A8F EC2::Subnet Retain/Retain CidrBlock=10.0.0.0/26 AvailabilityZone={Fn::Select: [0, {Fn::GetAZs: }]} VpcId=<ChainDatabaseNetwork>',
  'ChainDatabaseNetworkDatabaseSubnet2Subnet4704BDDD EC2::Subnet Retain/Retain CidrBlock=10.0.0.64/26 AvailabilityZone={Fn::Select: [1, {Fn::GetAZs: }]} VpcId=<ChainDatabaseNetwork>',
  'ChainDatabaseReaderSecretB430A221 SecretsManager::Secret Retain/Retain GenerateSecretString={ExcludeCharacters:  %+~`#$&*()|[]{}:;<>?!\'/@"\\, GenerateStringKey: password, PasswordLength: 30, SecretStringTemplate: {"username":"gateway_reader"}}',
  'ChainDatabaseWriterSecretF4E6399F SecretsManager::Secret Retain/Retain GenerateSecretString={ExcludeCharacters:  %+~`#$&*()|[]{}:;<>?!\'/@"\\, GenerateStringKey: password, PasswordLength: 30, SecretStringTemplate: {"username":"gateway_writer"}}',
  'ChainsChainexamplemainnetNestedStackChainexamplemainnetNestedStackResource1A4498DF CloudFormation::Stack Delete/Delete',
  'ChainsChainexampletestnetNestedStackChainexampletestnetNestedStackResourceBE4B3795 CloudFormation::Stack Delete/Delete',
  'ChargesDeadLettersC63FB83F SQS::Queue RetainExceptOnCreate/Retain',
  'ChargesQueue6867310F SQS::Queue RetainExceptOnCreate/Retain',
  'DomainName3089E799 ApiGateway::DomainName default/default DomainName=rpc.example.com',
  'EvidenceLeaves9F09A341 S3::Bucket RetainExceptOnCreate/Retain',
  'FirewallLog4D407857 Logs::LogGroup Delete/Delete LogGroupName=aws-waf-logs-gateway-example-production',
  'FunctionsChargesLog6F67315F Logs::LogGroup RetainExceptOnCreate/Retain',
  'FunctionsDataLogBA7540C7 Logs::LogGroup RetainExceptOnCreate/Retain',
  'FunctionsMcpLog6FB85C7C Logs::LogGroup RetainExceptOnCreate/Retain',
  'FunctionsRpcLogEC794AFE Logs::LogGroup RetainExceptOnCreate/Retain',
  'FunctionsStatusLog68E34CC1 Logs::LogGroup RetainExceptOnCreate/Retain',
  'HeadsIssuer779F6B7D SecretsManager::Secret Delete/Delete GenerateSecretString={GenerateStringKey: none, SecretStringTemplate: {}}',
  'HeadsKey6F1B750B KMS::Key RetainExceptOnCreate/Retain KeySpec=ECC_NIST_P256 KeyUsage=SIGN_VERIFY',
  'HeadsPublishedDDAB6113 S3::Bucket RetainExceptOnCreate/Retain ObjectLockEnabled=true',
  'HeadsServiceLog692681B0 Logs::LogGroup RetainExceptOnCreate/Retain',
  'IndexingBackfill363889B4 SQS::Queue Delete/Delete',
  'IndexingBlockFilesUploadedE52BD473 S3::Bucket Delete/Delete',
  'IndexingDeadLetters18DDD062 SQS::Queue Delete/Delete',
  'IndexingFailedRollups3DA84E82 SQS::Queue Delete/Delete',
  'IndexingFillLog49BE4FBE Logs::LogGroup RetainExceptOnCreate/Retain',
  'MigrationsServiceLog195D62B9 Logs::LogGroup RetainExceptOnCreate/Retain',
  'ResponseCacheAnswers0FEBA674 DynamoDB::Table Delete/Delete KeySchema=[{AttributeName: cache_key, KeyType: HASH}] AttributeDefinitions=[{AttributeName: cache_key, AttributeType: S}]',
  'SiteDistribution390DED28 CloudFront::Distribution default/default',
  'SiteFiles975A43CF S3::Bucket RetainExceptOnCreate/Retain',
  'SnapshotsServiceLog1839AFB0 Logs::LogGroup RetainExceptOnCreate/Retain',
  'TablesAccounts2D520C9A DynamoDB::Table Retain/Retain KeySchema=[{AttributeName: account, KeyType: HASH}] AttributeDefinitions=[{AttributeName: account, AttributeType: S}]',
  'TablesBalancesD4269E56 DynamoDB::Table Retain/Retain KeySchema=[{AttributeName: account, KeyType: HASH}] AttributeDefinitions=[{AttributeName: account, AttributeType: S}]',
  'TablesKeys6B5A3ABF DynamoDB::Table Retain/Retain KeySchema=[{AttributeName: key_id, KeyType: HASH}] AttributeDefinitions=[{AttributeName: key_id, AttributeType: S}, {AttributeName: account, AttributeType: S}]',
  'TablesLanes0DAB6414 DynamoDB::Table Retain/Retain KeySchema=[{AttributeName: account_shard, KeyType: HASH}, {AttributeName: hour_lane, KeyType: RANGE}] AttributeDefinitions=[{AttributeName: account_shard, AttributeType: S}, {AttributeName: hour_lane, AttributeType: S}]',
  'TablesLedgerF9806C8B DynamoDB::Table Retain/Retain KeySchema=[{AttributeName: account, KeyType: HASH}, {AttributeName: record, KeyType: RANGE}] AttributeDefinitions=[{AttributeName: account, AttributeType: S}, {AttributeName: record, AttributeType: S}]',
  'TablesUnsettled8CD428EB DynamoDB::Table Retain/Retain KeySchema=[{AttributeName: slot, KeyType: HASH}, {AttributeName: entry, KeyType: RANGE}] AttributeDefinitions=[{AttributeName: slot, AttributeType: S}, {AttributeName: entry, AttributeType: S}]',
  '[ChainsChainexamplemainnet] IndexingFollowexamplemainnetLog2E047433 Logs::LogGroup RetainExceptOnCreate/Retain',
  '[ChainsChainexampletestnet] IndexingFollowexampletestnetLogDFB36354 Logs::LogGroup RetainExceptOnCreate/Retain',
  'gatewayexampleproductionChainDatabaseClusterSecret2E42EB813fdaad7efa858a3daf9490cf0a702aeb SecretsManager::Secret Retain/Retain GenerateSecretString={ExcludeCharacters:  %+~`#$&*()|[]{}:;<>?!\'/@"\\, GenerateStringKey: password, PasswordLength: 30, SecretStringTemplate: {"username":"gateway_admin"}}',
];

test('what holds state of the production stage has these logical ids, policies and properties', () =>
  expect(stateOf(PRODUCTION)).toEqual(STATE));

/** Without the name of the stage, and the hashes of ids that contain it. */
function withoutStage(lines: readonly string[], stage: string): string[] {
  const [named, inId] = [new RegExp(`\\b${stage}\\b`, 'g'), new RegExp(stage.replaceAll('-', ''), 'g')];
  return lines.map((line) =>
    line
      .replace(named, 'STAGE')
      .replace(inId, 'STAGE')
      .replace(/(STAGE\w*?)[0-9A-F]{8}(?:[0-9a-f]{32})?\b/, '$1'),
  );
}

/** Lines of a stage file that the production stage does not have. */
function ownStateOf(name: string): string[] {
  const production = withoutStage(STATE, 'example-production');
  return withoutStage(stateOf(new SynthesisedStage(name)), name).filter((line) => !production.includes(line));
}

testAtLength('a stage with instances has the same, and beside it what instances run in', () =>
  expect(ownStateOf('example-instances')).toEqual([
    'FunctionsMcpOnInstancesLog5A4FE9B2 Logs::LogGroup RetainExceptOnCreate/Retain',
    'FunctionsRpcOnInstancesLogBCF40EF4 Logs::LogGroup RetainExceptOnCreate/Retain',
    'InstancesClosedE22A5625 EC2::SecurityGroup default/default GroupDescription=Lets nothing in, and TCP out: the ports of nodes are known by their secrets alone VpcId=<InstancesNetwork>',
    'InstancesNetwork6D562E7E EC2::VPC default/default CidrBlock=10.0.0.0/16 InstanceTenancy=default',
    'InstancesNetworkFunctionsSubnet1Subnet8330957E EC2::Subnet default/default CidrBlock=10.0.128.0/18 AvailabilityZone={Fn::Select: [0, {Fn::GetAZs: }]} VpcId=<InstancesNetwork>',
    'InstancesNetworkFunctionsSubnet2SubnetF01079C0 EC2::Subnet default/default CidrBlock=10.0.192.0/18 AvailabilityZone={Fn::Select: [1, {Fn::GetAZs: }]} VpcId=<InstancesNetwork>',
    'InstancesNetworkWaySubnet1SubnetFCE99D33 EC2::Subnet default/default CidrBlock=10.0.0.0/18 AvailabilityZone={Fn::Select: [0, {Fn::GetAZs: }]} VpcId=<InstancesNetwork>',
    'InstancesNetworkWaySubnet2SubnetB40B5094 EC2::Subnet default/default CidrBlock=10.0.64.0/18 AvailabilityZone={Fn::Select: [1, {Fn::GetAZs: }]} VpcId=<InstancesNetwork>',
    'InstancesRefusedLog0161579D Logs::LogGroup RetainExceptOnCreate/Retain',
  ]),
);

test('a stage that may be lost has the same, and nothing that stays', () => {
  const policies = / (?:Retain|RetainExceptOnCreate|Delete|default)\/(?:Retain|Delete|default)(?= |$)/;
  const lines = (some: readonly string[]) => some.map((line) => line.replace(policies, ''));
  const local = withoutStage(stateOf(new SynthesisedStage('local')), 'local');
  const production = lines(withoutStage(STATE, 'example-production'));
  expect(lines(local).filter((line) => !production.includes(line))).toEqual([
    // Without the lock.
    'HeadsPublishedDDAB6113 S3::Bucket',
  ]);
  expect(local.filter((line) => policies.exec(line)?.[0].includes('Retain'))).toEqual([]);
});

test('the templates pass cfn-lint, where it is installed', () => {
  const templates = STAGES.map((name) => {
    const { folder, stackName } = synthesisedOnce(name);
    return join(folder, `${stackName}.template.json`);
  });
  const { error, stdout, stderr } = spawnSync('cfn-lint', ['-i', IGNORED_RULES, '--', ...templates], {
    encoding: 'utf8',
  });
  if (error !== undefined) {
    console.warn('cfn-lint is not installed (pip install cfn-lint): the templates are not linted');
    return;
  }
  expect(`${stdout}${stderr}`).toBe('');
});

describe('what a stage keeps when its stack is deleted', () => {
  const resources = () =>
    (
      JSON.parse(PRODUCTION.deployed.get('gateway-example-production.template.json') ?? '') as {
        readonly Resources: Readonly<Record<string, Resource>>;
      }
    ).Resources;
  const kept = () =>
    Object.entries(resources()).filter(([, { DeletionPolicy = '' }]) => /^Retain/.test(DeletionPolicy));

  test('has no name that a second stack of the stage would want too', () => {
    const fixed = kept().flatMap(([id, { Type, Properties }]) =>
      (REPLACING[Type] ?? [])
        .filter(
          (property) => /(Name|Identifier)$/.test(property) && typeof Properties?.[property] === 'string',
        )
        // It is within a cluster, which has the name.
        .filter((property) => property !== 'DatabaseName')
        .map((property) => `${id}.${property}`),
    );
    expect(fixed).toEqual([]);
  });

  test('can be taken over by a new stack, but for what is made again, expires or belongs to the account', () => {
    const left = kept().map(([logicalId, { Type: type }]) => ({
      logicalId,
      type,
      id: logicalId,
      status: '',
    }));
    const mapping = mappingOf({ ...resources() }, left);
    const over = left.filter(({ logicalId }) => !(logicalId in mapping)).map(({ type }) => type);
    expect([...new Set(over)].sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::Backup::BackupVault',
      'AWS::IAM::Policy',
      'AWS::Lambda::Version',
      'AWS::SecretsManager::SecretTargetAttachment',
    ]);
  });
});
