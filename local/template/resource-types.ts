/** How a local run treats the properties of a resource type that it interprets. */
export interface Interpretation {
  /** Properties that some part of the local run reads. */
  readonly read: readonly string[];
  /** Properties that only matter in an account: identity, encryption, retention, naming and the like. */
  readonly deployedOnly: readonly string[];
}

/** Resource types that the local run acts on. Any other property of theirs is refused by name. */
export const interpretedTypes: Readonly<Record<string, Interpretation>> = {
  'AWS::ApiGateway::RestApi': {
    read: ['BinaryMediaTypes', 'Name'],
    deployedOnly: ['Description', 'DisableExecuteApiEndpoint', 'EndpointConfiguration', 'Tags'],
  },
  'AWS::ApiGateway::Resource': { read: ['ParentId', 'PathPart', 'RestApiId'], deployedOnly: [] },
  'AWS::ApiGateway::Method': {
    read: ['AuthorizationType', 'HttpMethod', 'Integration', 'ResourceId', 'RestApiId'],
    deployedOnly: ['MethodResponses', 'OperationName', 'RequestParameters'],
  },
  'AWS::ApiGateway::GatewayResponse': {
    read: ['ResponseParameters', 'ResponseTemplates', 'ResponseType', 'StatusCode'],
    deployedOnly: ['RestApiId'],
  },
  'AWS::ApiGateway::Stage': {
    read: ['AccessLogSetting', 'MethodSettings', 'StageName'],
    deployedOnly: ['DeploymentId', 'Description', 'RestApiId', 'Tags', 'TracingEnabled'],
  },
  'AWS::Lambda::Function': {
    read: [
      'CapacityProviderConfig',
      'Code',
      'Environment',
      'FunctionName',
      'Handler',
      'Layers',
      'MemorySize',
      'ReservedConcurrentExecutions',
      'Runtime',
      'Timeout',
    ],
    deployedOnly: [
      'Architectures',
      'DeadLetterConfig',
      'Description',
      'LoggingConfig',
      // A caller of a function here calls the version that its alias names.
      'PublishToLatestPublished',
      'RecursiveLoop',
      'Role',
      'Tags',
      'TracingConfig',
    ],
  },
  'AWS::Lambda::Version': { read: ['FunctionName', 'FunctionScalingConfig'], deployedOnly: ['Description'] },
  'AWS::Lambda::Alias': {
    read: ['FunctionName', 'FunctionVersion', 'Name'],
    // There is one version in a template, so all of an alias's calls go to it.
    deployedOnly: ['Description', 'ProvisionedConcurrencyConfig'],
  },
  'AWS::Lambda::LayerVersion': {
    read: ['Content'],
    deployedOnly: [
      'CompatibleArchitectures',
      'CompatibleRuntimes',
      'Description',
      'LayerName',
      'LicenseInfo',
    ],
  },
  'AWS::Lambda::WebFunction': { read: ['FunctionName'], deployedOnly: ['Tags'] },
  'AWS::Lambda::WebFunctionRevision': {
    read: ['BuildConfig', 'FunctionName', 'ServiceConfig'],
    deployedOnly: ['Description', 'KmsKeyArn'],
  },
  'AWS::Lambda::WebFunctionEndpoint': {
    read: ['AuthType', 'EndpointName', 'FunctionName', 'ScalingConfig'],
    // There is one revision in a template, so all requests go to it.
    deployedOnly: ['Description', 'EndpointType', 'RevisionWeights'],
  },
  'AWS::Lambda::EventInvokeConfig': {
    read: ['FunctionName', 'MaximumRetryAttempts'],
    // There is one version of a function; how old an event may get is read of its rule.
    deployedOnly: ['MaximumEventAgeInSeconds', 'Qualifier'],
  },
  'AWS::Lambda::EventSourceMapping': {
    read: [
      'BatchSize',
      'Enabled',
      'EventSourceArn',
      'FunctionName',
      'FunctionResponseTypes',
      'ScalingConfig',
    ],
    deployedOnly: ['Tags'],
  },
  'AWS::DynamoDB::Table': {
    read: [
      'AttributeDefinitions',
      'BillingMode',
      'GlobalSecondaryIndexes',
      'KeySchema',
      'LocalSecondaryIndexes',
      'TableName',
      'TimeToLiveSpecification',
    ],
    deployedOnly: [
      'ContributorInsightsSpecification',
      'DeletionProtectionEnabled',
      'OnDemandThroughput',
      'PointInTimeRecoverySpecification',
      'ResourcePolicy',
      'SSESpecification',
      'TableClass',
      'Tags',
      'WarmThroughput',
    ],
  },
  'AWS::SQS::Queue': {
    read: [
      'DelaySeconds',
      'MaximumMessageSize',
      'MessageRetentionPeriod',
      'QueueName',
      'ReceiveMessageWaitTimeSeconds',
      'RedrivePolicy',
      'VisibilityTimeout',
    ],
    deployedOnly: ['KmsDataKeyReusePeriodSeconds', 'KmsMasterKeyId', 'SqsManagedSseEnabled', 'Tags'],
  },
  'AWS::KMS::Key': {
    read: ['KeySpec', 'KeyUsage'],
    deployedOnly: ['Description', 'EnableKeyRotation', 'KeyPolicy', 'PendingWindowInDays', 'Tags'],
  },
  'AWS::S3::Bucket': {
    read: ['BucketName', 'PublicAccessBlockConfiguration'],
    deployedOnly: [
      'BucketEncryption',
      'LifecycleConfiguration',
      'ObjectLockConfiguration',
      'ObjectLockEnabled',
      'OwnershipControls',
      'Tags',
      'VersioningConfiguration',
    ],
  },
  'AWS::RDS::DBCluster': {
    read: [
      'DatabaseName',
      'EnableHttpEndpoint',
      'Engine',
      'EngineVersion',
      'MasterUserPassword',
      'MasterUsername',
    ],
    deployedOnly: [
      'AssociatedRoles',
      'BackupRetentionPeriod',
      'CopyTagsToSnapshot',
      'DBClusterParameterGroupName',
      'DBSubnetGroupName',
      'DatabaseInsightsMode',
      'DeletionProtection',
      'EnableCloudwatchLogsExports',
      'PerformanceInsightsEnabled',
      'PerformanceInsightsRetentionPeriod',
      'Port',
      'ServerlessV2ScalingConfiguration',
      'StorageEncrypted',
      'StorageType',
      'Tags',
      'VpcSecurityGroupIds',
    ],
  },
  'AWS::SecretsManager::Secret': {
    read: ['GenerateSecretString', 'Name'],
    deployedOnly: ['Description', 'KmsKeyId', 'Tags'],
  },
  'AWS::SecretsManager::SecretTargetAttachment': {
    read: ['SecretId'],
    deployedOnly: ['TargetId', 'TargetType'],
  },
  'Custom::ChainDatabaseSchemas': {
    read: ['Chains', 'Checksum', 'ServiceTimeout', 'ServiceToken'],
    deployedOnly: [],
  },
  'AWS::Events::Rule': {
    // One for events of AWS has no schedule: nothing sends them here.
    read: ['EventPattern', 'Name', 'ScheduleExpression', 'State', 'Targets'],
    deployedOnly: ['Description', 'Tags'],
  },
  'AWS::CloudWatch::Dashboard': { read: ['DashboardBody', 'DashboardName'], deployedOnly: [] },
  'AWS::CloudWatch::Alarm': {
    read: [
      'AlarmActions',
      'AlarmDescription',
      'ComparisonOperator',
      'DatapointsToAlarm',
      'Dimensions',
      'EvaluationPeriods',
      'ExtendedStatistic',
      'MetricName',
      'Metrics',
      'Namespace',
      'Period',
      'Statistic',
      'Threshold',
      'TreatMissingData',
    ],
    deployedOnly: ['ActionsEnabled', 'AlarmName', 'InsufficientDataActions', 'OKActions', 'Tags', 'Unit'],
  },
  'AWS::CloudWatch::CompositeAlarm': {
    read: [
      'ActionsSuppressor',
      'ActionsSuppressorExtensionPeriod',
      'ActionsSuppressorWaitPeriod',
      'AlarmActions',
      'AlarmDescription',
      'AlarmRule',
    ],
    deployedOnly: ['ActionsEnabled', 'AlarmName', 'InsufficientDataActions', 'OKActions', 'Tags'],
  },
};

/** Resource types that have a meaning only in an account; references to them still resolve. */
export const deployedOnlyTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
  'AWS::Backup::BackupVault',
  'AWS::Budgets::Budget',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudFront::CachePolicy',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::EC2::EIP',
  'AWS::EC2::FlowLog',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::NatGateway',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPC',
  'AWS::EC2::VPCEndpoint',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Alias',
  'AWS::Lambda::CapacityProvider',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::ResourcePolicy',
  'AWS::RDS::DBInstance',
  'AWS::RDS::DBSubnetGroup',
  'AWS::Route53::RecordSet',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
]);
