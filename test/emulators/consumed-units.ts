import { ConditionalCheckFailedException, type ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { connectDynamo } from '../../lambdas/shared/aws/dynamo-client.ts';

/** What one request to DynamoDB consumed of one table, as DynamoDB told it. */
export interface ConsumedUnits {
  /** Physical name. */
  readonly table: string | undefined;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/**
 * Connects to DynamoDB with clients that tell what each request consumed. DynamoDB does not say what a refused write
 * consumed (at least one unit): it is told as one write unit.
 */
export function connectCounted(tell: (units: ConsumedUnits) => void): typeof connectDynamo {
  return (options) => {
    const client = connectDynamo(options);
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const isRead = /^(Get|BatchGet|Query|Scan)/.test(commandName);
          const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input;
          try {
            const result = await next({ ...args, input });
            for (const { TableName: table, CapacityUnits: units = 0 } of capacities(result.output)) {
              tell({ table, readUnits: isRead ? units : 0, writeUnits: isRead ? 0 : units });
            }
            return result;
          } catch (error) {
            if (error instanceof ConditionalCheckFailedException) {
              tell({ table: tableOf(args.input), readUnits: 0, writeUnits: 1 });
            }
            throw error;
          }
        },
      { step: 'initialize' },
    );
    return client;
  };
}

function capacities(output: object): readonly ConsumedCapacity[] {
  const told = 'ConsumedCapacity' in output ? output.ConsumedCapacity : [];
  return (Array.isArray(told) ? told : [told]) as readonly ConsumedCapacity[];
}

function tableOf(input: object): string | undefined {
  return 'TableName' in input ? String(input.TableName) : undefined;
}
