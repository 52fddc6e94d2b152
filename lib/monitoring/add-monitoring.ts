import type { Stack } from 'aws-cdk-lib';
import { Releases } from '../edge/releases.ts';
import { addAlarms } from './alarms.ts';
import { Budget } from './budget.ts';
import { GatewayDashboard } from './dashboard.ts';
import type { Monitored } from './monitored.ts';
import { Probe } from './probe.ts';

/**
 * Adds what a stage has of a probe, alarms, releases that an alarm takes back, a budget, and the dashboard. Returns outputs of the
 * stack.
 */
export function addMonitoring(stack: Stack, monitored: Monitored): Readonly<Record<string, string>> {
  const { config, baseUrl, functions } = monitored;
  const { stage } = config;
  const { enabled, email, monthlyBudgetUsd } = config.alarms;
  const secret = config.probe?.secret;
  const probe =
    secret === undefined ? undefined : new Probe(stack, 'Probe', { config, secret, url: baseUrl, functions });
  const alarms = enabled ? addAlarms(stack, monitored) : undefined;
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
  new GatewayDashboard(stack, 'Dashboard', { ...monitored, alarms: alarms?.alarms ?? [] });
  return {
    ...(alarms !== undefined && {
      PagesTopicArn: alarms.topics.page.topicArn,
      TicketsTopicArn: alarms.topics.ticket.topicArn,
    }),
    ...(releases !== undefined && { ReleaseApplication: releases.applicationName }),
  };
}
