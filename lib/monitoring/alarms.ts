import { NestedStack, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Objective } from '../config/objectives-config.ts';
import type { AlarmExtent } from '../config/stage-config.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import type { TableBackups } from '../metering/table-backups.ts';
import { ALARM_SECTIONS } from './alarm-extents.ts';
import {
  AlarmWatch,
  type AlarmWatchProps,
  alarmTopics,
  type Topics,
  type TopicsProps,
} from './alarm-watch.ts';
import { watchBackups } from './backup-alarms.ts';
import {
  type IndexedChain,
  type WatchedChain,
  watchDatabase,
  watchGivenHeads,
  watchIndex,
  watchIndexCounts,
  watchLostDatabase,
  watchNodes,
} from './chain-alarms.ts';
import { type WatchedCluster, watchCluster } from './database-alarms.ts';
import {
  type DeadLetterQueues,
  watchBalanceViews,
  watchCharges,
  watchDeadLetters,
  watchMoney,
  watchTables,
} from './metering-alarms.ts';
import { watchObjectives } from './objective-alarms.ts';
import { releaseGates } from './release-gates.ts';
import { watchBills, watchResponses, watchRuns, watchSchedules } from './run-alarms.ts';
import {
  watchAccount,
  watchCertificate,
  watchDataApi,
  watchFailures,
  watchInstances,
  watchProbe,
  watchService,
  watchTraffic,
} from './service-alarms.ts';

interface AlarmsProps extends Omit<AlarmWatchProps, 'topics' | 'sections'>, TopicsProps {
  readonly extent: AlarmExtent;
  /** The chains that are served, and those that are indexed: each has alarms of its own. */
  readonly chains: readonly WatchedChain[];
  readonly indexedChains: readonly IndexedChain[];
  readonly rest: RestApi;
  readonly functions: ServiceFunctions;
  /** Instances that the JSON-RPC function has for itself. @default those that the account has left */
  readonly rpcConcurrency: number | undefined;
  /** ARN of the certificate of the API's domain. @default it has no domain of its own */
  readonly certificateArn: string | undefined;
  readonly tables: MeteringTables;
  /** The queue of charges that their functions could not store. */
  readonly charges: Queue;
  readonly deadLetters: DeadLetterQueues;
  /** Whether the stage is asked by its public name. */
  readonly isProbed: boolean;
  /** Whether a release begins with a part of the requests. */
  readonly canary: boolean;
  /** @default the stage has no chain database */
  readonly database: WatchedCluster | undefined;
  /** @default the stage has none */
  readonly objectives: { readonly rpc: Objective; readonly data: Objective } | undefined;
  /** Copies of the tables, and how often one is made. @default there are none */
  readonly backups: { readonly made: TableBackups; readonly everyHours: number } | undefined;
}

/** The alarms, and the topics that they notify. Each alarm names its section of the runbook. */
export class Alarms extends Construct {
  readonly alarms: readonly AlarmBase[];
  /** The receivers, by severity. */
  readonly topics: Topics;
  /** Alarms that end a release of each function behind the API; absent: releases are not watched. */
  readonly gates: ReturnType<typeof releaseGates> | undefined;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { chains, indexedChains, rest, certificateArn } = props;
    this.topics = alarmTopics(this, props);
    // Those of the stage have a stack of their own, as one takes 500 resources.
    const ofStage = new NestedStack(this, 'OfStage', { description: 'Alarms of the stage' });
    const sections = ALARM_SECTIONS[props.extent];
    const watch = new AlarmWatch(new Construct(ofStage, this.node.id), {
      ...props,
      topics: this.topics,
      sections,
    });
    const lostDatabase = indexedChains.length > 0 ? watchLostDatabase(watch) : undefined;
    watchDeadLetters(watch, props.deadLetters, lostDatabase);
    watchFailures(watch, rest);
    watchResponses(watch);
    watchBills(watch);
    watchRuns(watch, Stack.of(scope), lostDatabase);
    watchSchedules(watch, Stack.of(scope));
    watchAccount(watch);
    watchTraffic(watch, rest);
    if (props.isProbed) watchProbe(watch, indexedChains.length > 0, lostDatabase);
    watchInstances(watch, props.functions, props.rpcConcurrency);
    if (certificateArn !== undefined) watchCertificate(watch, certificateArn);
    watchService(watch, rest);
    watchCharges(watch, props.charges);
    watchTables(watch, props.tables);
    watchBalanceViews(watch);
    watchMoney(watch);
    watchNodes(watch, chains);
    watchGivenHeads(watch);
    if (indexedChains.length > 0) {
      for (const chain of indexedChains) watchIndex(watch, chain, lostDatabase);
      watchIndexCounts(watch);
      watchDatabase(watch, lostDatabase);
    }
    if (props.database !== undefined) {
      watchDataApi(watch, lostDatabase);
      watchCluster(watch, props.database);
    }
    if (props.backups !== undefined) watchBackups(this, watch, props.backups.made, props.backups.everyHours);
    if (props.objectives !== undefined)
      watchObjectives(watch, props.objectives, props.functions, props.database !== undefined);
    // Of what other stacks have: gates of the functions, and what waits for all beginnings.
    const gates = new AlarmWatch(this, { ...props, topics: this.topics });
    gates.notBegun(watch.beginnings);
    this.gates = props.canary ? releaseGates(gates, Stack.of(scope).stackName, props.functions) : undefined;
    this.alarms = [...watch.alarms, ...gates.alarms];
  }
}
