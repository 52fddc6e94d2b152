import { RemovalPolicy } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { CapacityProvider, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import {
  INSTANCE_WORKERS_VARIABLE,
  REQUESTS_PER_ENVIRONMENT_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import { REQUESTS_PER_SHARED_ENVIRONMENT, SHARED_ENVIRONMENT_VARIABLES } from '../config/function-config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { ARCHITECTURE } from './access-layer.ts';

/** Each has a NAT of its own: a zone that is lost takes no other with it. */
const AVAILABILITY_ZONES = 2;
const MB_PER_GIB = 1_024;
/** Least and most processors that Lambda takes as the bound of a capacity provider. */
const MIN_PROVIDER_CPUS = 12;
const MAX_PROVIDER_CPUS = 15_000;
/** A release runs the environments of two versions. */
const VERSIONS_AT_A_TIME = 2;

/** Environments of a function. */
export interface EnvironmentBounds {
  /** So many always run, of each version that is published. */
  readonly min: number;
  readonly max: number;
}

interface InstancesProps {
  readonly logs: StageConfig['logs'];
}

/**
 * Where functions run that take many requests in one environment: instances of the account that Lambda starts, in a
 * network that lets nothing in. Nodes are on the internet, so there is a way out; the tables are reached beside it.
 */
export class Instances extends Construct {
  readonly #vpc: Vpc;
  readonly #closed: SecurityGroup;

  constructor(scope: Construct, id: string, { logs }: InstancesProps) {
    super(scope, id);
    this.#vpc = new Vpc(this, 'Network', {
      maxAzs: AVAILABILITY_ZONES,
      natGateways: AVAILABILITY_ZONES,
      subnetConfiguration: [
        // Nothing but the NATs is here.
        { name: 'Way', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'Functions', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      ],
      // A gigabyte through a NAT has a price; through these it has none.
      gatewayEndpoints: {
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        S3: { service: GatewayVpcEndpointAwsService.S3 },
      },
    });
    this.#vpc.addFlowLog('Refused', {
      trafficType: FlowLogTrafficType.REJECT,
      destination: FlowLogDestination.toCloudWatchLogs(
        new LogGroup(this, 'RefusedLog', {
          retention: logs.retentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      ),
    });
    this.#closed = new SecurityGroup(this, 'Closed', {
      vpc: this.#vpc,
      description: 'Lets nothing in, and TCP out: the ports of nodes are known by their secrets alone',
      allowAllOutbound: false,
    });
    this.#closed.addEgressRule(Peer.anyIpv4(), Port.allTcp());
  }

  /**
   * Runs a function here, in a capacity provider of its own: within one there is no boundary that keeps the rights of a
   * function from another.
   * @returns the name of the provider
   */
  host(id: string, lambda: LambdaFunction, memoryMb: number, { max }: EnvironmentBounds): string {
    const subnets = this.#vpc.privateSubnets;
    const provider = new CapacityProvider(this, id, {
      subnets,
      securityGroups: [this.#closed],
      architectures: [ARCHITECTURE],
      maxVCpuCount: Math.min(Math.max(VERSIONS_AT_A_TIME * max, MIN_PROVIDER_CPUS), MAX_PROVIDER_CPUS),
    });
    // The first environments start as soon as there is a provider, and need the way out.
    for (const { internetConnectivityEstablished } of subnets)
      provider.node.addDependency(internetConnectivityEstablished);
    provider.addFunction(lambda, {
      perExecutionEnvironmentMaxConcurrency: REQUESTS_PER_SHARED_ENVIRONMENT,
      // One processor: a process uses no more.
      executionEnvironmentMemoryGiBPerVCpu: memoryMb / MB_PER_GIB,
      // It is not called, and its environments would cost as much as those of the version that is called.
      publishToLatestPublished: false,
    });
    lambda.addEnvironment(REQUESTS_PER_ENVIRONMENT_VARIABLE, String(REQUESTS_PER_SHARED_ENVIRONMENT));
    lambda.addEnvironment(INSTANCE_WORKERS_VARIABLE, '1');
    for (const [name, value] of Object.entries(SHARED_ENVIRONMENT_VARIABLES))
      lambda.addEnvironment(name, value);
    return provider.capacityProviderName;
  }
}
