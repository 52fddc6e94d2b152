import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledgeFindings } from './acknowledged-findings.ts';
import { ChainDatabase } from './chain-data/chain-database.ts';
import { ChainStacks } from './chain-data/chain-stacks.ts';
import { Indexing } from './chain-data/indexing.ts';
import { Migrations } from './chain-data/migrations.ts';
import { Rollups } from './chain-data/rollups.ts';
import { Snapshots } from './chain-data/snapshots.ts';
import { planWarnings } from './config/plan-limits.ts';
import type { StageConfig } from './config/stage-config.ts';
import { Api } from './edge/api.ts';
import { CustomDomain } from './edge/custom-domain.ts';
import { Firewall } from './edge/firewall.ts';
import { Releases } from './edge/releases.ts';
import { ServiceFunctions } from './edge/service-functions.ts';
import { Site } from './edge/site.ts';
import { ResponseCache } from './functions/response-cache.ts';
import { Books } from './metering/books.ts';
import { ChargeQueue } from './metering/charge-queue.ts';
import { MeteringTables } from './metering/metering-tables.ts';
import { Alarms } from './monitoring/alarms.ts';
import { Budget } from './monitoring/budget.ts';
import { GatewayDashboard } from './monitoring/dashboard.ts';

/** Tag of every resource, with the name of its stage. */
const STAGE_TAG = 'gateway-stage';

/** CloudFormation takes no tags for these. */
const UNTAGGED = ['AWS::CloudWatch::Dashboard'];

export interface GatewayStackProps {
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
    // Who looks at a bill or a list of resources sees whose they are.
    Tags.of(this).add(STAGE_TAG, config.stage, { excludeResourceTypes: UNTAGGED });
    const tables = new MeteringTables(this, 'Tables', { removal: config.removal });
    const charges = new ChargeQueue(this, 'Charges', {
      consumerTimeout: Duration.seconds(config.functions.charges.timeoutSeconds),
    });
    const functions = new ServiceFunctions(this, 'Functions', { config, tables, charges });
    const cache = new ResponseCache(this, 'ResponseCache');
    cache.serve(functions.rpc);
    cache.serve(functions.mcp);
    const chainStacks = new ChainStacks(this, 'Chains');
    const indexed: Record<string, string> = {};
    const indexQueues: { FailedIndexing?: Queue; FailedRollups?: Queue } = {};
    let cluster: DatabaseCluster | undefined;
    if (config.database.enabled) {
      const database = new ChainDatabase(this, 'ChainDatabase', { config });
      cluster = database.cluster;
      const migrations = new Migrations(this, 'Migrations', { config, database, layer: functions.layer });
      for (const reader of [functions.data, functions.mcp]) {
        database.grantAccess(reader, 'reader');
        database.grantAnswerKey(reader);
      }
      indexed.MigrateFunctionName = migrations.service.lambda.functionName;
      if (config.indexing.enabled) {
        const indexing = new Indexing(this, 'Indexing', {
          config,
          functions,
          database,
          records: cache,
          chainStacks,
        });
        Object.assign(indexed, indexing.outputs);
        const rollups = new Rollups(this, 'Rollups', {
          config,
          database,
          layer: functions.layer,
          chainStacks,
        });
        indexQueues.FailedIndexing = indexing.deadLetters;
        indexQueues.FailedRollups = rollups.deadLetters;
        new Snapshots(this, 'Snapshots', { config, functions, database });
      }
    }
    const books = new Books(this, 'Books', { config, tables, layer: functions.layer });
    const api = new Api(this, 'Api', { config, functions });
    if (config.firewall.enabled) {
      new Firewall(this, 'Firewall', {
        stage: config.stage,
        rest: api.rest,
        requestsPerAddress: config.firewall.requestsPerAddress,
        logRetentionDays: config.logs.retentionDays,
      });
    }
    const indexedChains = config.indexing.enabled ? config.chains.map(({ chain }) => chain) : [];
    const alarms = config.alarms.enabled
      ? new Alarms(this, 'Alarms', {
          stage: config.stage,
          chains: config.chains.map(({ chain }) => chain),
          indexedChains: config.indexing.enabled ? config.chains : [],
          chainStacks,
          email: config.alarms.email,
          pageEmail: config.alarms.pageEmail,
          rest: api.rest,
          functions,
          rpcConcurrency: config.functions.rpc.reservedConcurrency,
          certificateArn: config.domain?.certificateArn,
          tables,
          charges: charges.queue,
          deadLetters: {
            LostCharges: charges.deadLetters,
            FailedSettlements: books.settlement.deadLetters,
            FailedAudits: books.audit.deadLetters,
            ...indexQueues,
          },
        })
      : undefined;
    if (alarms !== undefined && config.releases.canary)
      new Releases(this, 'Releases', { functions, gate: alarms.failingRequests });
    const { email, monthlyBudgetUsd } = config.alarms;
    if (email !== undefined && monthlyBudgetUsd !== undefined)
      new Budget(this, 'Budget', { stage: config.stage, monthlyUsd: monthlyBudgetUsd, email });
    new GatewayDashboard(this, 'Dashboard', {
      stage: config.stage,
      indexedChains,
      rest: api.rest,
      functions,
      tables,
      charges: charges.queue,
      cluster,
      alarms: alarms?.alarms ?? [],
    });

    const outputs: Record<string, string> = {
      BaseUrl: config.domain === undefined ? api.baseUrl : `https://${config.domain.name}`,
      KeysTableName: tables.keys.tableName,
      AccountsTableName: tables.accounts.tableName,
      LanesTableName: tables.lanes.tableName,
      UnsettledTableName: tables.unsettled.tableName,
      LedgerTableName: tables.ledger.tableName,
      ChargeQueueUrl: charges.queue.queueUrl,
      PlanNames: Object.keys(config.plans).join(','),
      PlanShards: Object.values(config.plans)
        .map(({ shards }) => shards)
        .join(','),
      DefaultPlan: config.defaultPlan,
      GroupCommitCu: String(config.metering.groupCommitCu),
      CacheTableName: cache.table.tableName,
      ChainNames: config.chains.map(({ chain }) => chain).join(','),
      ...indexed,
    };
    if (config.domain !== undefined) {
      const domain = new CustomDomain(this, 'Domain', { domain: config.domain, api: api.rest });
      outputs.DomainAliasTarget = domain.aliasTarget;
    }
    if (config.site?.enabled === true) {
      const { removal, site } = config;
      const { url, bucket, aliasTarget } = new Site(this, 'Site', {
        removal,
        domain: site.domain,
        baseUrl: outputs.BaseUrl ?? api.baseUrl,
      });
      Object.assign(outputs, {
        SiteUrl: url,
        SiteBucketName: bucket.bucketName,
        SiteAliasTarget: aliasTarget,
      });
    }
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
    acknowledgeFindings(this, config);
    if (config.removal === 'retain') this.retainLogs();
    if (!config.functions.reserveConcurrency) this.reserveNothing();
    this.tellReservedConcurrency();
    for (const [index, warning] of planWarnings(config.plans).entries())
      Annotations.of(this).addWarningV2(`gateway:PlanBeyondAccount-${index}`, warning);
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
