import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** The cluster is kept, encrypted and as large as the stage file says, and functions log in with rights of their own. */
export function testChainDatabase(): void {
  const MIGRATIONS = join(import.meta.dirname, '..', '..', '..', 'database', 'migrations');
  const production = new SynthesisedStage('example-production');
  const pausing = variedStage('most');
  const without = variedStage('least');
  const standingBy = variedStage('moved');

  describe('the cluster', () => {
    test('is Aurora PostgreSQL Serverless v2 with the RDS Data API', () => {
      expect(production.properties('AWS::RDS::DBCluster')).toMatchObject({
        Engine: 'aurora-postgresql',
        EngineVersion: expect.stringMatching(/^17\./),
        EnableHttpEndpoint: true,
        ServerlessV2ScalingConfiguration: { MinCapacity: 0.5, MaxCapacity: 64 },
      });
      expect(production.properties('AWS::RDS::DBInstance')).toMatchObject({
        DBInstanceClass: 'db.serverless',
        PubliclyAccessible: false,
      });
    });

    test('is encrypted, backed up, and not deleted by mistake', () => {
      production.template.hasResource('AWS::RDS::DBCluster', {
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: { StorageEncrypted: true, DeletionProtection: true, BackupRetentionPeriod: 14 },
      });
    });

    test('goes away with a stage that may', () => {
      const local = new SynthesisedStage('local');
      local.template.hasResource('AWS::RDS::DBCluster', {
        DeletionPolicy: 'Delete',
        Properties: { DeletionProtection: false },
      });
    });

    test('has a network with no way in, none out but to the files that it imports, and no function in it', () => {
      for (const type of ['InternetGateway', 'NatGateway', 'SecurityGroupIngress'])
        production.template.resourceCountIs(`AWS::EC2::${type}`, 0);
      const groups = production.resources('AWS::EC2::SecurityGroup').map(([, { Properties }]) => Properties);
      expect(groups.map(({ SecurityGroupIngress }) => SecurityGroupIngress)).toEqual([undefined, undefined]);
      expect(groups.flatMap(({ SecurityGroupEgress }) => SecurityGroupEgress)).toEqual([
        expect.objectContaining({ IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }),
        expect.objectContaining({ Description: 'Disallow all traffic' }),
      ]);
      for (const [, { Properties }] of production.resources('AWS::Lambda::Function'))
        expect(Properties.VpcConfig).toBeUndefined();
    });

    test('has a route to one bucket alone, whose files it may only read', () => {
      const endpoint = production.properties('AWS::EC2::VPCEndpoint');
      expect(endpoint).toMatchObject({
        VpcEndpointType: 'Gateway',
        RouteTableIds: [expect.anything(), expect.anything()],
      });
      const files = expect.stringMatching('^ChainDatabaseImportsFiles');
      const readsFiles = {
        Effect: 'Allow',
        Action: ['s3:GetObject', 's3:ListBucket'],
        Resource: [
          { 'Fn::GetAtt': [files, 'Arn'] },
          { 'Fn::Join': ['', [{ 'Fn::GetAtt': [files, 'Arn'] }, '/*']] },
        ],
      };
      expect(endpoint.PolicyDocument).toMatchObject({ Statement: [readsFiles] });
      expect(production.properties('AWS::RDS::DBCluster').AssociatedRoles).toEqual([
        {
          FeatureName: 's3Import',
          RoleArn: { 'Fn::GetAtt': [expect.stringMatching('^ChainDatabaseImportsRole'), 'Arn'] },
        },
      ]);
    });

    test('imports from a bucket that is encrypted, takes TLS alone, and forgets files after a week', () => {
      expect(production.properties('AWS::S3::Bucket', 'ChainDatabaseImportsFiles')).toMatchObject({
        BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
        PublicAccessBlockConfiguration: { RestrictPublicBuckets: true },
        LifecycleConfiguration: { Rules: [{ ExpirationInDays: 7, Status: 'Enabled' }] },
      });
      expect(
        JSON.stringify(production.properties('AWS::S3::BucketPolicy', 'ChainDatabaseImportsFiles')),
      ).toContain('aws:SecureTransport');
      expect(production.permissions('IndexingFill')).toEqual(
        expect.arrayContaining(
          ['s3:GetObject', 's3:PutObject'].map((action) =>
            expect.stringMatching(`^${action} on .*ChainDatabaseImportsFiles`),
          ),
        ),
      );
    });

    testAtLength('pauses when its stage file says so', () => {
      expect(pausing.properties('AWS::RDS::DBCluster').ServerlessV2ScalingConfiguration).toEqual({
        MinCapacity: 0,
        MaxCapacity: 2,
        SecondsUntilAutoPause: 600,
      });
    });

    testAtLength('has one instance, or a second in another zone that is the first to take over', () => {
      expect(production.resources('AWS::RDS::DBInstance')).toHaveLength(1);
      const instances = standingBy.resources('AWS::RDS::DBInstance').map(([, { Properties }]) => Properties);
      expect(instances.map(({ PromotionTier }) => PromotionTier).sort()).toEqual([0, 1]);
      for (const instance of instances) expect(instance).toMatchObject({ DBInstanceClass: 'db.serverless' });
    });

    testAtLength('pays for storage by its size alone if its stage file says so', () => {
      expect(standingBy.properties('AWS::RDS::DBCluster').StorageType).toBe('aurora-iopt1');
      expect(production.properties('AWS::RDS::DBCluster').StorageType).toBe('aurora');
    });

    testAtLength(
      'tells which statements take its time, for the seven days that are free, unless it may sleep',
      () => {
        const insights = { PerformanceInsightsEnabled: true, PerformanceInsightsRetentionPeriod: 7 };
        expect(production.properties('AWS::RDS::DBCluster')).toMatchObject(insights);
        expect(pausing.properties('AWS::RDS::DBCluster').PerformanceInsightsEnabled).toBeUndefined();
      },
    );

    testAtLength(
      'keeps the log of PostgreSQL as long as others, in a group that is there before an instance writes',
      () => {
        expect(production.properties('AWS::RDS::DBCluster').EnableCloudwatchLogsExports).toEqual([
          'postgresql',
        ]);
        const log = production.properties('AWS::Logs::LogGroup', 'ChainDatabaseLog');
        expect(log.RetentionInDays).toBe(90);
        expect(JSON.stringify(log.LogGroupName)).toMatch(
          /"\/aws\/rds\/cluster".*ChainDatabaseCluster.*"postgresql"/,
        );
        for (const [, instance] of standingBy.resources('AWS::RDS::DBInstance'))
          expect(instance.DependsOn).toContainEqual(expect.stringMatching(/^ChainDatabaseLog/));
      },
    );

    testAtLength('is left out of a stage without one', () =>
      expect(without.text).not.toMatch(/AWS::(RDS|EC2)::|ChainDatabase|Migrations/),
    );
  });

  describe('the secrets', () => {
    test('are one for each role, and the key of tags and cursors, with random values', () => {
      const users = production
        .resources('AWS::SecretsManager::Secret')
        .filter(([id]) => !id.startsWith('Heads'))
        .map(([, { Properties }]) => Properties.GenerateSecretString as Record<string, string>)
        .map(({ SecretStringTemplate = '', GenerateStringKey }) => [
          (JSON.parse(SecretStringTemplate) as Record<string, string>).username,
          GenerateStringKey,
        ]);
      expect(users.sort()).toEqual([
        [undefined, 'key'],
        ['gateway_admin', 'password'],
        ['gateway_reader', 'password'],
        ['gateway_writer', 'password'],
      ]);
    });
  });

  describe('the migrations', () => {
    test('are a step of a deployment that changes them or the chains', () => {
      production.template.hasResource('Custom::ChainDatabaseSchemas', {
        Properties: {
          ServiceToken: { 'Fn::GetAtt': [Match.stringLikeRegexp('^MigrationsServiceFunction'), 'Arn'] },
          Chains: ['example_mainnet', 'example_testnet'],
          Checksum: Match.stringLikeRegexp('^[0-9a-f]{64}$'),
        },
        DependsOn: Match.arrayWith([Match.stringLikeRegexp('^ChainDatabaseClusterWriter')]),
      });
    });

    test('ride in the bundle of their function', () => {
      const code = production.code('AWS::Lambda::Function', 'MigrationsServiceFunction');
      expect(readdirSync(join(code, 'migrations'))).toEqual(readdirSync(MIGRATIONS));
    });

    test('may do what they need and no more', () => {
      expect(production.permissions('MigrationsService')).toEqual([
        'rds-data:BatchExecuteStatement on ChainDatabaseCluster',
        'rds-data:BeginTransaction on ChainDatabaseCluster',
        'rds-data:CommitTransaction on ChainDatabaseCluster',
        'rds-data:ExecuteStatement on ChainDatabaseCluster',
        'rds-data:RollbackTransaction on ChainDatabaseCluster',
        'secretsmanager:GetSecretValue on ChainDatabaseClusterSecretAttachment',
        'secretsmanager:GetSecretValue on ChainDatabaseReaderSecret',
        'secretsmanager:GetSecretValue on ChainDatabaseWriterSecret',
        'secretsmanager:PutSecretValue on ChainDatabaseReaderSecret',
        'secretsmanager:PutSecretValue on ChainDatabaseWriterSecret',
      ]);
    });
  });
}
