import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { addChainData } from './chain-data/add-chain-data.ts';
import { ChainStacks } from './chain-data/chain-stacks.ts';
import { upstreamWarnings } from './config/chain-warnings.ts';
import { HOSTED_FUNCTIONS, isOnInstances, mostHeldBackCu, toStageSettings } from './config/config.ts';
import { planWarnings, tableWarnings } from './config/plan-limits.ts';
import type { StageConfig } from './config/stage-config.ts';
import { Api } from './edge/api.ts';
import { CustomDomain } from './edge/custom-domain.ts';
import { Firewall } from './edge/firewall.ts';
import { ServiceFunctions } from './edge/service-functions.ts';
import { Site } from './edge/site.ts';
import { Instances } from './functions/instances.ts';
import { SharedResponses } from './functions/response-cache.ts';
import { AccountBalances } from './metering/account-balances.ts';
import { Books } from './metering/books.ts';
import { LaneQueue } from './metering/charge-queue.ts';
import { Evidence } from './metering/evidence.ts';
import { Heads } from './metering/heads.ts';
import { MeteringTables } from './metering/metering-tables.ts';
import { TableBackups } from './metering/table-backups.ts';
import { addMonitoring } from './monitoring/add-monitoring.ts';

/** Tag of every resource, with the name of its stage. */
const STAGE_TAG = 'gateway-stage';

/** CloudFormation takes no tags for these. */
const UNTAGGED = ['AWS::CloudWatch::Dashboard'];

interface GatewayStackProps {
  readonly config: StageConfig;
}

/** The whole gateway of one stage. Layer and functions share it, so that they are always of one version. */
export class GatewayStack extends Stack {
  constructor(scope: Construct, { config }: GatewayStackProps) {
    super(scope, `gateway-${config.stage}`, {
      description: `Blockchain data gateway, stage ${config.stage}`,
      terminationProtection: config.removal === 'retain',
      ...(config.region === undefined ? {} : { env: { region: config.region } }),
    });
    // A bill or a list of resources then shows the stage of each.
    Tags.of(this).add(STAGE_TAG, config.stage, { excludeResourceTypes: UNTAGGED });
    const { stage, removal, backup } = config;
    const tables = new MeteringTables(this, 'Tables', { removal, ...config.tables });
    const backups =
      backup === undefined
        ? undefined
        : new TableBackups(this, 'Backups', { stage, removal, backup, tables });
    const charges = new LaneQueue(this, 'Charges', {
      removal,
      consumerTimeout: Duration.seconds(config.functions.charges.timeoutSeconds),
    });
    const instances = HOSTED_FUNCTIONS.some((name) => isOnInstances(config, name))
      ? new Instances(this, 'Instances', { logs: config.logs })
      : undefined;
    const functions = new ServiceFunctions(this, 'Functions', { config, tables, charges, instances });
    const cache = this.addSharedResponses(functions);
    const chainStacks = new ChainStacks(this, 'Chains');
    const chainData = config.database.enabled
      ? addChainData(this, { config, functions, records: cache, chainStacks })
      : undefined;
    const { evidence, heads, books } = this.addBooks(config, tables, functions);
    const api = new Api(this, 'Api', { config, functions });
    const { rest } = api;
    const firewall = this.addFirewall(config, rest);
    const baseUrl = config.domain === undefined ? api.baseUrl : `https://${config.domain.name}`;
    const parts = { rest, functions, tables, charges, books, chainStacks, chainData, firewall, backups };
    const monitored = addMonitoring(this, { config, baseUrl, ...parts });
    const outputs = {
      BaseUrl: baseUrl,
      ...meteringOutputs(config, tables, charges),
      ...evidenceOutputs(evidence, heads),
      CacheTableName: cache.table.tableName,
      ChainNames: config.chains.map(({ chain }) => chain).join(','),
      ...chainData?.outputs,
      ...monitored,
      LiveFunctions: Object.entries(functions.live)
        .map(([name, alias]) => `${name}=${alias.lambda.functionName}`)
        .join(','),
      ...this.addDomain(config, rest),
      ...this.addSite(config, baseUrl),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
    if (removal === 'retain') this.retainLogs();
    if (!config.functions.reserveConcurrency) this.reserveNothing();
    this.tellReservedConcurrency();
    this.warn(config);
  }

  /** What instances share, and which functions use it how. */
  private addSharedResponses(functions: ServiceFunctions): SharedResponses {
    const cache = new SharedResponses(this, 'ResponseCache');
    cache.serve(functions.rpc);
    cache.serve(functions.mcp, { readsRefusals: true });
    cache.hold(functions.data);
    cache.tellRefusals(functions.status);
    return cache;
  }

  /** Settlement and audit, what proves them, and the balances of wide accounts. */
  private addBooks(config: StageConfig, tables: MeteringTables, functions: ServiceFunctions) {
    const { layer, rpc, data, mcp, status } = functions;
    const evidence = new Evidence(this, 'Evidence', { removal: config.removal });
    evidence.allowReading(status);
    const heads = new Heads(this, 'Heads', { config, tables, layer, evidence });
    heads.allowShowing(status);
    const books = new Books(this, 'Books', { config, tables, layer, evidence, heads });
    new AccountBalances(this, 'AccountBalances', {
      config,
      tables,
      layer,
      readers: [rpc, data, mcp],
    });
    return { evidence, heads, books };
  }

  private addFirewall({ stage, firewall, logs }: StageConfig, rest: RestApi): Firewall | undefined {
    const { enabled, requestsPerAddress, reputation } = firewall;
    if (!enabled) return undefined;
    const logRetentionDays = logs.retentionDays;
    return new Firewall(this, 'Firewall', { stage, rest, requestsPerAddress, reputation, logRetentionDays });
  }

  /** What a deployment should know of a stage file that is right. */
  private warn(config: StageConfig): void {
    const { plans } = toStageSettings(config, 'rpc');
    const ofPlans = [...planWarnings(plans), ...tableWarnings(plans, config.tables.warmWritesPerSecond)];
    for (const [index, warning] of ofPlans.entries())
      Annotations.of(this).addWarningV2(`gateway:PlanBeyondAccount-${index}`, warning);
    for (const [index, warning] of upstreamWarnings(config.chains).entries())
      Annotations.of(this).addWarningV2(`gateway:SoleUpstream-${index}`, warning);
  }

  /** The name of the API itself, and its outputs. */
  private addDomain({ domain }: StageConfig, api: RestApi): Record<string, string> {
    if (domain === undefined) return {};
    const { aliasTarget } = new CustomDomain(this, 'Domain', { domain, api });
    return { DomainAliasTarget: aliasTarget };
  }

  /** The pages of the API reference, and their outputs. */
  private addSite({ stage, site, removal }: StageConfig, baseUrl: string): Record<string, string> {
    if (site?.enabled !== true) return {};
    const { url, bucket, aliasTarget } = new Site(this, 'Site', {
      stage,
      removal,
      domain: site.domain,
      baseUrl,
    });
    return { SiteUrl: url, SiteBucketName: bucket.bucketName, SiteAliasTarget: aliasTarget };
  }

  /**
   * Logs stay when the stack goes: of a charge that was lost, its line is the only record. Those with a name of their own go, as
   * the stack could not be made anew beside them.
   */
  private retainLogs(): void {
    for (const one of this.node.findAll())
      if (one instanceof CfnLogGroup && this.resolve(one.logGroupName) === undefined)
        one.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  }

  /** What runs alone then does so by the locks and fences of the database: two at a time get in each other's way, no more. */
  private reserveNothing(): void {
    for (const one of this.node.findAll())
      if (one instanceof CfnFunction) one.reservedConcurrentExecutions = undefined;
  }

  /** An account that cannot reserve so many fails the deployment, and a new account often cannot. */
  private tellReservedConcurrency(): void {
    const functions = this.node.findAll().filter((construct) => construct instanceof CfnFunction);
    const sum = functions.reduce((total, one) => total + (one.reservedConcurrentExecutions ?? 0), 0);
    Annotations.of(this).addInfo(
      `reserves ${sum} concurrent executions of Lambda, beside the 100 that the account keeps unreserved`,
    );
  }
}

/** Outputs of what proves the books. */
function evidenceOutputs(evidence: Evidence, heads: Heads): Record<string, string> {
  return {
    EvidenceBucketName: evidence.bucket.bucketName,
    HeadsBucketName: heads.bucket.bucketName,
    HeadKeyArn: heads.key.keyArn,
    IssuerSecretArn: heads.issuer.secretArn,
  };
}

/** Outputs that an operator's commands need of the metering of a stage. */
function meteringOutputs(
  config: StageConfig,
  tables: MeteringTables,
  charges: LaneQueue,
): Record<string, string> {
  const { plans, defaultPlan } = config;
  return {
    KeysTableName: tables.keys.tableName,
    AccountsTableName: tables.accounts.tableName,
    LanesTableName: tables.lanes.tableName,
    UnsettledTableName: tables.unsettled.tableName,
    BalancesTableName: tables.balances.tableName,
    LedgerTableName: tables.ledger.tableName,
    ChargeQueueUrl: charges.queue.queueUrl,
    PlanNames: Object.keys(plans).join(','),
    PlanShards: Object.values(plans)
      .map(({ shards }) => shards)
      .join(','),
    DefaultPlan: defaultPlan,
    GroupCommitCu: String(mostHeldBackCu(config)),
  };
}
