import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { withRetry } from '../../../lambdas/shared/runtime/with-retry.ts';
import { AwsRefusal, connectAws } from '../stage/ask-aws.ts';
import { describeStack } from '../stage/stack.ts';
import { type GatewayOutputs, gatewayOutputs } from './gateway-outputs.ts';

/** Where AWS does not answer. */
const RETRY = { pausesMs: [200, 1_000], isRetryable: (error: unknown) => !(error instanceof AwsRefusal) };

/** A stack in AWS, and how its services are reached: as the SDK finds region and credentials on this machine. */
export interface DeployedStack {
  readonly outputs: GatewayOutputs;
  readonly clientConfig: Required<Omit<ClientConfig, 'endpoint'>>;
}

/** Reads the outputs of a stack in AWS. Rejects with {@link InputError} if there is no such stack. */
export async function readStack(stack: string, asked: string | undefined): Promise<DeployedStack> {
  // It sends nothing: it knows where the SDK looks for region and credentials.
  const { config } = new DynamoDBClient(asked === undefined ? {} : { region: asked });
  const region = await config.region().catch(() => {
    throw new InputError('no region: give --region, or set AWS_REGION');
  });
  const clientConfig = { region, credentials: config.credentials };
  const place = { ask: connectAws(clientConfig), region };
  const found = await withRetry(() => describeStack(place, stack), RETRY);
  if (found === undefined) throw new InputError(`there is no stack ${stack} in ${region}`);
  return { outputs: gatewayOutputs(found.outputs, `stack ${stack}`), clientConfig };
}
