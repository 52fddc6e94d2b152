import { AuroraPostgresEngineVersion } from 'aws-cdk-lib/aws-rds';
import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** A month that costs more than the stage file says sends a notification, and versions are those that AWS supports. */
export function testBudget(): void {
  const production = new SynthesisedStage('example-production');

  test('a stage without one has none', () => {
    expect(new SynthesisedStage('local').text).not.toContain('AWS::Budgets');
  });

  test('pages and tickets go to topics of their own', () => {
    const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
      production.resources(type),
    );
    for (const [, { Properties }] of alarms) {
      const { AlarmDescription, AlarmActions, OKActions } = Properties;
      if (AlarmActions === undefined) continue;
      const topic = String(AlarmDescription).startsWith('[page]') ? 'AlarmsPages' : 'AlarmsTickets';
      expect(JSON.stringify([AlarmActions, OKActions]).match(/Alarms(Pages|Tickets)/g)).toEqual([
        topic,
        topic,
      ]);
    }
  });

  test('every resource that can have tags tells its stage', () => {
    const table = production.properties('AWS::DynamoDB::Table', 'TablesKeys');
    expect(table.Tags).toEqual([{ Key: 'gateway-stage', Value: 'example-production' }]);
    expect(production.properties('AWS::Lambda::Function', 'FunctionsRpc').Tags).toEqual(table.Tags);
  });

  testAtLength(
    'the database is of the newest version that the CDK knows, or of the one that the stage file says',
    () => {
      const minors = Object.keys(AuroraPostgresEngineVersion).flatMap(
        (name) => /^VER_17_(\d+)$/.exec(name)?.[1] ?? [],
      );
      const newest = Math.max(...minors.map(Number));
      expect(production.properties('AWS::RDS::DBCluster').EngineVersion).toBe(`17.${newest}`);
      const older = variedStage('moved');
      expect(older.properties('AWS::RDS::DBCluster').EngineVersion).toBe('17.6');
    },
  );
}
