import { RemovalPolicy } from 'aws-cdk-lib';
import { type Attribute, AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  KEYS_BY_ACCOUNT_INDEX,
  TABLES,
  type Table as TableName,
  type TableShape,
} from '../../lambdas/access/store/tables.ts';
import {
  ACCOUNTS_TABLE_VARIABLE,
  BALANCES_TABLE_VARIABLE,
  KEYS_TABLE_VARIABLE,
  LANES_TABLE_VARIABLE,
  LEDGER_TABLE_VARIABLE,
  UNSETTLED_TABLE_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';

/**
 * Every action that changes or deletes an item, but PutItem: that is how records come to be, each under the condition
 * that it is new. That there is a condition is up to the code, as IAM has no way to ask for one.
 */
const CHANGES = [
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:PartiQLDelete',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:UpdateItem',
];

interface MeteringTablesProps {
  /** `retain` also protects the tables against deletion. */
  readonly removal: 'retain' | 'destroy';
  /** Writes per second that the tables with a write of each request take from the start. @default DynamoDB's own */
  readonly warmWritesPerSecond?: number | undefined;
}

/** The metering tables, in the shapes that the access layer uses. */
export class MeteringTables extends Construct implements Readonly<Record<TableName, Table>> {
  readonly keys: Table;
  readonly accounts: Table;
  readonly lanes: Table;
  readonly unsettled: Table;
  readonly balances: Table;
  readonly ledger: Table;
  /** Variables that tell a function the names of the tables. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { removal, warmWritesPerSecond }: MeteringTablesProps) {
    super(scope, id);
    this.keys = this.table('Keys', TABLES.keys, removal, warmWritesPerSecond);
    this.keys.addGlobalSecondaryIndex({
      indexName: KEYS_BY_ACCOUNT_INDEX.name,
      partitionKey: stringAttribute(KEYS_BY_ACCOUNT_INDEX.partitionKey),
      sortKey: stringAttribute(KEYS_BY_ACCOUNT_INDEX.sortKey),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...KEYS_BY_ACCOUNT_INDEX.attributes],
    });
    this.accounts = this.table('Accounts', TABLES.accounts, removal);
    this.lanes = this.table('Lanes', TABLES.lanes, removal, warmWritesPerSecond);
    this.unsettled = this.table('Unsettled', TABLES.unsettled, removal);
    this.balances = this.table('Balances', TABLES.balances, removal);
    this.ledger = this.table('Ledger', TABLES.ledger, removal);
    this.ledger.addToResourcePolicy(
      new PolicyStatement({
        sid: 'RecordsAreFinal',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: CHANGES,
        resources: ['*'],
      }),
    );
    this.environment = {
      [KEYS_TABLE_VARIABLE]: this.keys.tableName,
      [ACCOUNTS_TABLE_VARIABLE]: this.accounts.tableName,
      [LANES_TABLE_VARIABLE]: this.lanes.tableName,
      [UNSETTLED_TABLE_VARIABLE]: this.unsettled.tableName,
      [BALANCES_TABLE_VARIABLE]: this.balances.tableName,
      [LEDGER_TABLE_VARIABLE]: this.ledger.tableName,
    };
  }

  private table(
    id: string,
    shape: TableShape,
    removal: 'retain' | 'destroy',
    warmWritesPerSecond?: number,
  ): Table {
    return new Table(this, id, {
      partitionKey: stringAttribute(shape.partitionKey),
      ...(shape.sortKey === undefined ? {} : { sortKey: stringAttribute(shape.sortKey) }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(warmWritesPerSecond && { warmThroughput: { writeUnitsPerSecond: warmWritesPerSecond } }),
      ...(shape.expiry === undefined ? {} : { timeToLiveAttribute: shape.expiry }),
      // Encrypted with a key of DynamoDB's own: another one is asked for by each instance, at a price, and can fail.
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: removal === 'retain',
      removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

function stringAttribute(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}
