import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { MeteringTables } from '../../lib/metering/metering-tables.ts';
import { testTableBackups } from './metering/table-backups.ts';
import { brief, linesOf, nameOf, statementLines } from './resource-lines.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

/** How what holds state is encrypted, versioned, kept, and whom it lets in. Which resources there are: template.system.test.ts. */

const production = new SynthesisedStage('example-production');

test('tables are encrypted, restorable, refuse changes of the ledger to everybody, and forget by themselves what these lines say', () =>
  expect(
    linesOf(production, 'AWS::DynamoDB::Table', ({ AttributeDefinitions, KeySchema, ...rest }) => rest),
  ).toEqual([
    'ResponseCacheAnswers BillingMode=PAY_PER_REQUEST TimeToLiveSpecification={AttributeName: expires_at, Enabled: true}',
    'TablesAccounts BillingMode=PAY_PER_REQUEST DeletionProtectionEnabled=true PointInTimeRecoverySpecification={PointInTimeRecoveryEnabled: true}',
    'TablesBalances BillingMode=PAY_PER_REQUEST DeletionProtectionEnabled=true PointInTimeRecoverySpecification={PointInTimeRecoveryEnabled: true}',
    'TablesKeys BillingMode=PAY_PER_REQUEST DeletionProtectionEnabled=true GlobalSecondaryIndexes=[{IndexName: by-account, KeySchema: [{AttributeName: account, KeyType: HASH}, {AttributeName: key_id, KeyType: RANGE}], Projection: {NonKeyAttributes: [label, last4, status, created_at], ProjectionType: INCLUDE}}] PointInTimeRecoverySpecification={PointInTimeRecoveryEnabled: true}',
    'TablesLanes BillingMode=PAY_PER_REQUEST DeletionProtectionEnabled=true PointInTimeRecoverySpecification={PointInTimeRecoveryEnabled: true} TimeToLiveSpecification={AttributeName: expires_at, Enabled: true}',
    'TablesLedger BillingMode=PAY_PER_REQUEST DeletionProtectionEnabled=true PointInTimeRecoverySpecification={PointInTimeRecoveryEnabled: true} ResourcePolicy={PolicyDocument: {Statement: [{Action: [dynamodb:BatchWriteItem, dynamodb:DeleteItem, dynamodb:PartiQLDelete, dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate, dynamodb:UpdateItem], Effect: Deny, Principal: {AWS: *}, Resource: *, Sid: RecordsAreFinal}], Version: 2012-10-17}}',
    'TablesUnsettled BillingMode=PAY_PER_REQUEST DeletionProtectionEnabled=true PointInTimeRecoverySpecification={PointInTimeRecoveryEnabled: true}',
  ]));

test('the tables with a write of each request are warm, as the stage says, and no other', () => {
  const stack = new Stack(new App(), 'books');
  new MeteringTables(stack, 'Tables', { removal: 'destroy', warmWritesPerSecond: 12_000 });
  const tables = Template.fromStack(stack).findResources('AWS::DynamoDB::Table');
  const warm = Object.entries(tables).flatMap(([id, { Properties }]) =>
    Properties.WarmThroughput === undefined ? [] : [[nameOf(id), Properties.WarmThroughput]],
  );
  expect(warm).toEqual([
    ['TablesKeys', { WriteUnitsPerSecond: 12_000 }],
    ['TablesLanes', { WriteUnitsPerSecond: 12_000 }],
  ]);
});

test('buckets are encrypted, private, versioned, locked and emptied as these lines say', () =>
  expect(linesOf(production, 'AWS::S3::Bucket')).toEqual([
    'ChainDatabaseImportsFiles BucketEncryption={ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: AES256}}]} LifecycleConfiguration={Rules: [{AbortIncompleteMultipartUpload: {DaysAfterInitiation: 7}, ExpirationInDays: 7, Status: Enabled}]} PublicAccessBlockConfiguration={BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true}',
    'EvidenceLeaves BucketEncryption={ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: AES256}}]} LifecycleConfiguration={Rules: [{ExpirationInDays: 40, NoncurrentVersionExpiration: {NoncurrentDays: 30}, Status: Enabled}]} PublicAccessBlockConfiguration={BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true} VersioningConfiguration={Status: Enabled}',
    'HeadsPublished BucketEncryption={ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: AES256}}]} ObjectLockConfiguration={ObjectLockEnabled: Enabled, Rule: {DefaultRetention: {Days: 400, Mode: COMPLIANCE}}} ObjectLockEnabled=true PublicAccessBlockConfiguration={BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true} VersioningConfiguration={Status: Enabled}',
    'IndexingBlockFilesUploaded BucketEncryption={ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: AES256}}]} LifecycleConfiguration={Rules: [{ExpirationInDays: 7, Status: Enabled}]} PublicAccessBlockConfiguration={BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true}',
    'SiteFiles BucketEncryption={ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: AES256}}]} LifecycleConfiguration={Rules: [{NoncurrentVersionExpiration: {NoncurrentDays: 30}, Status: Enabled}]} PublicAccessBlockConfiguration={BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true} VersioningConfiguration={Status: Enabled}',
  ]));

test('queues are encrypted, keep messages, and set aside as these lines say', () =>
  expect(linesOf(production, 'AWS::SQS::Queue')).toEqual([
    'BooksAuditDeadLetters MessageRetentionPeriod=1209600 SqsManagedSseEnabled=true',
    'BooksAuditWork RedrivePolicy={deadLetterTargetArn: <BooksAuditDeadLetters>, maxReceiveCount: 3} SqsManagedSseEnabled=true VisibilityTimeout=1800',
    'BooksSettlementDeadLetters MessageRetentionPeriod=1209600 SqsManagedSseEnabled=true',
    'BooksSettlementWork RedrivePolicy={deadLetterTargetArn: <BooksSettlementDeadLetters>, maxReceiveCount: 3} SqsManagedSseEnabled=true VisibilityTimeout=1800',
    'ChargesDeadLetters MessageRetentionPeriod=1209600 SqsManagedSseEnabled=true',
    'ChargesQueue MessageRetentionPeriod=345600 RedrivePolicy={deadLetterTargetArn: <ChargesDeadLetters>, maxReceiveCount: 240} SqsManagedSseEnabled=true VisibilityTimeout=180',
    'IndexingBackfill MessageRetentionPeriod=1209600 RedrivePolicy={deadLetterTargetArn: <IndexingDeadLetters>, maxReceiveCount: 5} SqsManagedSseEnabled=true VisibilityTimeout=1800',
    'IndexingDeadLetters MessageRetentionPeriod=1209600 SqsManagedSseEnabled=true',
    'IndexingFailedRollups MessageRetentionPeriod=1209600 SqsManagedSseEnabled=true',
  ]));

/** Lines of the policies of a type of resource, by the resource that each is on; the one statement that all have is left out. */
function policyLines(type: string, on: 'Bucket' | 'Queues' | 'Topics', denied: (resource: string) => string) {
  return Object.fromEntries(
    production.resources(type).map(([, { Properties }]) => {
      const resource = [Properties[on]].flat().map(brief).join(' ');
      const [first, ...others] = statementLines(Properties.PolicyDocument);
      expect(first).toBe(denied(resource));
      return [resource, others];
    }),
  );
}

test('buckets refuse what is not encrypted on its way, and are read by nobody but as these lines say', () =>
  expect(
    policyLines(
      'AWS::S3::BucketPolicy',
      'Bucket',
      (bucket) =>
        `Deny s3:* on ${`<${bucket.slice(1, -1)}>`}, ${bucket}/* for {AWS: *} if {Bool: {aws:SecureTransport: false}}`,
    ),
  ).toEqual({
    '<ChainDatabaseImportsFiles>': [],
    '<IndexingBlockFilesUploaded>': [],
    '<EvidenceLeaves>': [],
    '<HeadsPublished>': [],
    '<SiteFiles>': [
      's3:GetObject on <SiteFiles>/* for {Service: cloudfront.amazonaws.com} if {StringEquals: {AWS:SourceArn: arn:<AWS::Partition>:cloudfront::<AWS::AccountId>:distribution/<SiteDistribution>}}',
    ],
  }));

test('queues refuse what is not encrypted on its way, and take events from these rules alone', () => {
  for (const [id, { Properties }] of production.resources('AWS::SQS::QueuePolicy'))
    expect(`${brief(Properties.Queues)} ${nameOf(id)}`).toMatch(/^\[<(\w+)>\] \1Policy$/);
  expect(
    policyLines(
      'AWS::SQS::QueuePolicy',
      'Queues',
      (queue) => `Deny sqs:* on ${queue} for {AWS: *} if {Bool: {aws:SecureTransport: false}}`,
    ),
  ).toEqual({
    '<ChargesDeadLetters>': [],
    '<ChargesQueue>': [],
    '<IndexingDeadLetters>': [
      'sqs:SendMessage on <IndexingDeadLetters> for {Service: events.amazonaws.com} if {ArnEquals: {aws:SourceArn: [<IndexingSlotexamplemainnet>, <IndexingSlotexampletestnet>]}}',
    ],
    '<IndexingBackfill>': [],
    '<IndexingFailedRollups>': [],
    '<BooksSettlementDeadLetters>': [
      'sqs:SendMessage on <BooksSettlementDeadLetters> for {Service: events.amazonaws.com} if {ArnEquals: {aws:SourceArn: <BooksSettlementRule>}}',
    ],
    '<BooksSettlementWork>': [],
    '<BooksAuditDeadLetters>': [
      'sqs:SendMessage on <BooksAuditDeadLetters> for {Service: events.amazonaws.com} if {ArnEquals: {aws:SourceArn: <BooksAuditRule>}}',
    ],
    '<BooksAuditWork>': [],
  });
});

test('topics refuse what is not encrypted on its way, and take messages from these services alone', () =>
  expect(
    policyLines(
      'AWS::SNS::TopicPolicy',
      'Topics',
      (topic) => `Deny sns:Publish on ${topic} for * if {Bool: {aws:SecureTransport: false}}`,
    ),
  ).toEqual({
    '<AlarmsPages>': [
      'sns:Publish on <AlarmsPages> for {Service: cloudwatch.amazonaws.com} if {StringEquals: {aws:SourceAccount: <AWS::AccountId>}}',
      'sns:Publish on <AlarmsPages> for {Service: events.amazonaws.com}',
    ],
    '<AlarmsTickets>': [
      'sns:Publish on <AlarmsTickets> for {Service: cloudwatch.amazonaws.com} if {StringEquals: {aws:SourceAccount: <AWS::AccountId>}}',
      'sns:Publish on <AlarmsTickets> for {Service: events.amazonaws.com}',
    ],
  }));

test('the key of heads is used by whom IAM of the account allows it', () =>
  expect(
    production
      .resources('AWS::KMS::Key')
      .flatMap(([, { Properties }]) => statementLines(Properties.KeyPolicy)),
  ).toEqual(['kms:* on * for {AWS: arn:aws:iam::<AWS::AccountId>:root}']));

test('backups begin, end and are stored as these lines say', () =>
  expect(
    ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault'].flatMap((type) =>
      linesOf(production, type),
    ),
  ).toEqual([
    'BackupsPlan BackupPlan={BackupPlanName: Plan, BackupPlanRule: [{CompletionWindowMinutes: 120, CopyActions: [{DestinationBackupVaultArn: arn:aws:backup:us-west-2:111122223333:backup-vault:gateway, Lifecycle: {DeleteAfterDays: 2}}], Lifecycle: {DeleteAfterDays: 2}, RuleName: MeteringTables, ScheduleExpression: cron(0 */1 * * ? *), StartWindowMinutes: 60, TargetBackupVault: <BackupsVault.BackupVaultName>}]}',
    'BackupsPlanTables BackupPlanId=<BackupsPlan.BackupPlanId> BackupSelection={IamRoleArn: <BackupsPlanTablesRole>, Resources: [<TablesLedger>, <TablesKeys>, <TablesLanes>], SelectionName: Tables}',
    'BackupsVault BackupVaultName=gateway-example-production-{Fn::Select: [0, {Fn::Split: [-, {Fn::Select: [2, {Fn::Split: [/, <AWS::StackId>]}]}]}]}',
  ]));

test('the cluster, its instance and its network are set as these lines say', () =>
  expect(
    [
      'AWS::RDS::DBCluster',
      'AWS::RDS::DBInstance',
      'AWS::RDS::DBSubnetGroup',
      'AWS::SecretsManager::SecretTargetAttachment',
      'AWS::EC2::VPC',
      'AWS::EC2::Subnet',
      'AWS::EC2::RouteTable',
      'AWS::EC2::SubnetRouteTableAssociation',
      'AWS::EC2::SecurityGroup',
      'AWS::EC2::VPCEndpoint',
    ].flatMap((type) => linesOf(production, type)),
  ).toEqual([
    'ChainDatabaseCluster AssociatedRoles=[{FeatureName: s3Import, RoleArn: <ChainDatabaseImportsRole>}] BackupRetentionPeriod=14 CopyTagsToSnapshot=true DBClusterParameterGroupName=default.aurora-postgresql17 DBSubnetGroupName=<ChainDatabaseClusterSubnets> DatabaseInsightsMode=standard DatabaseName=gateway DeletionProtection=true EnableCloudwatchLogsExports=[postgresql] EnableHttpEndpoint=true Engine=aurora-postgresql EngineVersion=17.9 MasterUserPassword={{resolve:secretsmanager:<gatewayexampleproductionChainDatabaseClusterSecret>:SecretString:password::}} MasterUsername=gateway_admin PerformanceInsightsEnabled=true PerformanceInsightsRetentionPeriod=7 Port=5432 ServerlessV2ScalingConfiguration={MaxCapacity: 64, MinCapacity: 0.5} StorageEncrypted=true StorageType=aurora VpcSecurityGroupIds=[<ChainDatabaseClosed.GroupId>, <ChainDatabaseImportsToObjects.GroupId>]',
    'ChainDatabaseClusterWriter DBClusterIdentifier=<ChainDatabaseCluster> DBInstanceClass=db.serverless Engine=aurora-postgresql PromotionTier=0 PubliclyAccessible=false',
    'ChainDatabaseClusterSubnets DBSubnetGroupDescription=Subnets for Cluster database SubnetIds=[<ChainDatabaseNetworkDatabaseSubnet1Subnet>, <ChainDatabaseNetworkDatabaseSubnet2Subnet>]',
    'ChainDatabaseClusterSecretAttachment SecretId=<gatewayexampleproductionChainDatabaseClusterSecret> TargetId=<ChainDatabaseCluster> TargetType=AWS::RDS::DBCluster',
    'ChainDatabaseNetwork CidrBlock=10.0.0.0/16 EnableDnsHostnames=true EnableDnsSupport=true InstanceTenancy=default',
    'ChainDatabaseNetworkDatabaseSubnet1Subnet AvailabilityZone={Fn::Select: [0, {Fn::GetAZs: }]} CidrBlock=10.0.0.0/26 MapPublicIpOnLaunch=false VpcId=<ChainDatabaseNetwork>',
    'ChainDatabaseNetworkDatabaseSubnet2Subnet AvailabilityZone={Fn::Select: [1, {Fn::GetAZs: }]} CidrBlock=10.0.0.64/26 MapPublicIpOnLaunch=false VpcId=<ChainDatabaseNetwork>',
    'ChainDatabaseNetworkDatabaseSubnet1RouteTable VpcId=<ChainDatabaseNetwork>',
    'ChainDatabaseNetworkDatabaseSubnet2RouteTable VpcId=<ChainDatabaseNetwork>',
    'ChainDatabaseNetworkDatabaseSubnet1RouteTableAssociation RouteTableId=<ChainDatabaseNetworkDatabaseSubnet1RouteTable> SubnetId=<ChainDatabaseNetworkDatabaseSubnet1Subnet>',
    'ChainDatabaseNetworkDatabaseSubnet2RouteTableAssociation RouteTableId=<ChainDatabaseNetworkDatabaseSubnet2RouteTable> SubnetId=<ChainDatabaseNetworkDatabaseSubnet2Subnet>',
    'ChainDatabaseClosed GroupDescription=Lets nothing in and nothing out SecurityGroupEgress=[{CidrIp: 255.255.255.255/32, Description: Disallow all traffic, FromPort: 252, IpProtocol: icmp, ToPort: 86}] VpcId=<ChainDatabaseNetwork>',
    'ChainDatabaseImportsToObjects GroupDescription=Lets nothing in, and HTTPS out, which has a route to S3 alone SecurityGroupEgress=[{CidrIp: 0.0.0.0/0, Description: To S3 through its endpoint, FromPort: 443, IpProtocol: tcp, ToPort: 443}] VpcId=<ChainDatabaseNetwork>',
    'ChainDatabaseNetworkObjects PolicyDocument={Statement: [{Action: [s3:GetObject, s3:ListBucket], Effect: Allow, Principal: {AWS: *}, Resource: [<ChainDatabaseImportsFiles>, <ChainDatabaseImportsFiles>/*]}], Version: 2012-10-17} RouteTableIds=[<ChainDatabaseNetworkDatabaseSubnet1RouteTable>, <ChainDatabaseNetworkDatabaseSubnet2RouteTable>] ServiceName=com.amazonaws.<AWS::Region>.s3 VpcEndpointType=Gateway VpcId=<ChainDatabaseNetwork>',
  ]));

describe('backups of tables', testTableBackups);
