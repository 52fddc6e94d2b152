import { LOCAL_REGION } from '../template/intrinsics.ts';
import { COMPILE_CACHE_VARIABLE } from './compile-cache.ts';
import type { FunctionConfiguration } from './configuration.ts';

/** The services of AWS that functions call on this machine. */
export interface LocalServices {
  /** Their URLs by the SDK's service identifier, such as `dynamodb`, `sqs`, `rds_data`. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** The only access key that they know. */
  readonly accessKeyId: string;
}

/**
 * Everything that the process of a function sees: nothing of this process's own environment but `PATH` and `HOME`, and the folder of
 * compiled code, which the bootstrap hides from the function.
 */
export function environmentVariables(
  configuration: FunctionConfiguration,
  services: LocalServices,
): NodeJS.ProcessEnv {
  return {
    ...configuration.variables,
    ...runVariables(services),
    AWS_EXECUTION_ENV: `AWS_Lambda_${configuration.runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.memoryMb),
    AWS_LAMBDA_FUNCTION_NAME: configuration.name,
    AWS_LAMBDA_FUNCTION_VERSION: configuration.version,
    AWS_LAMBDA_INITIALIZATION_TYPE:
      configuration.instances === undefined ? 'on-demand' : 'lambda-managed-instances',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${configuration.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: configuration.codeFolder,
    NODE_PATH: configuration.moduleFolders.join(':'),
    _HANDLER: configuration.handler,
  };
}

/** The part of the run that every function's process sees: the addresses of its services, and its credentials there. */
function runVariables({ endpoints, accessKeyId }: LocalServices): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(
      Object.entries(endpoints).map(([service, url]) => [`AWS_ENDPOINT_URL_${service.toUpperCase()}`, url]),
    ),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_REGION: LOCAL_REGION,
    AWS_SECRET_ACCESS_KEY: 'local',
    [COMPILE_CACHE_VARIABLE]: process.env[COMPILE_CACHE_VARIABLE],
    HOME: process.env.HOME,
    PATH: process.env.PATH,
    TZ: 'UTC',
  };
}
