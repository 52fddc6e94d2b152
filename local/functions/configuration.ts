import { join } from 'node:path';
import { INSTANCE_WORKERS_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import type { Resolver } from '../template/intrinsics.ts';
import {
  assetFolder,
  isTemplateObject,
  objectAt,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';
import { publishedVersion, versionOf } from './called-function.ts';

/** The only runtime that a local run offers: the one that this process runs on. */
const SUPPORTED_RUNTIME = 'nodejs24.x';
/** Name of a function's version that is not published. */
const LATEST_VERSION = '$LATEST';
/** Threads of an environment on instances that a local run starts. */
const LOCAL_WORKERS = 1;
/** Defaults of Lambda where the template says nothing. */
const DEFAULT_MEMORY_MB = 128;
const DEFAULT_TIMEOUT_SECONDS = 3;

/** A Lambda function, as its template describes it. */
export interface FunctionConfiguration {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** Number of its version, or `$LATEST`. */
  readonly version: string;
  /** Module path without extension and the exported name, such as `index.handler`. */
  readonly handler: string;
  readonly runtime: string;
  readonly codeFolder: string;
  /** `nodejs/node_modules` folders of the layers, in order. */
  readonly moduleFolders: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** Concurrent invocations that are reserved and so the most there can be; undefined: not limited. */
  readonly reservedConcurrency: number | undefined;
  /** Absent: an environment has one invocation at a time. */
  readonly instances: InstanceSettings | undefined;
}

/** How a function runs on instances. */
interface InstanceSettings {
  readonly requestsPerEnvironment: number;
  /** Environments that its version may have; undefined: not limited. */
  readonly maxEnvironments: number | undefined;
}

/** Reads every function of a template. */
export function readFunctions(
  template: Template,
  resolve: Resolver,
): ReadonlyMap<string, FunctionConfiguration> {
  const functions = resourcesOfType(template, 'AWS::Lambda::Function');
  return new Map(
    functions.map((resource) => [resource.logicalId, readFunction(template, resource, resolve)]),
  );
}

function readFunction(
  template: Template,
  resource: TemplateResource,
  resolve: Resolver,
): FunctionConfiguration {
  const { Handler, MemorySize, ReservedConcurrentExecutions, Runtime, Timeout } = resource.properties;
  if (Runtime !== SUPPORTED_RUNTIME) throw unsupported(resource, `Runtime ${String(Runtime)}`);
  const variables = variablesOf(resource, resolve);
  return {
    logicalId: resource.logicalId,
    name: String(resolve({ Ref: resource.logicalId })),
    arn: String(resolve({ 'Fn::GetAtt': [resource.logicalId, 'Arn'] })),
    version: publishedVersion(template, resolve, resource) ?? LATEST_VERSION,
    handler: String(Handler),
    runtime: Runtime,
    codeFolder: assetFolder(template, resource),
    moduleFolders: layersOf(template, resource).map((layer) =>
      join(assetFolder(template, layer), 'nodejs', 'node_modules'),
    ),
    variables,
    memoryMb: Number(MemorySize ?? DEFAULT_MEMORY_MB),
    timeoutMs: Number(Timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
    reservedConcurrency:
      ReservedConcurrentExecutions === undefined ? undefined : Number(ReservedConcurrentExecutions),
    instances: instancesOf(template, resource, resolve, variables),
  };
}

function instancesOf(
  template: Template,
  resource: TemplateResource,
  resolve: Resolver,
  variables: Readonly<Record<string, string>>,
): InstanceSettings | undefined {
  const { CapacityProviderConfig } = resource.properties;
  if (CapacityProviderConfig === undefined) return undefined;
  const config = objectAt(CapacityProviderConfig, 'LambdaManagedInstancesCapacityProviderConfig');
  const requests = Number(config.PerExecutionEnvironmentMaxConcurrency);
  if (!(requests >= 1)) throw unsupported(resource, 'a capacity provider without a number of requests');
  if (variables[INSTANCE_WORKERS_VARIABLE] !== String(LOCAL_WORKERS))
    throw unsupported(resource, `${INSTANCE_WORKERS_VARIABLE} other than ${LOCAL_WORKERS}`);
  const version = versionOf(template, resolve, resource);
  const scaling = version?.properties.FunctionScalingConfig;
  const max = isTemplateObject(scaling) ? scaling.MaxExecutionEnvironments : undefined;
  return {
    requestsPerEnvironment: requests,
    maxEnvironments: max === undefined ? undefined : Number(max),
  };
}

function layersOf(template: Template, resource: TemplateResource): readonly TemplateResource[] {
  const layers = resource.properties.Layers ?? [];
  if (!Array.isArray(layers)) throw unsupported(resource, 'Layers that is not a list');
  return layers.map((reference) => {
    const layer = isTemplateObject(reference) ? template.resources.get(String(reference.Ref)) : undefined;
    if (layer?.type !== 'AWS::Lambda::LayerVersion') throw unsupported(resource, 'a layer of another stack');
    return layer;
  });
}

function variablesOf(resource: TemplateResource, resolve: Resolver): Readonly<Record<string, string>> {
  const environment = resolve(resource.properties.Environment ?? {});
  if (!isTemplateObject(environment)) throw unsupported(resource, 'Environment that is not an object');
  refuseUnknown(resource, 'Environment', environment, ['Variables']);
  const variables = isTemplateObject(environment.Variables) ? environment.Variables : {};
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}
