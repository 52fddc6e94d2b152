import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';
import type { MeteringTables } from './metering-tables.ts';

/** Time in which a backup has to start and to end: the least that AWS Backup takes. */
const START_WINDOW = Duration.hours(1);
const COMPLETION_WINDOW = Duration.hours(2);
const HOURS_A_DAY = 24;

interface TableBackupsProps {
  readonly stage: string;
  readonly removal: StageConfig['removal'];
  readonly backup: NonNullable<StageConfig['backup']>;
  readonly tables: MeteringTables;
}

/**
 * Backups of the tables that nothing else can tell again, each copied to a vault that outlives the region. What is derived
 * from them has none.
 */
export class TableBackups extends Construct {
  readonly vault: BackupVault;

  constructor(scope: Construct, id: string, { stage, removal, backup, tables }: TableBackupsProps) {
    super(scope, id);
    const deleteAfter = Duration.days(backup.keepDays);
    this.vault = new BackupVault(this, 'Vault', {
      backupVaultName: ownVaultName(stage),
      removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(backup.keyArn !== undefined && { encryptionKey: Key.fromKeyArn(this, 'Key', backup.keyArn) }),
    });
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: this.vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'MeteringTables',
          scheduleExpression: Schedule.cron({ minute: '0', hour: hoursOf(backup.everyHours) }),
          startWindow: START_WINDOW,
          completionWindow: COMPLETION_WINDOW,
          deleteAfter,
          copyActions: [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'Copies', backup.copyTo),
              deleteAfter,
            },
          ],
        }),
      ],
    });
    plan.addSelection('Tables', {
      resources: [tables.ledger, tables.keys, tables.lanes].map((table) =>
        BackupResource.fromDynamoDbTable(table),
      ),
    });
  }
}

/** Its end is that of the stack: a vault that was kept stands in no new stack's way. */
function ownVaultName(stage: string): string {
  const stackUuid = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return `gateway-${stage}-${Fn.select(0, Fn.split('-', stackUuid))}`;
}

/** Hours of a day, as an expression of cron. A step of a whole day is more than the field of hours has, and may be refused. */
function hoursOf(everyHours: number): string {
  return everyHours === HOURS_A_DAY ? '0' : `*/${everyHours}`;
}
