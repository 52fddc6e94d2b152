import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { HEADS_PATH } from '../../lambdas/shared/bill/published-path.ts';
import { REQUEST_REFUSED } from './api-responses.ts';

/** WAF only logs to groups whose name starts so. */
const LOG_GROUP_PREFIX = 'aws-waf-logs-';
const WINDOW_SECONDS = 300;

interface FirewallProps {
  readonly stage: string;
  readonly rest: RestApi;
  readonly requestsPerAddress: number;
  /** Whether addresses that AWS knows for attacks are refused. */
  readonly reputation: boolean;
  readonly logRetentionDays: RetentionDays;
}

/** Pattern of a key's form; the functions check which key it is. */
const KEY_FORM = `rgw_[0-9a-f]{64}`;
/**
 * Paths that take no key, behind the name of the stage where the address is API Gateway's own: what is public, and the
 * path whose only response is the redirect to the one with a slash.
 */
const KEYLESS_PATHS =
  '^(/[a-z0-9-]{1,32})?/v1(/(status|chains|openapi[.]json|openrpc[.]json|contract[.]json)/?)?$';
/** Most requests of one address to them in {@link WINDOW_SECONDS}: one a second, because they are unbilled. */
const KEYLESS_REQUESTS_PER_ADDRESS = 300;
/** The heads take no key either. */
const HEADS_PATHS = `^(/[a-z0-9-]{1,32})?${HEADS_PATH}/`;
/** Most requests of one address to them: who checks a bill reads two objects of each hour, 1,488 of a month. */
const HEADS_REQUESTS_PER_ADDRESS = 3_000;
const RATE_RULE = 'RequestsPerAddress';
const KEYLESS_RULE = 'KeylessRequestsPerAddress';
const HEADS_RULE = 'HeadsRequestsPerAddress';
const KEY_RULE = 'FormOfKey';
const REPUTATION_RULE = 'Reputation';
/** Rules of AWS's list of addresses that it has seen attack or scan; those that only take part in floods are counted. */
const REPUTATION_RULES = ['AWSManagedIPReputationList', 'AWSManagedReconnaissanceList'];
const REFUSED_BODY = 'Refused';

/**
 * Refuses, before anything is paid for it, an address that sends more than a limit in five minutes, or more than a smaller
 * one to what takes no key; a request to which only a key could give a response and that holds nothing like one; and
 * addresses that AWS knows for attacks. It looks into no body: what a call may be is decided where its
 * cost is. A key can stand in the path and in headers, so neither is logged, and no sample of a request is kept.
 */
export class Firewall extends Construct {
  /** Name of the access control list, a dimension of its metrics. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    this.name = `gateway-${props.stage}`;
    const list = new CfnWebACL(this, 'List', {
      name: this.name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(this.name),
      ...(props.reputation && {
        customResponseBodies: {
          [REFUSED_BODY]: { contentType: 'APPLICATION_JSON', content: REQUEST_REFUSED },
        },
      }),
      rules: [
        rateRule(RATE_RULE, 0, { limit: props.requestsPerAddress }),
        rateRule(KEYLESS_RULE, 1, {
          limit: Math.min(KEYLESS_REQUESTS_PER_ADDRESS, props.requestsPerAddress),
          scopeDownStatement: matches({ uriPath: {} }, KEYLESS_PATHS),
        }),
        rateRule(HEADS_RULE, 2, {
          limit: Math.min(HEADS_REQUESTS_PER_ADDRESS, props.requestsPerAddress),
          scopeDownStatement: matches({ uriPath: {} }, HEADS_PATHS),
        }),
        {
          name: KEY_RULE,
          priority: 3,
          // The response to a key that is unknown, and to a route that is.
          action: { block: { customResponse: { responseCode: 404 } } },
          statement: {
            andStatement: {
              statements: [
                not(matches({ uriPath: {} }, KEYLESS_PATHS)),
                not(matches({ uriPath: {} }, HEADS_PATHS)),
                not(matches({ uriPath: {} }, KEY_FORM)),
                not(matches({ singleHeader: { Name: 'x-api-key' } }, KEY_FORM)),
                not(matches({ singleHeader: { Name: 'authorization' } }, KEY_FORM)),
              ],
            },
          },
          visibilityConfig: visibility(KEY_RULE),
        },
        ...(props.reputation ? [reputationRule()] : []),
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
            // A request without a key is not kept: it could fill the log.
            Requirement: 'MEETS_ALL',
            Conditions: [
              { ActionCondition: { Action: 'BLOCK' } },
              { LabelNameCondition: { LabelName: `awswaf:${account}:webacl:${this.name}:${RATE_RULE}` } },
            ],
          },
        ],
      },
    });
  }
}

/** Refuses an address that sends too much of what a statement is of; the label says why, and keeps the refusal in the log. */
function rateRule(
  name: string,
  priority: number,
  of: Pick<CfnWebACL.RateBasedStatementProperty, 'limit' | 'scopeDownStatement'>,
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    action: { block: {} },
    ruleLabels: [{ name: RATE_RULE }],
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: WINDOW_SECONDS, ...of } },
    visibilityConfig: visibility(name),
  };
}

/** Keys of the right form pass the rule before it, made up or not: this bounds what a botnet can send of them. */
function reputationRule(): CfnWebACL.RuleProperty {
  return {
    name: REPUTATION_RULE,
    priority: 4,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name: 'AWSManagedRulesAmazonIpReputationList',
        ruleActionOverrides: REPUTATION_RULES.map((name) => ({
          name,
          actionToUse: {
            block: { customResponse: { responseCode: 403, customResponseBodyKey: REFUSED_BODY } },
          },
        })),
      },
    },
    visibilityConfig: visibility(REPUTATION_RULE),
  };
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}

/** A path is decoded as API Gateway does, and headers do not change by that. */
function matches(
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  regexString: string,
): CfnWebACL.StatementProperty {
  return {
    regexMatchStatement: {
      fieldToMatch,
      regexString,
      textTransformations: [{ priority: 0, type: 'URL_DECODE' }],
    },
  };
}

function not(statement: CfnWebACL.StatementProperty): CfnWebACL.StatementProperty {
  return { notStatement: { statement } };
}
