import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { InputError } from '../../lambdas/access/input-error.ts';
import { type GatewayOutputs, gatewayOutputs } from './gateway-outputs.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Reads the outputs of a stack in AWS. Rejects with {@link InputError} if there is no such stack. */
export async function readStackOutputs(stack: string, region: string | undefined): Promise<GatewayOutputs> {
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
      throw error;
    });
  const outputs = description.Stacks?.[0]?.Outputs ?? [];
  return gatewayOutputs(
    Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue])),
    `stack ${stack}`,
  );
}
