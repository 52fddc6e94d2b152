import type { Conditions } from 'aws-cdk-lib/aws-iam';
import { bucketUpdate, drawOf, FULL_BUCKET } from '../../lambdas/access/bucket/bucket.ts';
import { laneUpdate, markPut } from '../../lambdas/access/charge/lane.ts';
import { PRICES_PARTITION } from '../../lambdas/access/store/price-lists.ts';
import type { Update } from '../../lambdas/access/store/store.ts';
import { namedAttributes } from '../../lambdas/access/store/store.ts';
import type { Service } from '../functions/service-function.ts';
import type { LaneQueue } from './charge-queue.ts';
import type { MeteringTables } from './metering-tables.ts';

const LANE = { account: 'any', shard: 0, hour: '2026-01-01T00', lane: 'any' };
/** Writes as the access layer sends them; which attributes they name does not depend on their values. */
const DRAW = bucketUpdate(
  'any',
  drawOf(
    { bucketCapacity: 1, refillPerSecond: 1, requestsPerSecond: 1, cuPerDay: 1 },
    { cu: 1, requests: 1 },
    0,
  ),
  { bucket: FULL_BUCKET },
);
const LANE_WRITE = laneUpdate({ ...LANE, charges: 1, total: 1n, used: '' });
const MARK = markPut(LANE, 'any');

/** Rights to authenticate, admit and charge a request. Of a key, only its bucket can be written. */
export function allowMetering(service: Service, tables: MeteringTables, charges: LaneQueue): void {
  const read = [tables.keys, tables.accounts, tables.balances];
  service.allow(
    ['dynamodb:GetItem'],
    read.map(({ tableArn }) => tableArn),
  );
  service.allow(['dynamodb:UpdateItem'], [tables.keys.tableArn], onlyAttributesOf(DRAW));
  service.allow(['dynamodb:Query'], [tables.lanes.tableArn]);
  // Prices are worked out again by the lists of the ledger: of that table nothing else can be read.
  service.allow(['dynamodb:Query'], [tables.ledger.tableArn], {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [PRICES_PARTITION] },
  });
  allowStoringCharges(service, tables);
  service.allow(['sqs:SendMessage'], [charges.queue.queueArn]);
}

/** Rights to store a lane and its mark on the work list. */
export function allowStoringCharges(service: Service, { lanes, unsettled }: MeteringTables): void {
  service.allow(['dynamodb:UpdateItem'], [lanes.tableArn], onlyAttributesOf(LANE_WRITE));
  service.allow(['dynamodb:PutItem'], [unsettled.tableArn], onlyAttributes(Object.keys(MARK.item)));
}

function onlyAttributesOf(update: Update): Conditions {
  const keys = new Set(Object.keys(update.key));
  const named = namedAttributes(update);
  return onlyAttributes(
    named,
    named.filter((name) => !keys.has(name)),
  );
}

/**
 * Holds for a write that names these attributes of an item, at least one of `some`, and no other. DynamoDB counts what
 * stands in the key, in conditions and in changes alike. `ForAllValues` also holds where a request names nothing,
 * `ForAnyValue` does not.
 */
function onlyAttributes(all: readonly string[], some: readonly string[] = all): Conditions {
  return {
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': all },
    'ForAnyValue:StringEquals': { 'dynamodb:Attributes': some },
  };
}
