import { testAtLength } from '../support/at-length-tests.ts';
import { brief, linesOf, nameOf, settings } from './resource-lines.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

/** What functions have, what they find in their variables, and what starts them. */

const production = new SynthesisedStage('example-production');
const functions = production.resources('AWS::Lambda::Function').map(([id, { Properties }]) => ({
  name: nameOf(id).replace(/(?:Service)?Function$/, ''),
  id,
  ...Properties,
}));

test('functions have so much memory, time and room, and set aside what fails where these lines say', () =>
  expect(
    linesOf(
      production,
      'AWS::Lambda::Function',
      ({
        MemorySize,
        Timeout,
        ReservedConcurrentExecutions,
        RecursiveLoop,
        DeadLetterConfig,
        VpcConfig,
      }) => ({
        MemorySize,
        Timeout,
        ReservedConcurrentExecutions,
        RecursiveLoop,
        DeadLetterConfig,
        VpcConfig,
      }),
    ),
  ).toEqual([
    'AccountBalancesServiceFunction MemorySize=256 Timeout=120 ReservedConcurrentExecutions=2',
    'BooksAuditServiceFunction MemorySize=1024 Timeout=300 RecursiveLoop=Allow DeadLetterConfig={TargetArn: <BooksAuditDeadLetters>}',
    'BooksSettlementServiceFunction MemorySize=1024 Timeout=300 RecursiveLoop=Allow DeadLetterConfig={TargetArn: <BooksSettlementDeadLetters>}',
    'FunctionsChargesFunction MemorySize=256 Timeout=10',
    'FunctionsDataFunction MemorySize=1024 Timeout=27 ReservedConcurrentExecutions=100',
    'FunctionsMcpFunction MemorySize=1024 Timeout=27 ReservedConcurrentExecutions=50',
    'FunctionsRpcFunction MemorySize=512 Timeout=42 ReservedConcurrentExecutions=500',
    'FunctionsStatusFunction MemorySize=512 Timeout=12 ReservedConcurrentExecutions=20',
    'HeadsServiceFunction MemorySize=512 Timeout=300 ReservedConcurrentExecutions=1',
    'IndexingFillFunction MemorySize=1769 Timeout=300 RecursiveLoop=Allow',
    'IndexingFollowexamplemainnetFunction MemorySize=1024 Timeout=100 ReservedConcurrentExecutions=2 DeadLetterConfig={TargetArn: <IndexingDeadLetters>}',
    'IndexingFollowexampletestnetFunction MemorySize=1024 Timeout=100 ReservedConcurrentExecutions=2 DeadLetterConfig={TargetArn: <IndexingDeadLetters>}',
    'MigrationsServiceFunction MemorySize=512 Timeout=900',
    'SnapshotsServiceFunction MemorySize=1024 Timeout=900',
  ]));

test('each function has its own role and its own log, and code of the one processor and runtime', () => {
  for (const { id, name, ...properties } of functions as readonly Record<string, unknown>[]) {
    const { Architectures, Handler, Layers, LoggingConfig, Role, Runtime } = properties;
    const own = nameOf(String(id)).replace(/Function$/, '');
    expect(settings({ Architectures, Handler, Layers, LoggingConfig, Role, Runtime })).toBe(
      `Architectures=[arm64] Handler=index.handler Layers=[<FunctionsAccessLayerVersion>] LoggingConfig={ApplicationLogLevel: INFO, LogFormat: JSON, LogGroup: <${own}Log>, SystemLogLevel: WARN} Role=<${own}Role> Runtime=nodejs24.x`,
    );
  }
});

test('variables of functions name what these lines say', () => {
  const users = new Map<string, string[]>();
  for (const { name, Environment } of functions as readonly Record<string, unknown>[])
    for (const [variable, value] of Object.entries((Environment as { Variables: object }).Variables)) {
      const line = `${variable}=${brief(value)}`;
      users.set(line, [...(users.get(line) ?? []), String(name)]);
    }
  const lines = [...users].map(([line, names]) => `${line}: ${names.sort().join(' ')}`);
  expect(lines.sort()).toEqual([
    'ACCOUNTS_TABLE=<TablesAccounts>: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads',
    'ANSWER_KEY={{resolve:secretsmanager:<ChainDatabaseAnswerKey>:SecretString:key::}}: FunctionsData FunctionsMcp',
    'BACKFILL_QUEUE_URL=<IndexingBackfill>: IndexingFill',
    'BALANCES_FUNCTION=<AccountBalancesServiceFunction>: FunctionsData FunctionsMcp FunctionsRpc',
    'BALANCES_TABLE=<TablesBalances>: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads',
    'BLOCK_FILES_BUCKET=<IndexingBlockFilesUploaded>: IndexingFill',
    'CACHE_TABLE=<ResponseCacheAnswers>: FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus IndexingFill IndexingFollowexamplemainnet IndexingFollowexampletestnet Snapshots',
    'CHAIN_DATABASE_ARN=arn:aws:rds:us-east-1:<AWS::AccountId>:cluster:<ChainDatabaseCluster>: FunctionsData FunctionsMcp IndexingFill IndexingFollowexamplemainnet IndexingFollowexampletestnet Migrations Snapshots',
    'CHAIN_DATABASE_NAME=gateway: FunctionsData FunctionsMcp IndexingFill IndexingFollowexamplemainnet IndexingFollowexampletestnet Migrations Snapshots',
    'CHAIN_DATABASE_SECRET_ARN=<ChainDatabaseClusterSecretAttachment>: Migrations',
    'CHAIN_DATABASE_SECRET_ARN=<ChainDatabaseReaderSecret>: FunctionsData FunctionsMcp',
    'CHAIN_DATABASE_SECRET_ARN=<ChainDatabaseWriterSecret>: IndexingFill IndexingFollowexamplemainnet IndexingFollowexampletestnet Snapshots',
    'CHARGE_QUEUE_URL=<ChargesQueue>: FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus',
    'EVIDENCE_BUCKET=<EvidenceLeaves>: BooksSettlement FunctionsStatus Heads',
    'FAILED_ROLLUPS_QUEUE_URL=<IndexingFailedRollups>: IndexingFollowexamplemainnet IndexingFollowexampletestnet',
    'HEADS_BUCKET=<HeadsPublished>: BooksSettlement FunctionsStatus Heads',
    'HEAD_KEY=<HeadsKey>: Heads',
    'IMPORT_BUCKET=<ChainDatabaseImportsFiles>: IndexingFill',
    'INDEXED_CHAIN=example_mainnet: IndexingFollowexamplemainnet',
    'INDEXED_CHAIN=example_testnet: IndexingFollowexampletestnet',
    'ISSUER_SECRET=<HeadsIssuer>: FunctionsStatus Heads',
    'KEYS_TABLE=<TablesKeys>: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads',
    'LANES_TABLE=<TablesLanes>: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads',
    'LEDGER_TABLE=<TablesLedger>: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads',
    'METRIC_NAMESPACE=Gateway/example-production: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads IndexingFill IndexingFollowexamplemainnet IndexingFollowexampletestnet Migrations Snapshots',
    'READER_SECRET_ARN=<ChainDatabaseReaderSecret>: Migrations',
    'REFUSALS_TABLE=<ResponseCacheAnswers>: FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus',
    'UNSETTLED_TABLE=<TablesUnsettled>: AccountBalances BooksAudit BooksSettlement FunctionsCharges FunctionsData FunctionsMcp FunctionsRpc FunctionsStatus Heads',
    'WORK_QUEUE_URL=<BooksAuditWork>: BooksAudit',
    'WORK_QUEUE_URL=<BooksSettlementWork>: BooksSettlement',
    'WRITER_SECRET_ARN=<ChainDatabaseWriterSecret>: Migrations',
  ]);
});

test('queues are read so many messages at a time, by so many runs', () =>
  expect(
    production
      .resources('AWS::Lambda::EventSourceMapping')
      .map(([, { Properties }]) => settings(Properties))
      .sort(),
  ).toEqual([
    'BatchSize=1 EventSourceArn=<BooksAuditWork> FunctionName=<BooksAuditServiceFunction>',
    'BatchSize=1 EventSourceArn=<BooksSettlementWork> FunctionName=<BooksSettlementServiceFunction>',
    'BatchSize=1 EventSourceArn=<IndexingBackfill> FunctionName=<IndexingFillFunction> ScalingConfig={MaximumConcurrency: 16}',
    'BatchSize=10 EventSourceArn=<ChargesQueue> FunctionName=<FunctionsChargesFunction> FunctionResponseTypes=[ReportBatchItemFailures] ScalingConfig={MaximumConcurrency: 10}',
  ]));

test('events wait so long, and are tried so often', () =>
  expect(linesOf(production, 'AWS::Lambda::EventInvokeConfig')).toEqual([
    'AccountBalancesServiceFunctionEventInvokeConfig FunctionName=<AccountBalancesServiceFunction> MaximumEventAgeInSeconds=60 MaximumRetryAttempts=0 Qualifier=$LATEST',
    'HeadsServiceFunctionEventInvokeConfig FunctionName=<HeadsServiceFunction> MaximumEventAgeInSeconds=3600 MaximumRetryAttempts=2 Qualifier=$LATEST',
    'IndexingFollowexamplemainnetFunctionEventInvokeConfig FunctionName=<IndexingFollowexamplemainnetFunction> MaximumEventAgeInSeconds=120 MaximumRetryAttempts=0 Qualifier=$LATEST',
    'IndexingFollowexampletestnetFunctionEventInvokeConfig FunctionName=<IndexingFollowexampletestnetFunction> MaximumEventAgeInSeconds=120 MaximumRetryAttempts=0 Qualifier=$LATEST',
  ]));

test('rules start functions, or notify, as these lines say', () =>
  expect(linesOf(production, 'AWS::Events::Rule', ({ Description, ...rest }) => rest)).toEqual([
    'AccountBalancesRule ScheduleExpression=rate(1 minute) State=ENABLED Targets=[{Arn: <AccountBalancesServiceFunction>, Id: Target0, RetryPolicy: {MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0}}]',
    'AlarmsBackupFailed EventPattern={source: [aws.backup], detail-type: [Backup Job State Change], detail: {state: [ABORTED, EXPIRED, FAILED, PARTIAL], backupVaultName: [<BackupsVault.BackupVaultName>]}} State=ENABLED Targets=[{Arn: <AlarmsTickets>, Id: Target0}]',
    'AlarmsCopyFailed EventPattern={source: [aws.backup], detail-type: [Copy Job State Change], detail: {state: [ABORTED, EXPIRED, FAILED, PARTIAL], sourceBackupVaultArn: [<BackupsVault.BackupVaultArn>]}} State=ENABLED Targets=[{Arn: <AlarmsTickets>, Id: Target0}]',
    'BooksAuditRule ScheduleExpression=rate(1 hour) State=ENABLED Targets=[{Arn: <BooksAuditServiceFunction>, DeadLetterConfig: {Arn: <BooksAuditDeadLetters>}, Id: Target0, RetryPolicy: {MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 2}}]',
    'BooksSettlementRule ScheduleExpression=rate(1 hour) State=ENABLED Targets=[{Arn: <BooksSettlementServiceFunction>, DeadLetterConfig: {Arn: <BooksSettlementDeadLetters>}, Id: Target0, RetryPolicy: {MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 2}}]',
    'HeadsRule ScheduleExpression=rate(1 hour) State=ENABLED Targets=[{Arn: <HeadsServiceFunction>, Id: Target0, RetryPolicy: {MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 2}}]',
    'IndexingSlotexamplemainnet ScheduleExpression=rate(1 minute) State=ENABLED Targets=[{Arn: <IndexingFollowexamplemainnetFunction>, DeadLetterConfig: {Arn: <IndexingDeadLetters>}, Id: Target0, RetryPolicy: {MaximumEventAgeInSeconds: 120}}]',
    'IndexingSlotexampletestnet ScheduleExpression=rate(1 minute) State=ENABLED Targets=[{Arn: <IndexingFollowexampletestnetFunction>, DeadLetterConfig: {Arn: <IndexingDeadLetters>}, Id: Target0, RetryPolicy: {MaximumEventAgeInSeconds: 120}}]',
    'ReleasesStopped EventPattern={source: [aws.codedeploy], detail-type: [CodeDeploy Deployment State-change Notification], detail: {state: [FAILURE, STOP], application: [<ReleasesApplication>]}} State=ENABLED Targets=[{Arn: <AlarmsPages>, Id: Target0}]',
    'SnapshotsDue0 ScheduleExpression=rate(1 minute) State=ENABLED Targets=[{Arn: <SnapshotsServiceFunction>, Id: Target0, Input: {"chain":"example_mainnet"}, RetryPolicy: {MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0}}, {Arn: <SnapshotsServiceFunction>, Id: Target1, Input: {"chain":"example_testnet"}, RetryPolicy: {MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0}}]',
  ]));

test('functions are called by these alone: their rules, and the API by the alias', () =>
  expect(
    production
      .resources('AWS::Lambda::Permission')
      .map(([, { Properties }]) =>
        settings(Properties).replace('Action=lambda:InvokeFunction FunctionName=', ''),
      )
      .sort(),
  ).toEqual([
    '<AccountBalancesServiceFunction> Principal=events.amazonaws.com SourceArn=<AccountBalancesRule>',
    '<BooksAuditServiceFunction> Principal=events.amazonaws.com SourceArn=<BooksAuditRule>',
    '<BooksSettlementServiceFunction> Principal=events.amazonaws.com SourceArn=<BooksSettlementRule>',
    '<FunctionsDataLive> Principal=apigateway.amazonaws.com SourceArn=arn:aws:execute-api:us-east-1:<AWS::AccountId>:<ApiRest>/*/*/*',
    '<FunctionsMcpLive> Principal=apigateway.amazonaws.com SourceArn=arn:aws:execute-api:us-east-1:<AWS::AccountId>:<ApiRest>/*/*/*',
    '<FunctionsRpcLive> Principal=apigateway.amazonaws.com SourceArn=arn:aws:execute-api:us-east-1:<AWS::AccountId>:<ApiRest>/*/*/*',
    '<FunctionsStatusLive> Principal=apigateway.amazonaws.com SourceArn=arn:aws:execute-api:us-east-1:<AWS::AccountId>:<ApiRest>/*/*/*',
    '<HeadsServiceFunction> Principal=events.amazonaws.com SourceArn=<HeadsRule>',
    '<IndexingFollowexamplemainnetFunction> Principal=events.amazonaws.com SourceArn=<IndexingSlotexamplemainnet>',
    '<IndexingFollowexampletestnetFunction> Principal=events.amazonaws.com SourceArn=<IndexingSlotexampletestnet>',
    '<SnapshotsServiceFunction> Principal=events.amazonaws.com SourceArn=<SnapshotsDue0>',
  ]));

test('an alias names a version, and a release moves it as these lines say', () =>
  expect(
    ['AWS::Lambda::Alias', 'AWS::CodeDeploy::Application', 'AWS::CodeDeploy::DeploymentGroup'].flatMap(
      (type) => linesOf(production, type),
    ),
  ).toEqual([
    'FunctionsDataLive FunctionName=<FunctionsDataFunction> FunctionVersion=<FunctionsDataFunctionCurrentVersion.Version> Name=live',
    'FunctionsMcpLive FunctionName=<FunctionsMcpFunction> FunctionVersion=<FunctionsMcpFunctionCurrentVersion.Version> Name=live',
    'FunctionsRpcLive FunctionName=<FunctionsRpcFunction> FunctionVersion=<FunctionsRpcFunctionCurrentVersion.Version> Name=live',
    'FunctionsStatusLive FunctionName=<FunctionsStatusFunction> FunctionVersion=<FunctionsStatusFunctionCurrentVersion.Version> Name=live',
    'ReleasesApplication ComputePlatform=Lambda',
    'Releasesdata AlarmConfiguration={Alarms: [{Name: <AlarmsReleaseStoppeddataCrashes>}, {Name: <AlarmsReleaseStoppeddataInternalErrors>}, {Name: <AlarmsReleaseStoppeddataNotFound>}, {Name: <AlarmsReleaseStoppeddataSlow>}, {Name: <AlarmsReleaseStoppeddataChargesLess>}, {Name: <AlarmsReleaseStoppeddataBillsDisagree>}], Enabled: true} ApplicationName=<ReleasesApplication> AutoRollbackConfiguration={Enabled: true, Events: [DEPLOYMENT_FAILURE, DEPLOYMENT_STOP_ON_REQUEST, DEPLOYMENT_STOP_ON_ALARM]} DeploymentConfigName=CodeDeployDefault.LambdaCanary10Percent15Minutes DeploymentStyle={DeploymentOption: WITH_TRAFFIC_CONTROL, DeploymentType: BLUE_GREEN} ServiceRoleArn=<ReleasesRole>',
    'Releasesmcp AlarmConfiguration={Alarms: [{Name: <AlarmsReleaseStoppedmcpCrashes>}, {Name: <AlarmsReleaseStoppedmcpInternalErrors>}, {Name: <AlarmsReleaseStoppedmcpNotFound>}, {Name: <AlarmsReleaseStoppedmcpSlow>}, {Name: <AlarmsReleaseStoppedmcpChargesLess>}, {Name: <AlarmsReleaseStoppedmcpBillsDisagree>}], Enabled: true} ApplicationName=<ReleasesApplication> AutoRollbackConfiguration={Enabled: true, Events: [DEPLOYMENT_FAILURE, DEPLOYMENT_STOP_ON_REQUEST, DEPLOYMENT_STOP_ON_ALARM]} DeploymentConfigName=CodeDeployDefault.LambdaCanary10Percent15Minutes DeploymentStyle={DeploymentOption: WITH_TRAFFIC_CONTROL, DeploymentType: BLUE_GREEN} ServiceRoleArn=<ReleasesRole>',
    'Releasesrpc AlarmConfiguration={Alarms: [{Name: <AlarmsReleaseStoppedrpcCrashes>}, {Name: <AlarmsReleaseStoppedrpcInternalErrors>}, {Name: <AlarmsReleaseStoppedrpcNotFound>}, {Name: <AlarmsReleaseStoppedrpcSlow>}, {Name: <AlarmsReleaseStoppedrpcOwnTime>}, {Name: <AlarmsReleaseStoppedrpcOwnTimeOfOthers>}, {Name: <AlarmsReleaseStoppedrpcChargesLess>}, {Name: <AlarmsReleaseStoppedrpcBillsDisagree>}], Enabled: true} ApplicationName=<ReleasesApplication> AutoRollbackConfiguration={Enabled: true, Events: [DEPLOYMENT_FAILURE, DEPLOYMENT_STOP_ON_REQUEST, DEPLOYMENT_STOP_ON_ALARM]} DeploymentConfigName=CodeDeployDefault.LambdaCanary10Percent15Minutes DeploymentStyle={DeploymentOption: WITH_TRAFFIC_CONTROL, DeploymentType: BLUE_GREEN} ServiceRoleArn=<ReleasesRole>',
    'Releasesstatus AlarmConfiguration={Alarms: [{Name: <AlarmsReleaseStoppedstatusCrashes>}, {Name: <AlarmsReleaseStoppedstatusInternalErrors>}, {Name: <AlarmsReleaseStoppedstatusNotFound>}, {Name: <AlarmsReleaseStoppedstatusSlow>}], Enabled: true} ApplicationName=<ReleasesApplication> AutoRollbackConfiguration={Enabled: true, Events: [DEPLOYMENT_FAILURE, DEPLOYMENT_STOP_ON_REQUEST, DEPLOYMENT_STOP_ON_ALARM]} DeploymentConfigName=CodeDeployDefault.LambdaCanary10Percent15Minutes DeploymentStyle={DeploymentOption: WITH_TRAFFIC_CONTROL, DeploymentType: BLUE_GREEN} ServiceRoleArn=<ReleasesRole>',
  ]));

test('the step of a deployment that migrates the schemas has this function and time', () =>
  expect(linesOf(production, 'Custom::ChainDatabaseSchemas', ({ Checksum, ...rest }) => rest)).toEqual([
    'MigrationsSchemas ServiceToken=<MigrationsServiceFunction> ServiceTimeout=960 Chains=[example_mainnet, example_testnet]',
  ]));

test('the layer is for that processor and runtime', () =>
  expect(
    linesOf(production, 'AWS::Lambda::LayerVersion', ({ CompatibleArchitectures, CompatibleRuntimes }) => ({
      CompatibleArchitectures,
      CompatibleRuntimes,
    })),
  ).toEqual(['FunctionsAccessLayerVersion CompatibleArchitectures=[arm64] CompatibleRuntimes=[nodejs24.x]']));

test('logs are kept 90 days, in the class of those that are read', () =>
  expect(
    linesOf(production, 'AWS::Logs::LogGroup', ({ LogGroupName, ...rest }) => rest).filter(
      (line) => !line.endsWith('Log RetentionInDays=90'),
    ),
  ).toEqual(['ApiAccessLog LogGroupClass=INFREQUENT_ACCESS RetentionInDays=90']));

test('those of a stage that may be lost 30 days, but for refusals of the firewall', () => {
  const days = new SynthesisedStage('local')
    .resources('AWS::Logs::LogGroup')
    .map(([id, { Properties }]) => (id.startsWith('FirewallLog') ? 30 : Properties.RetentionInDays));
  expect(new Set(days)).toEqual(new Set([30]));
});

testAtLength('instances, their network and its way out are set as these lines say', () => {
  const stage = new SynthesisedStage('example-instances');
  expect(
    [
      'AWS::Lambda::CapacityProvider',
      'AWS::EC2::Subnet',
      'AWS::EC2::Route',
      'AWS::EC2::SubnetRouteTableAssociation',
      'AWS::EC2::NatGateway',
      'AWS::EC2::EIP',
      'AWS::EC2::VPCGatewayAttachment',
      'AWS::EC2::SecurityGroup',
      'AWS::EC2::FlowLog',
      'AWS::EC2::VPCEndpoint',
    ].flatMap((type) => linesOf(stage, type)),
  ).toEqual([
    'InstancesMcpOnInstances CapacityProviderScalingConfig={MaxVCpuCount: 12} InstanceRequirements={Architectures: [arm64]} PermissionsConfig={CapacityProviderOperatorRoleArn: <InstancesMcpOnInstancesOperatorRole>} VpcConfig={SecurityGroupIds: [<InstancesClosed.GroupId>], SubnetIds: [<InstancesNetworkFunctionsSubnet1Subnet>, <InstancesNetworkFunctionsSubnet2Subnet>]}',
    'InstancesRpcOnInstances CapacityProviderScalingConfig={MaxVCpuCount: 60} InstanceRequirements={Architectures: [arm64]} PermissionsConfig={CapacityProviderOperatorRoleArn: <InstancesRpcOnInstancesOperatorRole>} VpcConfig={SecurityGroupIds: [<InstancesClosed.GroupId>], SubnetIds: [<InstancesNetworkFunctionsSubnet1Subnet>, <InstancesNetworkFunctionsSubnet2Subnet>]}',
    'InstancesNetworkFunctionsSubnet1Subnet AvailabilityZone={Fn::Select: [0, {Fn::GetAZs: }]} CidrBlock=10.0.128.0/18 MapPublicIpOnLaunch=false VpcId=<InstancesNetwork>',
    'InstancesNetworkFunctionsSubnet2Subnet AvailabilityZone={Fn::Select: [1, {Fn::GetAZs: }]} CidrBlock=10.0.192.0/18 MapPublicIpOnLaunch=false VpcId=<InstancesNetwork>',
    'InstancesNetworkWaySubnet1Subnet AvailabilityZone={Fn::Select: [0, {Fn::GetAZs: }]} CidrBlock=10.0.0.0/18 MapPublicIpOnLaunch=false VpcId=<InstancesNetwork>',
    'InstancesNetworkWaySubnet2Subnet AvailabilityZone={Fn::Select: [1, {Fn::GetAZs: }]} CidrBlock=10.0.64.0/18 MapPublicIpOnLaunch=false VpcId=<InstancesNetwork>',
    'InstancesNetworkFunctionsSubnet1DefaultRoute DestinationCidrBlock=0.0.0.0/0 NatGatewayId=<InstancesNetworkWaySubnet1NATGateway> RouteTableId=<InstancesNetworkFunctionsSubnet1RouteTable>',
    'InstancesNetworkFunctionsSubnet2DefaultRoute DestinationCidrBlock=0.0.0.0/0 NatGatewayId=<InstancesNetworkWaySubnet2NATGateway> RouteTableId=<InstancesNetworkFunctionsSubnet2RouteTable>',
    'InstancesNetworkWaySubnet1DefaultRoute DestinationCidrBlock=0.0.0.0/0 GatewayId=<InstancesNetworkIGW> RouteTableId=<InstancesNetworkWaySubnet1RouteTable>',
    'InstancesNetworkWaySubnet2DefaultRoute DestinationCidrBlock=0.0.0.0/0 GatewayId=<InstancesNetworkIGW> RouteTableId=<InstancesNetworkWaySubnet2RouteTable>',
    'InstancesNetworkFunctionsSubnet1RouteTableAssociation RouteTableId=<InstancesNetworkFunctionsSubnet1RouteTable> SubnetId=<InstancesNetworkFunctionsSubnet1Subnet>',
    'InstancesNetworkFunctionsSubnet2RouteTableAssociation RouteTableId=<InstancesNetworkFunctionsSubnet2RouteTable> SubnetId=<InstancesNetworkFunctionsSubnet2Subnet>',
    'InstancesNetworkWaySubnet1RouteTableAssociation RouteTableId=<InstancesNetworkWaySubnet1RouteTable> SubnetId=<InstancesNetworkWaySubnet1Subnet>',
    'InstancesNetworkWaySubnet2RouteTableAssociation RouteTableId=<InstancesNetworkWaySubnet2RouteTable> SubnetId=<InstancesNetworkWaySubnet2Subnet>',
    'InstancesNetworkWaySubnet1NATGateway AllocationId=<InstancesNetworkWaySubnet1EIP.AllocationId> SubnetId=<InstancesNetworkWaySubnet1Subnet>',
    'InstancesNetworkWaySubnet2NATGateway AllocationId=<InstancesNetworkWaySubnet2EIP.AllocationId> SubnetId=<InstancesNetworkWaySubnet2Subnet>',
    'InstancesNetworkWaySubnet1EIP Domain=vpc',
    'InstancesNetworkWaySubnet2EIP Domain=vpc',
    'InstancesNetworkVPCGW InternetGatewayId=<InstancesNetworkIGW> VpcId=<InstancesNetwork>',
    'InstancesClosed GroupDescription=Lets nothing in, and TCP out: the ports of nodes are known by their secrets alone SecurityGroupEgress=[{CidrIp: 0.0.0.0/0, Description: from 0.0.0.0/0:ALL PORTS, FromPort: 0, IpProtocol: tcp, ToPort: 65535}] VpcId=<InstancesNetwork>',
    'InstancesNetworkRefusedFlowLog DeliverLogsPermissionArn=<InstancesNetworkRefusedIAMRole> LogDestinationType=cloud-watch-logs LogGroupName=<InstancesRefusedLog> ResourceId=<InstancesNetwork> ResourceType=VPC TrafficType=REJECT',
    'InstancesNetworkDynamoDb RouteTableIds=[<InstancesNetworkFunctionsSubnet1RouteTable>, <InstancesNetworkFunctionsSubnet2RouteTable>, <InstancesNetworkWaySubnet1RouteTable>, <InstancesNetworkWaySubnet2RouteTable>] ServiceName=com.amazonaws.<AWS::Region>.dynamodb VpcEndpointType=Gateway VpcId=<InstancesNetwork>',
    'InstancesNetworkS3 RouteTableIds=[<InstancesNetworkFunctionsSubnet1RouteTable>, <InstancesNetworkFunctionsSubnet2RouteTable>, <InstancesNetworkWaySubnet1RouteTable>, <InstancesNetworkWaySubnet2RouteTable>] ServiceName=com.amazonaws.<AWS::Region>.s3 VpcEndpointType=Gateway VpcId=<InstancesNetwork>',
  ]);
});
