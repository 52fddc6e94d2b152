import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { publicContract, readContract } from '../../api/contract.ts';
import { openRpcDocument } from '../../api/openrpc.ts';
import { describedFor, readDescription } from '../../api/read-description.ts';
import { CHARGE_QUEUE_URL_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { INTEGRATION_MARGIN_MS } from '../../lambdas/shared/runtime/integration-time.ts';
import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import { DESCRIPTION_FILES } from '../../lambdas/status/describe-interface.ts';
import { type HostedFunction, isOnInstances, toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { secretNames } from '../config/upstream-reference.ts';
import { AccessLayer } from '../functions/access-layer.ts';
import { keptText } from '../functions/bundle.ts';
import { EmbeddedUpstreams } from '../functions/embedded-upstreams.ts';
import type { Instances } from '../functions/instances.ts';
import { type Service, ServiceFunction } from '../functions/service-function.ts';
import type { LaneQueue } from '../metering/charge-queue.ts';
import { allowMetering, allowStoringCharges } from '../metering/metering-rights.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import type { RouteTarget } from './api-routes.ts';

/** Charges that one delivery carries, and deliveries at a time: a backlog must not take what requests need. */
const CHARGES_PER_BATCH = 10;
const CHARGE_DELIVERIES = 10;
const BEHIND_API = { marginSeconds: INTEGRATION_MARGIN_MS / 1_000 };

interface ServiceFunctionsProps {
  readonly config: StageConfig;
  readonly tables: MeteringTables;
  readonly charges: LaneQueue;
  /** Where functions run that take many requests in one environment; absent: none does. */
  readonly instances: Instances | undefined;
}

/** Every function of the gateway, with the least that each may do. */
export class ServiceFunctions extends Construct {
  readonly rpc: ServiceFunction;
  readonly data: ServiceFunction;
  readonly status: ServiceFunction;
  readonly mcp: ServiceFunction;
  readonly charges: ServiceFunction;
  /** What the API calls of the functions behind it. */
  readonly live: Readonly<Record<RouteTarget, Alias>>;
  /** The layer under all of them. */
  readonly layer: AccessLayer;
  readonly #upstreams: EmbeddedUpstreams;
  readonly #props: ServiceFunctionsProps;
  /** Variables with which a function finds tables and queue, and those with which it finds the nodes as well. */
  readonly #metering: Readonly<Record<string, string>>;
  readonly #toNodes: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: ServiceFunctionsProps) {
    super(scope, id);
    const { config, tables, charges } = props;
    this.#props = props;
    this.#metering = { ...tables.environment, [CHARGE_QUEUE_URL_VARIABLE]: charges.queue.queueUrl };
    this.#upstreams = new EmbeddedUpstreams(this, 'EmbeddedUpstreams', { chains: config.chains });
    this.#toNodes = { ...this.#metering, ...this.#upstreams.environmentOf(config.chains) };
    this.layer = new AccessLayer(this, 'AccessLayer');
    this.rpc = this.metered('rpc', 'JSON-RPC');
    allowUpstreamSecrets(this.rpc, config.chains);
    this.data = this.metered('data', 'Data API');
    allowUpstreamSecrets(this.data, config.chains);
    this.status = this.describing();
    this.mcp = this.metered('mcp', 'Tools for agents: JSON-RPC, the Data API and the account');
    this.mcp.allow(['dynamodb:Query'], [tables.ledger.tableArn]);
    allowUpstreamSecrets(this.mcp, config.chains);
    const { rpc, data, status, mcp } = config.functions;
    this.live = {
      rpc: this.rpc.publish(rpc.provisionedConcurrency),
      data: this.data.publish(data.provisionedConcurrency),
      status: this.status.publish(status.provisionedConcurrency),
      mcp: this.mcp.publish(mcp.provisionedConcurrency),
    };
    this.charges = this.storingCharges();
  }

  /** What all functions have. */
  private get common() {
    const { config } = this.#props;
    return { settings: toStageSettings(config), layer: this.layer, logs: config.logs };
  }

  /** A function that authenticates, admits and charges requests. */
  private metered(name: HostedFunction, description: string): ServiceFunction {
    const { config, tables, charges, instances } = this.#props;
    const service = new ServiceFunction(this, hostedId(config, name), {
      ...this.common,
      settings: toStageSettings(config, name),
      instances,
      name,
      description,
      size: { ...config.functions[name], ...BEHIND_API },
      environment: this.#toNodes,
    });
    allowMetering(service, tables, charges);
    return service;
  }

  /** The function of status, chains and account, which has the descriptions of the interfaces beside its code. */
  private describing(): ServiceFunction {
    const { config, tables } = this.#props;
    const publicChain = config.chains.find((chain) => chain.public);
    const defaultChain = config.chains.find((chain) => chain.default);
    const exampleChain = (defaultChain?.public === true ? defaultChain : publicChain)?.chain;
    const service = new ServiceFunction(this, 'Status', {
      ...this.common,
      name: 'status',
      description: 'Status, chains, account and the descriptions of the interfaces',
      size: { ...config.functions.status, ...BEHIND_API },
      environment: this.#toNodes,
      files: {
        [DESCRIPTION_FILES['/v1/openapi.json']]: keptText(`openapi-${exampleChain ?? ''}.json`, () =>
          JSON.stringify(describedFor(readDescription(), exampleChain)),
        ),
        [DESCRIPTION_FILES['/v1/openrpc.json']]: JSON.stringify(openRpcDocument(defaultChain?.methods)),
        [DESCRIPTION_FILES['/v1/contract.json']]: keptText('contract.json', () =>
          JSON.stringify(publicContract(readContract())),
        ),
      },
    });
    const read = [tables.keys, tables.accounts, tables.balances];
    service.allow(
      ['dynamodb:GetItem'],
      read.map(({ tableArn }) => tableArn),
    );
    service.allow(['dynamodb:Query'], [tables.lanes.tableArn, tables.ledger.tableArn]);
    allowUpstreamSecrets(service, config.chains);
    return service;
  }

  /** The function that stores the charges of the queue. */
  private storingCharges(): ServiceFunction {
    const { config, tables, charges } = this.#props;
    const service = new ServiceFunction(this, 'Charges', {
      ...this.common,
      name: 'charges',
      description: 'Stores charges that their functions could not store',
      size: config.functions.charges,
      environment: this.#metering,
    });
    allowStoringCharges(service, tables);
    service.lambda.addEventSource(
      new SqsEventSource(charges.queue, {
        batchSize: CHARGES_PER_BATCH,
        maxConcurrency: CHARGE_DELIVERIES,
        reportBatchItemFailures: true,
      }),
    );
    return service;
  }

  /** Where the embedded nodes of chains are. */
  nodeEnvironment(chains: readonly ChainSettings[]): Readonly<Record<string, string>> {
    return this.#upstreams.environmentOf(chains);
  }
}

/** The functions behind the API. */
export function invokedFunctions({
  rpc,
  data,
  status,
  mcp,
}: Pick<ServiceFunctions, RouteTarget>): [name: RouteTarget, service: ServiceFunction][] {
  return Object.entries({ rpc, data, status, mcp }) as [RouteTarget, ServiceFunction][];
}

/**
 * Id of a function that can be on instances. One that is cannot leave its capacity provider, so a change of hosting makes
 * another function beside it, to which the API is pointed before the first one goes.
 */
function hostedId(config: StageConfig, name: HostedFunction): string {
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return isOnInstances(config, name) ? `${id}OnInstances` : id;
}

/**
 * Secrets with the URLs of nodes. Secrets Manager ends the name in an ARN with six characters of its own. Each is a
 * statement, because the CDK spreads a policy that is too long over several by statements only.
 */
export function allowUpstreamSecrets(service: Service & Construct, chains: readonly ChainSettings[]): void {
  const names = chains.flatMap(({ upstreams }) => upstreams.flatMap(secretNames));
  for (const name of new Set(names)) {
    const secret = Stack.of(service).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${name}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    service.allow(['secretsmanager:GetSecretValue'], [secret]);
  }
}
