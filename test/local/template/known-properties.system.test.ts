import { interpretedTypes } from '../../../local/template/resource-types.ts';
import { SynthesisedStage } from '../../lib/synthesised-stage.ts';
import { variedStage } from '../../lib/varied-stages.ts';
import { testAtLength } from '../../support/at-length-tests.ts';

/** Properties of the types that a local run acts on: those that it reads, and those that only matter in an account. */
const KNOWN: Readonly<Record<string, { readonly read: string; readonly deployedOnly: string }>> = {
  'AWS::ApiGateway::RestApi': {
    read: 'BinaryMediaTypes Name',
    deployedOnly:
      'Description DisableExecuteApiEndpoint EndpointAccessMode EndpointConfiguration SecurityPolicy Tags',
  },
  'AWS::ApiGateway::Resource': { read: 'ParentId PathPart RestApiId', deployedOnly: '' },
  'AWS::ApiGateway::Method': {
    read: 'AuthorizationType HttpMethod Integration ResourceId RestApiId',
    deployedOnly: 'MethodResponses OperationName RequestParameters',
  },
  'AWS::ApiGateway::GatewayResponse': {
    read: 'ResponseParameters ResponseTemplates ResponseType StatusCode',
    deployedOnly: 'RestApiId',
  },
  'AWS::ApiGateway::Stage': {
    read: 'AccessLogSetting MethodSettings StageName',
    deployedOnly: 'DeploymentId Description RestApiId Tags TracingEnabled',
  },
  'AWS::Lambda::Function': {
    read: 'CapacityProviderConfig Code Environment FunctionName Handler Layers MemorySize ReservedConcurrentExecutions Runtime Timeout',
    deployedOnly:
      'Architectures DeadLetterConfig Description LoggingConfig PublishToLatestPublished RecursiveLoop Role Tags',
  },
  'AWS::Lambda::Version': { read: 'FunctionName FunctionScalingConfig', deployedOnly: 'Description' },
  'AWS::Lambda::Alias': {
    read: 'FunctionName FunctionVersion Name',
    deployedOnly: 'Description ProvisionedConcurrencyConfig',
  },
  'AWS::Lambda::LayerVersion': {
    read: 'Content',
    deployedOnly: 'CompatibleArchitectures CompatibleRuntimes Description LayerName LicenseInfo',
  },
  'AWS::Lambda::EventInvokeConfig': {
    read: 'FunctionName MaximumRetryAttempts',
    deployedOnly: 'MaximumEventAgeInSeconds Qualifier',
  },
  'AWS::Lambda::EventSourceMapping': {
    read: 'BatchSize Enabled EventSourceArn FunctionName FunctionResponseTypes ScalingConfig',
    deployedOnly: 'Tags',
  },
  'AWS::DynamoDB::Table': {
    read: 'AttributeDefinitions BillingMode GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes TableName TimeToLiveSpecification',
    deployedOnly:
      'ContributorInsightsSpecification DeletionProtectionEnabled OnDemandThroughput PointInTimeRecoverySpecification ResourcePolicy SSESpecification TableClass Tags WarmThroughput',
  },
  'AWS::SQS::Queue': {
    read: 'DelaySeconds MaximumMessageSize MessageRetentionPeriod QueueName ReceiveMessageWaitTimeSeconds RedrivePolicy VisibilityTimeout',
    deployedOnly: 'KmsDataKeyReusePeriodSeconds KmsMasterKeyId SqsManagedSseEnabled Tags',
  },
  'AWS::KMS::Key': {
    read: 'KeySpec KeyUsage',
    deployedOnly: 'Description EnableKeyRotation KeyPolicy PendingWindowInDays Tags',
  },
  'AWS::S3::Bucket': {
    read: 'BucketName PublicAccessBlockConfiguration',
    deployedOnly:
      'BucketEncryption LifecycleConfiguration ObjectLockConfiguration ObjectLockEnabled OwnershipControls Tags VersioningConfiguration',
  },
  'AWS::RDS::DBCluster': {
    read: 'DatabaseName EnableHttpEndpoint Engine EngineVersion MasterUserPassword MasterUsername',
    deployedOnly:
      'AssociatedRoles BackupRetentionPeriod CopyTagsToSnapshot DBClusterParameterGroupName DBSubnetGroupName DatabaseInsightsMode DeletionProtection EnableCloudwatchLogsExports PerformanceInsightsEnabled PerformanceInsightsRetentionPeriod Port ServerlessV2ScalingConfiguration StorageEncrypted StorageType Tags VpcSecurityGroupIds',
  },
  'AWS::SecretsManager::Secret': {
    read: 'GenerateSecretString Name',
    deployedOnly: 'Description KmsKeyId Tags',
  },
  'AWS::SecretsManager::SecretTargetAttachment': { read: 'SecretId', deployedOnly: 'TargetId TargetType' },
  'Custom::ChainDatabaseSchemas': { read: 'Chains Checksum ServiceTimeout ServiceToken', deployedOnly: '' },
  'AWS::Events::Rule': {
    read: 'EventPattern Name ScheduleExpression State Targets',
    deployedOnly: 'Description Tags',
  },
  'AWS::CloudWatch::Dashboard': { read: 'DashboardBody DashboardName', deployedOnly: '' },
  'AWS::CloudWatch::Alarm': {
    read: 'AlarmActions AlarmDescription ComparisonOperator DatapointsToAlarm Dimensions EvaluationPeriods ExtendedStatistic MetricName Metrics Namespace Period Statistic Threshold TreatMissingData',
    deployedOnly: 'ActionsEnabled AlarmName InsufficientDataActions OKActions Tags Unit',
  },
  'AWS::CloudWatch::CompositeAlarm': {
    read: 'ActionsSuppressor ActionsSuppressorExtensionPeriod ActionsSuppressorWaitPeriod AlarmActions AlarmDescription AlarmRule',
    deployedOnly: 'ActionsEnabled AlarmName InsufficientDataActions OKActions Tags',
  },
};

/** Properties that a local run would pass over without anybody having said so. */
function unknownOf(stage: SynthesisedStage): string[] {
  return [...interpretedTypes].flatMap((type) => {
    const { read = '', deployedOnly = '' } = KNOWN[type] ?? {};
    const known = `${read} ${deployedOnly}`.split(' ');
    return stage
      .resources(type)
      .flatMap(([id, { Properties = {} }]) =>
        Object.keys(Properties).flatMap((name) => (known.includes(name) ? [] : `${id}: ${name}`)),
      );
  });
}

test('a local run knows every property of what it acts on', () => {
  expect(unknownOf(new SynthesisedStage('local'))).toEqual([]);
  expect(unknownOf(new SynthesisedStage('example-production'))).toEqual([]);
});

testAtLength('also those of stages that differ', () => {
  for (const name of ['least', 'most', 'moved'] as const) expect(unknownOf(variedStage(name))).toEqual([]);
});
