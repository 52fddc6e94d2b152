import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { TableBackups } from '../metering/table-backups.ts';
import type { AlarmWatch } from './alarm-watch.ts';

/** Time that a backup may take to start and to end, beyond its interval. */
const GRACE_HOURS = 3;
/** How jobs end that made no copy. */
const FAILED_STATES = ['ABORTED', 'EXPIRED', 'FAILED', 'PARTIAL'];

/** Copies of the tables: that backups are made at all, and that none and no copy fails. */
export function watchBackups(
  scope: Construct,
  watch: AlarmWatch,
  { vault }: TableBackups,
  everyHours: number,
): void {
  const made = new Metric({
    namespace: 'AWS/Backup',
    metricName: 'NumberOfBackupJobsCompleted',
    dimensionsMap: { BackupVaultName: vault.backupVaultName },
    statistic: Stats.SUM,
    period: Duration.hours(1),
  });
  watch.absence(
    'BackupMissing',
    'No backup of the metering tables was made in time.',
    made,
    everyHours + GRACE_HOURS,
  );
  // Of a copy there is an event and no metric by vault: the event itself is sent.
  const events = {
    BackupFailed: {
      detailType: ['Backup Job State Change'],
      detail: { state: FAILED_STATES, backupVaultName: [vault.backupVaultName] },
    },
    CopyFailed: {
      detailType: ['Copy Job State Change'],
      detail: { state: FAILED_STATES, sourceBackupVaultArn: [vault.backupVaultArn] },
    },
  };
  for (const [id, { detailType, detail }] of Object.entries(events)) {
    new Rule(scope, id, {
      description:
        '[ticket] A backup of the metering tables, or its copy, failed: docs/runbook.md#backupmissing',
      eventPattern: { source: ['aws.backup'], detailType, detail },
      targets: [new SnsTopic(watch.topics.ticket)],
    });
  }
}
