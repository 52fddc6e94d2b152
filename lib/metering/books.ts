import { Construct } from 'constructs';
import { PRICES_PARTITION } from '../../lambdas/access/store/price-lists.ts';
import { UNSEALED_SLOTS } from '../../lambdas/settlement/heads.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import type { Evidence } from './evidence.ts';
import type { Heads } from './heads.ts';
import { HourlyWork } from './hourly-work.ts';
import type { MeteringTables } from './metering-tables.ts';

interface BooksProps {
  readonly config: StageConfig;
  readonly tables: MeteringTables;
  readonly layer: AccessLayer;
  readonly evidence: Evidence;
  readonly heads: Heads;
}

/**
 * The books: settlement moves closed hours into records, the audit checks what is stored. Records can be added and
 * read; no principal can update or delete one, and the audit finds the amounts of one that was put over another.
 */
export class Books extends Construct {
  readonly settlement: HourlyWork;
  readonly audit: HourlyWork;

  constructor(scope: Construct, id: string, { config, tables, layer, evidence, heads }: BooksProps) {
    super(scope, id);
    const common = {
      settings: toStageSettings(config),
      layer,
      logs: config.logs,
      environment: tables.environment,
    };
    const { accounts, lanes, unsettled, ledger } = tables;

    this.settlement = new HourlyWork(this, 'Settlement', {
      ...common,
      name: 'settlement',
      description: 'Settles closed hours',
      environment: { ...common.environment, ...evidence.environment, ...heads.environment },
    });
    this.settlement.service.allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], [accounts.tableArn]);
    this.settlement.service.allow(['dynamodb:Query'], [lanes.tableArn]);
    this.settlement.service.allow(['dynamodb:DeleteItem', 'dynamodb:Query'], [unsettled.tableArn]);
    this.settlement.service.allow(['dynamodb:GetItem', 'dynamodb:Query'], [ledger.tableArn]);
    // What bills are held to is the operator's to put.
    this.settlement.service.allow(['dynamodb:PutItem'], [ledger.tableArn], {
      'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': [PRICES_PARTITION] },
    });
    // Of that table it puts nothing on the work list itself.
    this.settlement.service.allow(['dynamodb:PutItem'], [unsettled.tableArn], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [...UNSEALED_SLOTS] },
    });
    evidence.allowKeeping(this.settlement.service);
    evidence.allowLooking(this.settlement.service, ['s3:GetObject']);
    heads.allowReading(this.settlement.service);

    this.audit = new HourlyWork(this, 'Audit', {
      ...common,
      name: 'audit',
      description: 'Audits the books',
    });
    this.audit.service.allow(['dynamodb:GetItem'], [accounts.tableArn, unsettled.tableArn]);
    this.audit.service.allow(['dynamodb:Query'], [lanes.tableArn, ledger.tableArn]);
  }
}
