import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  ANCHOR_KEY_PREFIX,
  CACHE_TABLE_SHAPE,
  GIVEN_KEY_PREFIX,
  HEAD_KEY_PREFIX,
  HISTORY_KEY_PREFIX,
  PROOFS_KEY_PREFIX,
  REFUSED_KEY_PREFIX,
  RESULT_KEY_PREFIX,
  SHARED_KEY_PREFIX,
  VERSION_KEY_PREFIX,
  WAITING_KEY_PREFIX,
} from '../../lambdas/shared/aws/cache-table.ts';
import { CACHE_TABLE_VARIABLE, REFUSALS_TABLE_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import type { Service } from './service-function.ts';

/** The table of responses that all instances share. It holds what nodes can always answer again, so nothing keeps it. */
export class SharedResponses extends Construct {
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

  /**
   * Lets a function keep responses, what nodes prove, heads that keys got and views of chains, draw waiting time and count what the
   * bounds of keys refuse; tells it where. What is indexed of a chain it can neither read nor change.
   * @param readsRefusals whether it also tells what was refused: by the same statement, as a policy has little room
   */
  serve(service: Service, { readsRefusals = false } = {}): void {
    const kept = [
      RESULT_KEY_PREFIX,
      VERSION_KEY_PREFIX,
      ANCHOR_KEY_PREFIX,
      PROOFS_KEY_PREFIX,
      GIVEN_KEY_PREFIX,
      ...(readsRefusals ? [REFUSED_KEY_PREFIX] : []),
    ];
    this.#allow(service, ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem'], kept);
    this.#change(service, [WAITING_KEY_PREFIX, GIVEN_KEY_PREFIX, SHARED_KEY_PREFIX]);
  }

  /**
   * Lets a function draw time that its instances share, share what is known of nodes and count refusals, and write no response;
   * tells it where.
   */
  hold(service: Service): void {
    this.#change(service, [WAITING_KEY_PREFIX, SHARED_KEY_PREFIX]);
  }

  /** Lets a function read which upstreams an operator holds; tells it where. */
  watch(service: Service): void {
    this.#allow(service, ['dynamodb:GetItem'], [SHARED_KEY_PREFIX]);
    service.addEnvironment(CACHE_TABLE_VARIABLE, this.table.tableName);
  }

  /** Lets a function keep on record what is indexed of one chain, and change nothing of another; it is told elsewhere where. */
  keepRecords(service: Service, chain: string): void {
    service.allow(['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem'], [this.table.tableArn], {
      'ForAllValues:StringEquals': {
        'dynamodb:LeadingKeys': [HEAD_KEY_PREFIX + chain, HISTORY_KEY_PREFIX + chain],
      },
    });
  }

  /** Lets a function read what is indexed of all chains, and what their nodes prove; tells it where. */
  tellRecords(service: Service): void {
    this.#allow(service, ['dynamodb:BatchGetItem'], [HEAD_KEY_PREFIX, HISTORY_KEY_PREFIX, PROOFS_KEY_PREFIX]);
    service.addEnvironment(CACHE_TABLE_VARIABLE, this.table.tableName);
  }

  /** Lets a function count what the bounds of keys refuse, and read it; tells it where. */
  tellRefusals(service: Service): void {
    this.#count(service, ['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'], []);
  }

  #change(service: Service, prefixes: readonly string[]): void {
    this.#count(service, ['dynamodb:GetItem', 'dynamodb:UpdateItem'], prefixes);
    service.addEnvironment(CACHE_TABLE_VARIABLE, this.table.tableName);
  }

  /** Lets a function change counts of refusals and items whose keys begin as one of some others: one statement, as a policy has little room. */
  #count(service: Service, actions: readonly string[], prefixes: readonly string[]): void {
    this.#allow(service, actions, [...prefixes, REFUSED_KEY_PREFIX]);
    service.addEnvironment(REFUSALS_TABLE_VARIABLE, this.table.tableName);
  }

  /** Lets a function do something with items whose keys begin so, and with no others. */
  #allow(service: Service, actions: readonly string[], prefixes: readonly string[]): void {
    service.allow([...actions], [this.table.tableArn], {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`) },
    });
  }
}
