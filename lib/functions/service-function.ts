import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type Conditions, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  ApplicationLogLevel,
  CfnFunction,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { METRIC_NAMESPACE_VARIABLE, metricNamespace } from '../../lambdas/shared/runtime/metrics.ts';
import type { StageSettings } from '../../lambdas/shared/runtime/settings.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { type AccessLayer, ARCHITECTURE, RUNTIME } from './access-layer.ts';
import { bundleFunction } from './bundle.ts';
import type { EnvironmentBounds, Instances } from './instances.ts';

/** Name under which a function is called that has versions. */
const LIVE_ALIAS = 'live';

export interface FunctionSize {
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Time that the function may run on when its caller has stopped waiting, in seconds. @default 0 */
  readonly marginSeconds?: number;
  /** @default - what the account has free */
  readonly reservedConcurrency?: number | undefined;
  /** Environments of a function on instances. @default - an environment for each request that is under way */
  readonly environments?: EnvironmentBounds | undefined;
}

/** Where a function on instances runs. */
interface OnInstances {
  readonly providerName: string;
  readonly environments: EnvironmentBounds;
}

/** Properties of every function, whatever hosts it. */
interface ServiceProps {
  /** Folder under `lambdas/`. */
  readonly name: string;
  readonly size: FunctionSize;
  readonly settings: StageSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly logs: StageConfig['logs'];
}

/** A function, whatever hosts it. */
export interface Service {
  readonly name: string;
  readonly logGroup: ILogGroup;
  addEnvironment(name: string, value: string): void;
  /** Lets the function do these actions on these resources, of requests that meet the conditions. */
  allow(actions: readonly string[], resources: readonly string[], conditions?: Conditions): void;
}

export interface ServiceFunctionProps extends ServiceProps {
  readonly description: string;
  readonly layer: AccessLayer;
  /** Whether it sends to the queue that calls it: Lambda stops one that does so unannounced after some 16 rounds. */
  readonly sendsToItself?: boolean;
  /** Files of the bundle, by path, that the function reads as it starts. @default - none */
  readonly files?: Readonly<Record<string, string>>;
  /** Where it runs if its size has environments. @default - wherever Lambda likes */
  readonly instances?: Instances | undefined;
}

/**
 * One function with a role and a log group of its own. It may write its log, and beside that
 * exactly what {@link ServiceFunction.allow} names.
 */
export class ServiceFunction extends Construct implements Service {
  readonly lambda: LambdaFunction;
  /** Folder of its code under `lambdas/`. */
  readonly name: string;
  /** Absent: it is an event function. */
  readonly onInstances: OnInstances | undefined;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    this.name = props.name;
    const { environments, memoryMb } = props.size;
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: bundleFunction(props.name, props.settings, props.files),
      handler: 'index.handler',
      runtime: RUNTIME,
      architecture: ARCHITECTURE,
      layers: [props.layer.version],
      memorySize: memoryMb,
      timeout: Duration.seconds(props.size.timeoutSeconds + (props.size.marginSeconds ?? 0)),
      ...(props.sendsToItself === true && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.size.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.size.reservedConcurrency }),
      environment: {
        ...props.environment,
        [METRIC_NAMESPACE_VARIABLE]: metricNamespace(props.settings.stage),
      },
      // The version before is what a release goes back to: the guide deletes old ones. One that did not pass
      // its canary goes with its deployment.
      currentVersionOptions: {
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        ...(environments !== undefined && {
          minExecutionEnvironments: environments.min,
          maxExecutionEnvironments: environments.max,
        }),
      },
      role,
      logGroup,
      // Its own lines are JSON already, and are taken as they are. Of Lambda's, those of runs that went well are left out:
      // they would be a third of the log. Runs that fail, are cut short, or do not start are logged.
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    if (environments !== undefined && props.instances !== undefined) {
      const providerName = props.instances.host(id, this.lambda, memoryMb, environments);
      this.onInstances = { providerName, environments };
    }
  }

  get logGroup(): ILogGroup {
    return this.lambda.logGroup;
  }

  addEnvironment(name: string, value: string): void {
    this.lambda.addEnvironment(name, value);
  }

  /**
   * The version of this deployment, under the name by which it is called: callers see a new one only when that moves.
   * @param provisionedConcurrency instances that are kept started; absent: none
   */
  publish(provisionedConcurrency: number | undefined): Alias {
    return new Alias(this, 'Live', {
      aliasName: LIVE_ALIAS,
      version: this.lambda.currentVersion,
      ...(provisionedConcurrency !== undefined && {
        provisionedConcurrentExecutions: provisionedConcurrency,
      }),
    });
  }

  /**
   * What Lambda measures of the environments of the version of this deployment, every five minutes: the most in any;
   * undefined: it is an event function.
   */
  environmentMetric(
    metricName: 'ExecutionEnvironmentConcurrency' | 'ExecutionEnvironmentCPUUtilization',
    options: MetricOptions,
  ): Metric | undefined {
    if (this.onInstances === undefined) return undefined;
    const { functionName, currentVersion } = this.lambda;
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: {
        CapacityProviderName: this.onInstances.providerName,
        FunctionName: functionName,
        Resource: `${functionName}:${currentVersion.version}`,
      },
      statistic: Stats.MAXIMUM,
      ...options,
    });
  }

  /**
   * Keeps events that the function fails on. A rule's own dead letters are events that did not reach the function.
   */
  keepFailedEvents(deadLetters: IQueue): void {
    const resource = this.lambda.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error('a function has no resource');
    resource.deadLetterConfig = { targetArn: deadLetters.queueArn };
    this.allow(['sqs:SendMessage'], [deadLetters.queueArn]);
  }

  allow(actions: readonly string[], resources: readonly string[], conditions: Conditions = {}): void {
    this.lambda.addToRolePolicy(
      new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }),
    );
  }
}
