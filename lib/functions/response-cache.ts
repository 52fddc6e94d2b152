import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { CACHE_TABLE_SHAPE } from '../../lambdas/shared/aws/cache-table.ts';
import { CACHE_TABLE_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import type { ServiceFunction } from './service-function.ts';

/** The table of answers that all instances share. It holds what nodes can always answer again, so nothing keeps it. */
export class ResponseCache extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new Table(this, 'Answers', {
      partitionKey: { name: CACHE_TABLE_SHAPE.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: CACHE_TABLE_SHAPE.expiry,
      billingMode: BillingMode.PAY_PER_REQUEST,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** Lets a function read and keep answers, and draw waiting time, and tells it where. */
  serve(service: ServiceFunction): void {
    this.#allow(service, ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:UpdateItem']);
  }

  /** Lets a function draw time that its instances share, and tells it where. */
  hold(service: ServiceFunction): void {
    this.#allow(service, ['dynamodb:UpdateItem']);
  }

  #allow(service: ServiceFunction, actions: readonly string[]): void {
    service.allow([...actions], [this.table.tableArn]);
    service.lambda.addEnvironment(CACHE_TABLE_VARIABLE, this.table.tableName);
  }
}
