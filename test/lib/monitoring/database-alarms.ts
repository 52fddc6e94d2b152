import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** Alarms of the database are set by its size. */
export function testDatabaseAlarms(): void {
  const production = new SynthesisedStage('example-production');
  const large = variedStage('moved');
  const without = variedStage('least');

  function alarm(stage: SynthesisedStage, section: string) {
    return stage.properties('AWS::CloudWatch::Alarm', `Alarms${section}`);
  }

  test('a writer near its highest capacity for a quarter of an hour is a ticket', () => {
    const { Dimensions, ...busy } = alarm(production, 'DatabaseBusy');
    expect(busy).toMatchObject({
      Namespace: 'AWS/RDS',
      MetricName: 'ACUUtilization',
      Statistic: 'Average',
      Period: 300,
      EvaluationPeriods: 3,
      Threshold: 90,
      AlarmDescription: expect.stringMatching(/^\[ticket\]/),
    });
    expect(Dimensions).toContainEqual({ Name: 'Role', Value: 'WRITER' });
  });

  testAtLength('connections are watched below what PostgreSQL takes with so much memory', () => {
    expect(alarm(production, 'DatabaseConnections').Threshold).toBe(1_600);
    expect(alarm(large, 'DatabaseConnections').Threshold).toBe(Math.floor(8 * 189 * 0.8));
  });

  test('transactions are watched at half the age at which PostgreSQL refuses writes', () => {
    expect(alarm(production, 'TransactionsOld')).toMatchObject({
      MetricName: 'MaximumUsedTransactionIDs',
      Threshold: 1_000_000_000,
    });
  });

  testAtLength('a stage without a database has none of them', () => {
    expect(without.text).not.toMatch(/AWS\/RDS|DatabaseBusy|TransactionsOld/);
  });
}
