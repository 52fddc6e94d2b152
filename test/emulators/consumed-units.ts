import { ConditionalCheckFailedException, type ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { connectItems } from '../../lambdas/shared/aws/dynamo-items.ts';

/** What one request to DynamoDB consumed of one table, as DynamoDB told it. */
export interface ConsumedUnits {
  /** Physical name. */
  readonly table: string | undefined;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/**
 * Connects to DynamoDB and tells what each request consumed. DynamoDB does not say what a refused write consumed (at
 * least one unit): it is told as one write unit.
 */
export function connectCounted(tell: (units: ConsumedUnits) => void): typeof connectItems {
  return (options) => {
    const send = connectItems(options);
    return async (operation, input, timeoutMs) => {
      const isRead = /^(Get|Query)/.test(operation);
      try {
        const output = await send(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' }, timeoutMs);
        for (const { TableName: table, CapacityUnits: units = 0 } of capacities(output)) {
          tell({ table, readUnits: isRead ? units : 0, writeUnits: isRead ? 0 : units });
        }
        return output;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) {
          tell({ table: tableOf(input), readUnits: 0, writeUnits: 1 });
        }
        throw error;
      }
    };
  };
}

function capacities(output: object): readonly ConsumedCapacity[] {
  const told = 'ConsumedCapacity' in output ? output.ConsumedCapacity : [];
  return (Array.isArray(told) ? told : [told]) as readonly ConsumedCapacity[];
}

function tableOf(input: object): string | undefined {
  return 'TableName' in input ? String(input.TableName) : undefined;
}
