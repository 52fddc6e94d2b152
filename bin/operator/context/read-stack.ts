import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { type GatewayOutputs, gatewayOutputs } from './gateway-outputs.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** What the SDK says where neither the environment nor a profile names a region. */
const NO_REGION = 'Region is missing';

/** A stack in AWS, and how its services are reached: as the SDK finds region and credentials on this machine. */
export interface DeployedStack {
  readonly outputs: GatewayOutputs;
  readonly clientConfig: Required<Omit<ClientConfig, 'endpoint'>>;
}

/** Reads the outputs of a stack in AWS. Rejects with {@link InputError} if there is no such stack. */
export async function readStack(stack: string, region: string | undefined): Promise<DeployedStack> {
  const client = new CloudFormationClient({
    ...(region !== undefined && { region }),
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS },
  });
  const description = await client
    .send(new DescribeStacksCommand({ StackName: stack }), {
      abortSignal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    .catch((error: Error) => {
      if (error.name === 'ValidationError') throw new InputError(error.message);
      if (error.message === NO_REGION) throw new InputError('no region: give --region, or set AWS_REGION');
      throw error;
    });
  const outputs = description.Stacks?.[0]?.Outputs ?? [];
  const named = Object.fromEntries(
    outputs.map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]),
  );
  return {
    outputs: gatewayOutputs(named, `stack ${stack}`),
    clientConfig: { region: await client.config.region(), credentials: client.config.credentials },
  };
}
