import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/** WAF only logs to groups whose name starts so. */
const LOG_GROUP_PREFIX = 'aws-waf-logs-';
const WINDOW_SECONDS = 300;

export interface FirewallProps {
  readonly stage: string;
  readonly rest: RestApi;
  readonly requestsPerAddress: number;
  readonly logRetentionDays: RetentionDays;
}

/**
 * Refuses an address that sends more than a limit in five minutes, before anything is paid for it. It looks into no
 * body: what a call may be is decided where its cost is. A key can stand in the path and in headers, so neither is
 * logged, and no sample of a request is kept.
 */
export class Firewall extends Construct {
  /** Name of the access control list, a dimension of its metrics. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    this.name = `gateway-${props.stage}`;
    const rate = 'RequestsPerAddress';
    const list = new CfnWebACL(this, 'List', {
      name: this.name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(this.name),
      rules: [
        {
          name: rate,
          priority: 0,
          action: { block: {} },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              limit: props.requestsPerAddress,
              evaluationWindowSec: WINDOW_SECONDS,
            },
          },
          visibilityConfig: visibility(rate),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: props.rest.deploymentStage.stageArn,
      webAclArn: list.attrArn,
    });
    this.logRefusals(list, props.logRetentionDays);
  }

  private logRefusals(list: CfnWebACL, retention: RetentionDays): void {
    const log = new LogGroup(this, 'Log', {
      logGroupName: `${LOG_GROUP_PREFIX}${this.name}`,
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { region, account, partition } = Stack.of(this);
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: list.attrArn,
      logDestinationConfigs: [`arn:${partition}:logs:${region}:${account}:log-group:${log.logGroupName}`],
      redactedFields: [
        { uriPath: {} },
        { queryString: {} },
        { singleHeader: { Name: 'x-api-key' } },
        { singleHeader: { Name: 'authorization' } },
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
    });
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
