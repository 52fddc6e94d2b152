import type { Resolver } from '../template/intrinsics.ts';
import {
  assetFolderOf,
  isTemplateObject,
  objectAt,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';
import { SUPPORTED_RUNTIME } from './configuration.ts';

/** Defaults of Lambda where the template says nothing. */
const DEFAULT_TIMEOUT_SECONDS = 30;
const DEFAULT_REQUESTS = 64;

/** A web function, as its template describes it: the one revision of its endpoint. */
export interface WebConfiguration {
  /** Logical id of its endpoint. */
  readonly logicalId: string;
  readonly name: string;
  readonly endpointName: string;
  /** Name under which the endpoint is reached. */
  readonly domainName: string;
  readonly codeFolder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly requestsPerEnvironment: number;
  /** Undefined: not limited. */
  readonly maxEnvironments: number | undefined;
  readonly timeoutMs: number;
}

/** Reads every endpoint of web functions in a template. A local run begins with a template, and so has one revision of each. */
export function readWebFunctions(template: Template, resolve: Resolver): readonly WebConfiguration[] {
  return resourcesOfType(template, 'AWS::Lambda::WebFunctionEndpoint').map((endpoint) => {
    const name = String(resolve(endpoint.properties.FunctionName));
    const revision = resourcesOfType(template, 'AWS::Lambda::WebFunctionRevision').find(
      ({ properties }) => resolve(properties.FunctionName) === name,
    );
    if (revision === undefined) throw unsupported(endpoint, 'an endpoint without a revision');
    return readEndpoint(template, resolve, endpoint, { name, revision });
  });
}

function readEndpoint(
  template: Template,
  resolve: Resolver,
  endpoint: TemplateResource,
  { name, revision }: { readonly name: string; readonly revision: TemplateResource },
): WebConfiguration {
  const { AuthType, EndpointName, ScalingConfig } = endpoint.properties;
  if (AuthType !== 'ApplicationManaged') throw unsupported(endpoint, `AuthType ${String(AuthType)}`);
  const scaling = isTemplateObject(ScalingConfig) ? ScalingConfig : {};
  refuseUnknown(endpoint, 'ScalingConfig', scaling, ['MaxEnvironments']);
  const service = objectAt(revision.properties, 'ServiceConfig');
  refuseUnknown(revision, 'ServiceConfig', service, [
    'EnvironmentVariables',
    'ExecutionRoleArn',
    'MaxConcurrencyPerEnvironment',
    'TelemetryConfig',
    'TimeoutSeconds',
  ]);
  const variables = resolve(service.EnvironmentVariables ?? {}) as Record<string, unknown>;
  return {
    logicalId: endpoint.logicalId,
    name,
    endpointName: String(EndpointName),
    domainName: String(resolve({ 'Fn::GetAtt': [endpoint.logicalId, 'DomainName'] })),
    codeFolder: codeOf(template, revision),
    variables: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    requestsPerEnvironment: Number(service.MaxConcurrencyPerEnvironment ?? DEFAULT_REQUESTS),
    maxEnvironments: scaling.MaxEnvironments === undefined ? undefined : Number(scaling.MaxEnvironments),
    timeoutMs: Number(service.TimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
  };
}

function codeOf(template: Template, revision: TemplateResource): string {
  const build = objectAt(revision.properties, 'BuildConfig');
  const { Runtime } = objectAt(build, 'RuntimeConfig');
  if (Runtime !== SUPPORTED_RUNTIME) throw unsupported(revision, `Runtime ${String(Runtime)}`);
  const object = objectAt(objectAt(build, 'CodeConfig'), 'S3Object');
  refuseUnknown(revision, 'S3Object', object, ['Bucket', 'Key']);
  return assetFolderOf(template, revision, object.Key);
}
