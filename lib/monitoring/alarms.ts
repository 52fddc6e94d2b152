import { NestedStack, type Stack } from 'aws-cdk-lib';
import type { Alarm, AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { indexedChains, requestsAtOnce } from '../config/config.ts';
import type { RouteTarget } from '../edge/api-routes.ts';
import { ALARM_SECTIONS } from './alarm-extents.ts';
import { AlarmWatch, alarmTopics, type Topics } from './alarm-watch.ts';
import { watchBackups } from './backup-alarms.ts';
import {
  watchDatabase,
  watchGivenHeads,
  watchIndex,
  watchIndexCounts,
  watchLostDatabase,
  watchNodes,
} from './chain-alarms.ts';
import { watchCluster } from './database-alarms.ts';
import {
  watchBalanceViews,
  watchCharges,
  watchDeadLetters,
  watchMoney,
  watchTables,
} from './metering-alarms.ts';
import type { Monitored } from './monitored.ts';
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

interface Alarms {
  readonly alarms: readonly AlarmBase[];
  /** The receivers, by severity. */
  readonly topics: Topics;
  /** Alarms that end a release of each function behind the API; absent: releases are not watched. */
  readonly gates: Readonly<Record<RouteTarget, readonly Alarm[]>> | undefined;
}

/** Adds the alarms, and the topics that they notify. Each alarm names its section of the runbook. */
export function addAlarms(stack: Stack, monitored: Monitored): Alarms {
  const { config, rest, functions, chainStacks, chainData, backups } = monitored;
  const { stage, chains, alarms, objectives } = config;
  const indexed = indexedChains(config);
  const scope = new Construct(stack, 'Alarms');
  const topics = alarmTopics(scope, alarms);
  const props = { stage, chainStacks, topics, runbookUrl: alarms.runbookUrl };
  // Those of the stage have a stack of their own, as one takes 500 resources.
  const ofStage = new NestedStack(scope, 'OfStage', { description: 'Alarms of the stage' });
  const sections = ALARM_SECTIONS[alarms.extent];
  const watch = new AlarmWatch(new Construct(ofStage, scope.node.id), { ...props, sections });
  const lostDatabase = indexed.length > 0 ? watchLostDatabase(watch) : undefined;
  watchDeadLetters(watch, monitored, lostDatabase);
  watchFailures(watch, rest);
  watchResponses(watch);
  watchBills(watch);
  watchRuns(watch, stack, lostDatabase);
  watchSchedules(watch, stack);
  watchAccount(watch);
  watchTraffic(watch, rest);
  if (config.probe !== undefined) watchProbe(watch, indexed.length > 0, lostDatabase);
  watchInstances(watch, functions, requestsAtOnce(config, 'rpc'));
  if (config.domain !== undefined) watchCertificate(watch, config.domain.certificateArn);
  watchService(watch, rest);
  watchCharges(watch, monitored.charges.queue);
  watchTables(watch, monitored.tables);
  watchBalanceViews(watch);
  watchMoney(watch);
  watchNodes(watch, chains);
  watchGivenHeads(watch);
  if (indexed.length > 0) {
    for (const chain of indexed) watchIndex(watch, chain, lostDatabase);
    watchIndexCounts(watch);
    watchDatabase(watch, lostDatabase);
  }
  if (chainData !== undefined) {
    watchDataApi(watch, lostDatabase);
    watchCluster(watch, chainData.cluster, config.database);
  }
  if (backups !== undefined && config.backup !== undefined)
    watchBackups(scope, watch, backups, config.backup.everyHours);
  if (objectives.enabled) watchObjectives(watch, objectives, functions, chainData !== undefined);
  // Of what other stacks have: gates of the functions, and what waits for all beginnings.
  const gates = new AlarmWatch(scope, props);
  gates.notBegun(watch.beginnings);
  const ofReleases = config.releases.canary ? releaseGates(gates, stack.stackName, functions) : undefined;
  return { topics, gates: ofReleases, alarms: [...watch.alarms, ...gates.alarms] };
}
