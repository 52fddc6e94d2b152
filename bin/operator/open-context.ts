import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createDynamoStore } from '../../lambdas/access/dynamo-store.ts';
import { systemClock } from '../../lambdas/clock.ts';
import type { Context } from './command.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';
import { readLocalGateway } from './local-gateway.ts';
import type { Place } from './parse-invocation.ts';
import { readStackOutputs } from './stack-outputs.ts';

/** An operator may be far from the region, and waits for an answer sooner than for a refusal. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Opens the gateway of a local run or of a stack. Rejects with InputError if there is none. */
export async function openContext(place: Place): Promise<Context> {
  if ('dataDir' in place) {
    const { outputs, clientConfig } = await readLocalGateway(place.dataDir);
    return contextOf(outputs, clientConfig);
  }
  const { stack, region } = place;
  return contextOf(await readStackOutputs(stack, region), region === undefined ? {} : { region });
}

function contextOf(outputs: GatewayOutputs, clientConfig: DynamoDBClientConfig): Context {
  const { tableNames, plans, defaultPlan } = outputs;
  const store = createDynamoStore({
    tableNames,
    clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  return { store, clock: systemClock, plans, defaultPlan };
}
