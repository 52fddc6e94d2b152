import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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
      for (const [, { Properties }] of production.resources('AWS::Lambda::Function'))
        expect(Properties.VpcConfig).toBeUndefined();
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

  describe('the migrations', () => {
    test('ride in the bundle of their function', () => {
      const code = production.code('AWS::Lambda::Function', 'MigrationsServiceFunction');
      expect(readdirSync(join(code, 'migrations'))).toEqual(readdirSync(MIGRATIONS));
    });
  });
}
