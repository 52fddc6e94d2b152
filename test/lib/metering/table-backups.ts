import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** Tables are backed up as the stage file says, and a backup that is missing is an alarm. */
export function testTableBackups(): void {
  const production = new SynthesisedStage('example-production');
  const seldom = variedStage('moved');

  interface Rule {
    readonly ScheduleExpression: string;
    readonly Lifecycle: { readonly DeleteAfterDays: number };
    readonly CopyActions: readonly {
      readonly DestinationBackupVaultArn: string;
      readonly Lifecycle: object;
    }[];
  }

  function rules(stage: SynthesisedStage): Rule[] {
    const { BackupPlan } = stage.properties('AWS::Backup::BackupPlan');
    return (BackupPlan as { BackupPlanRule: Rule[] }).BackupPlanRule;
  }

  testAtLength('interval, age and key are those of the stage file', () => {
    expect(rules(seldom)).toMatchObject([
      { ScheduleExpression: 'cron(0 */4 * * ? *)', Lifecycle: { DeleteAfterDays: 7 } },
    ]);
    expect(rules(variedStage('trial'))).toMatchObject([{ ScheduleExpression: 'cron(0 0 * * ? *)' }]);
    expect(seldom.properties('AWS::Backup::BackupVault').EncryptionKeyArn).toMatch(/^arn:aws:kms:/);
  });

  testAtLength(
    'no backup for longer than its interval is an alarm, also if AWS Backup says nothing at all',
    () => {
      // No value of AWS Backup counts as zero, in each hour in which the stage runs.
      const watched = {
        Metrics: expect.arrayContaining([
          expect.objectContaining({ Expression: 'FILL(came, 0) / ran' }),
          expect.objectContaining({
            Id: 'came',
            MetricStat: expect.objectContaining({
              Metric: expect.objectContaining({ MetricName: 'NumberOfBackupJobsCompleted' }),
              Period: 3_600,
            }),
          }),
        ]),
        ComparisonOperator: 'LessThanOrEqualToThreshold',
        Threshold: 0,
      };
      const alarm = (stage: SynthesisedStage) =>
        stage.properties('AWS::CloudWatch::Alarm', 'AlarmsBackupMissing');
      expect(alarm(production)).toMatchObject({ ...watched, EvaluationPeriods: 4 });
      expect(alarm(seldom)).toMatchObject({ ...watched, EvaluationPeriods: 7 });
    },
  );

  test('a stage that names no vault has none', () => {
    expect(new SynthesisedStage('local').text).not.toContain('AWS::Backup');
  });

  testAtLength('charges in their queue and its dead letters stay with the data of a stage', () => {
    const policies = (stage: SynthesisedStage) =>
      stage
        .resources('AWS::SQS::Queue')
        .filter(([id]) => id.startsWith('Charges'))
        .map(([, { DeletionPolicy }]) => DeletionPolicy);
    expect(policies(production)).toEqual(['RetainExceptOnCreate', 'RetainExceptOnCreate']);
    expect(policies(variedStage('trial'))).toEqual(['Delete', 'Delete']);
  });
}
