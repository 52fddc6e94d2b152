import type { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { ChainData } from '../chain-data/add-chain-data.ts';
import type { ChainStacks } from '../chain-data/chain-stacks.ts';
import { indexedChains, requestsAtOnce } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Firewall } from '../edge/firewall.ts';
import { Releases } from '../edge/releases.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { Books } from '../metering/books.ts';
import type { LaneQueue } from '../metering/charge-queue.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import type { TableBackups } from '../metering/table-backups.ts';
import { Alarms } from './alarms.ts';
import { Budget } from './budget.ts';
import { type DashboardLimits, GatewayDashboard } from './dashboard.ts';
import { Probe } from './probe.ts';

interface MonitoringProps {
  readonly config: StageConfig;
  /** Public URL of the stage. */
  readonly baseUrl: string;
  readonly rest: RestApi;
  readonly functions: ServiceFunctions;
  readonly tables: MeteringTables;
  readonly charges: LaneQueue;
  readonly books: Books;
  readonly chainStacks: ChainStacks;
  /** Absent in a stage that has none. */
  readonly firewall: Firewall | undefined;
  /** Absent in a stage without a chain database. */
  readonly chainData: ChainData | undefined;
  /** Absent in a stage without copies of its tables. */
  readonly backups: TableBackups | undefined;
}

/**
 * Adds what a stage has of a probe, alarms, releases that an alarm takes back, a budget, and the dashboard. Returns outputs of the
 * stack.
 */
export function addMonitoring(stack: Stack, props: MonitoringProps): Readonly<Record<string, string>> {
  const { config, baseUrl, rest, functions, tables, charges, chainData, firewall } = props;
  const { stage } = config;
  const { enabled, email, monthlyBudgetUsd } = config.alarms;
  const secret = config.probe?.secret;
  const probe =
    secret === undefined ? undefined : new Probe(stack, 'Probe', { config, secret, url: baseUrl, functions });
  const alarms = enabled ? addAlarms(stack, props) : undefined;
  const releases =
    alarms?.gates === undefined
      ? undefined
      : new Releases(stack, 'Releases', {
          functions,
          gates: alarms.gates,
          compares: probe?.service,
          pages: alarms.topics.page,
        });
  if (email !== undefined && monthlyBudgetUsd !== undefined)
    new Budget(stack, 'Budget', { stage, monthlyUsd: monthlyBudgetUsd, email });
  new GatewayDashboard(stack, 'Dashboard', {
    stage,
    chains: config.chains.map(({ chain }) => chain),
    indexedChains: indexedChains(config).map(({ chain }) => chain),
    rest,
    functions,
    tables,
    charges: charges.queue,
    cluster: chainData?.cluster,
    usdPerMillionCu: config.usdPerMillionCu,
    alarms: alarms?.alarms ?? [],
    firewall: firewall?.name,
    limits: { requests: requestBounds(config), maxAcu: config.database.maxAcu },
  });
  return {
    ...(alarms !== undefined && {
      PagesTopicArn: alarms.topics.page.topicArn,
      TicketsTopicArn: alarms.topics.ticket.topicArn,
    }),
    ...(releases !== undefined && { ReleaseApplication: releases.applicationName }),
  };
}

function addAlarms(stack: Stack, props: MonitoringProps): Alarms {
  const { config, rest, functions, tables, charges, books, chainStacks, chainData, backups } = props;
  const { minAcu, maxAcu } = config.database;
  return new Alarms(stack, 'Alarms', {
    stage: config.stage,
    extent: config.alarms.extent,
    canary: config.releases.canary,
    isProbed: config.probe !== undefined,
    chains: config.chains,
    indexedChains: indexedChains(config),
    chainStacks,
    email: config.alarms.email,
    pageEmail: config.alarms.pageEmail,
    pageUrl: config.alarms.pageUrl,
    runbookUrl: config.alarms.runbookUrl,
    rest,
    functions,
    rpcConcurrency: requestsAtOnce(config, 'rpc'),
    certificateArn: config.domain?.certificateArn,
    tables,
    charges: charges.queue,
    deadLetters: {
      LostCharges: charges.deadLetters,
      FailedSettlements: books.settlement.deadLetters,
      FailedAudits: books.audit.deadLetters,
      ...chainData?.deadLetters,
    },
    objectives: config.objectives.enabled ? config.objectives : undefined,
    database: chainData === undefined ? undefined : { cluster: chainData.cluster, minAcu, maxAcu },
    backups:
      backups === undefined || config.backup === undefined
        ? undefined
        : { made: backups, everyHours: config.backup.everyHours },
  });
}

/** Requests that each function may have under way. Without reservations no function has concurrency of its own. */
function requestBounds(config: StageConfig): DashboardLimits['requests'] {
  return {
    rpc: requestsAtOnce(config, 'rpc'),
    data: requestsAtOnce(config, 'data'),
    status: config.functions.status.reservedConcurrency,
    mcp: requestsAtOnce(config, 'mcp'),
  };
}
