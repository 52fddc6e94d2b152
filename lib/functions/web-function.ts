import { createHash } from 'node:crypto';
import {
  CfnCondition,
  CfnDeletionPolicy,
  CfnParameter,
  Fn,
  type IResolvable,
  Lazy,
  RemovalPolicy,
  Stack,
} from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type Conditions, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnWebFunction, CfnWebFunctionEndpoint, CfnWebFunctionRevision } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import {
  FRONT_SECRET_VARIABLE,
  REQUEST_TIMEOUT_VARIABLE,
  REQUESTS_PER_ENVIRONMENT_VARIABLE,
  REVISION_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import {
  FRONT_SECRET_FIELDS,
  type FrontSecretField,
  REQUESTS_PER_SHARED_ENVIRONMENT,
  SHARED_ENVIRONMENT_NODE_OPTIONS,
} from '../config/function-config.ts';
import { RUNTIME } from './access-layer.ts';
import { bundleWebFunction } from './bundle.ts';
import { type FunctionSize, metricEnvironment, type Service, type ServiceProps } from './service-function.ts';
import { NO_REVISION, WEIGHT_PARAMETERS } from './web-weights.ts';

/** Name of the one endpoint of a web function. */
export const WEB_ENDPOINT = 'prod';
const SECRET_CHARACTERS = 48;
/** The secret travels in a header, between the quotes of a mapping: letters and digits alone. */
const NOT_IN_SECRETS = ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
/** Letters of the name of a revision. */
const REVISION_CHARACTERS = 12;
const MILLISECONDS = 1_000;
const ALL = 100;

export interface WebFunctionProps extends ServiceProps {
  readonly size: FunctionSize;
  /** Field of the secret that API Gateway sends. */
  readonly frontSecret: FrontSecretField;
  /** Whether a new revision gets requests only when an operator says so. */
  readonly canary: boolean;
}

/**
 * The JSON-RPC function as a server that Lambda runs, behind an endpoint of its own. The endpoint is public: API Gateway proves
 * itself by a secret. Beside its log it may do exactly what {@link WebFunction.allow} names.
 */
export class WebFunction extends Construct implements Service {
  readonly name: string;
  readonly logGroup: LogGroup;
  readonly secret: Secret;
  /** Field of the secret that API Gateway sends. */
  readonly frontSecret: FrontSecretField;
  readonly functionName: string;
  /** URL of the endpoint, with a slash at its end. */
  readonly url: string;
  /** Name of the revision of this template, by which its figures are told from those of others. */
  readonly revision: string;
  /** Id that Lambda gives to it. */
  readonly revisionId: string;
  readonly onInstances: undefined;
  readonly #role: Role;
  readonly #environment: Record<string, string>;

  constructor(scope: Construct, id: string, props: WebFunctionProps) {
    super(scope, id);
    const { size, settings, logs, frontSecret } = props;
    this.name = props.name;
    this.frontSecret = frontSecret;
    // The name is unique in all regions of an account.
    this.functionName = `gateway-${settings.stage}-${props.name}-${Stack.of(this).region}`;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.#role);
    this.secret = new Secret(this, 'FrontSecret', {
      description: `Proves API Gateway to the web function, stage ${settings.stage}`,
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ [FRONT_SECRET_FIELDS[1]]: '' }),
        generateStringKey: FRONT_SECRET_FIELDS[0],
        passwordLength: SECRET_CHARACTERS,
        excludeCharacters: NOT_IN_SECRETS,
      },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    const timeoutSeconds = size.timeoutSeconds + (size.marginSeconds ?? 0);
    this.#environment = {
      ...props.environment,
      ...metricEnvironment(settings),
      [FRONT_SECRET_VARIABLE]: this.secret.secretArn,
      [REQUEST_TIMEOUT_VARIABLE]: String(timeoutSeconds * MILLISECONDS),
      [REQUESTS_PER_ENVIRONMENT_VARIABLE]: String(REQUESTS_PER_SHARED_ENVIRONMENT),
      NODE_OPTIONS: SHARED_ENVIRONMENT_NODE_OPTIONS,
    };
    const container = new CfnWebFunction(this, 'Function', { functionName: this.functionName });
    const { s3Location } = bundleWebFunction(settings).bind(this);
    if (s3Location === undefined) throw new Error('a bundle is not in a bucket');
    const { bucketName: bucket, objectKey: key } = s3Location;
    const stack = Stack.of(this);
    this.revision = Lazy.string({
      produce: () => revisionName([key, timeoutSeconds, stack.resolve(this.#environment)]),
    });
    const revision = new CfnWebFunctionRevision(this, 'Revision', {
      functionName: this.functionName,
      description: this.revision,
      buildConfig: {
        codeConfig: { s3Object: { bucket, key } },
        runtimeConfig: { runtime: RUNTIME.name },
      },
      serviceConfig: {
        executionRoleArn: this.#role.roleArn,
        maxConcurrencyPerEnvironment: REQUESTS_PER_SHARED_ENVIRONMENT,
        timeoutSeconds,
        environmentVariables: Lazy.any({
          produce: () => ({ ...this.#environment, [REVISION_VARIABLE]: this.revision }),
        }),
        telemetryConfig: {
          loggingConfig: {
            logGroup: this.logGroup.logGroupName,
            applicationLogLevel: 'INFO',
            systemLogLevel: logs.runs ? 'INFO' : 'WARN',
          },
        },
      },
    });
    // The revision before is what a release goes back to.
    revision.cfnOptions.updateReplacePolicy = CfnDeletionPolicy.RETAIN;
    revision.cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
    revision.addResourceDependency(container);
    // A server that starts before it may do its work would fail its first requests.
    revision.node.addDependency(this.#role);
    this.revisionId = revision.attrRevisionId;
    const endpoint = new CfnWebFunctionEndpoint(this, 'Endpoint', {
      functionName: this.functionName,
      endpointName: WEB_ENDPOINT,
      endpointType: 'HomeRegion',
      // API Gateway cannot sign requests: the server looks at the secret instead.
      authType: 'ApplicationManaged',
      revisionWeights: props.canary
        ? this.#weights(this.revisionId)
        : [{ revisionId: this.revisionId, weight: ALL }],
      ...(size.environments !== undefined && {
        scalingConfig: { maxEnvironments: size.environments.max },
      }),
    });
    endpoint.addResourceDependency(revision);
    this.url = `https://${endpoint.attrDomainName}/`;
  }

  addEnvironment(name: string, value: string): void {
    this.#environment[name] = value;
  }

  allow(actions: readonly string[], resources: readonly string[], conditions: Conditions = {}): void {
    this.#role.addToPolicy(
      new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }),
    );
  }

  /** Responses of the endpoint that are 5xx: those of the function, and those that Lambda gives in its place. */
  metricServerErrors(options: MetricOptions = {}): Metric {
    return new Metric({
      namespace: 'AWS/Lambda/Web',
      metricName: 'HTTPResponseStatusClass5XX',
      dimensionsMap: { FunctionName: this.functionName, EndpointName: WEB_ENDPOINT },
      statistic: Stats.SUM,
      ...options,
    });
  }

  /**
   * Requests by the parameters of the stack. A weight of 0 is no weight, and a revision is not named twice: as long as there is
   * none before, the one of the template has all.
   */
  #weights(revisionId: string): IResolvable {
    const stack = Stack.of(this);
    const parameter = (name: keyof typeof WEIGHT_PARAMETERS, usual: string | number, description: string) => {
      const made = new CfnParameter(this, name, {
        type: typeof usual === 'number' ? 'Number' : 'String',
        default: usual,
        description,
        ...(typeof usual === 'number' && { minValue: 0, maxValue: ALL }),
      });
      made.overrideLogicalId(WEIGHT_PARAMETERS[name]);
      return made;
    };
    const before = parameter('before', NO_REVISION, 'Revision of the web function before this one');
    const weight = parameter('weight', ALL, 'Percent of the requests for the revision of this template');
    const beforeWeight = parameter('beforeWeight', ALL, 'Percent of the requests for the revision before');
    const isAll = new CfnCondition(this, 'IsAll', {
      expression: Fn.conditionOr(
        Fn.conditionEquals(before.valueAsString, NO_REVISION),
        Fn.conditionEquals(weight.valueAsString, String(ALL)),
      ),
    });
    const isNone = new CfnCondition(this, 'IsNone', {
      expression: Fn.conditionEquals(weight.valueAsString, '0'),
    });
    const ofNew = (of: number) => ({ RevisionId: revisionId, Weight: of });
    const ofBefore = (of: number) => ({ RevisionId: before.valueAsString, Weight: of });
    return stack.resolve(
      Fn.conditionIf(
        isAll.logicalId,
        [ofNew(ALL)],
        Fn.conditionIf(
          isNone.logicalId,
          [ofBefore(ALL)],
          [ofNew(weight.valueAsNumber), ofBefore(beforeWeight.valueAsNumber)],
        ),
      ),
    );
  }
}

/** A name that changes with everything that a revision is made of. */
function revisionName(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, REVISION_CHARACTERS);
}
