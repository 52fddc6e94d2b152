import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ServiceFunction } from '../functions/service-function.ts';
import type { RouteTarget } from './api-routes.ts';
import type { ServiceFunctions } from './service-functions.ts';

/** A tenth of the requests for a quarter of an hour: the gates look at five minutes, and see most faults within two. */
const CANARY = LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES;

interface ReleasesProps {
  readonly functions: Pick<ServiceFunctions, 'live'>;
  /** Alarms that end a release of each function, and take it back. They watch the new version alone. */
  readonly gates: Readonly<Record<RouteTarget, readonly Alarm[]>>;
  /** Compares a version with the one before it gets requests; absent: nothing does. */
  readonly compares: ServiceFunction | undefined;
  /** Address that is notified of a release that failed or was stopped. */
  readonly pages: Topic;
}

/**
 * Releases of the functions behind the API: a new version is compared with the old one, gets a part of the requests, and all
 * of them only if its gates stay silent. One that does not is rolled back, and the whole deployment with it.
 */
export class Releases extends Construct {
  /** Name of the application of CodeDeploy. */
  readonly applicationName: string;

  constructor(scope: Construct, id: string, { functions, gates, compares, pages }: ReleasesProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    this.applicationName = application.applicationName;
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    for (const [name, alias] of Object.entries(functions.live)) {
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        role,
        alias,
        deploymentConfig: CANARY,
        alarms: [...gates[name as RouteTarget]],
        ...(compares !== undefined && { preHook: compares.lambda }),
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
      compares?.allow(['codedeploy:GetDeployment'], [group.deploymentGroupArn]);
      // The traffic moves once the group knows the alarms of this version, and may call what compares it.
      alias.node.addDependency(group, role);
    }
    new Rule(this, 'Stopped', {
      description: 'Releases that failed or were stopped',
      eventPattern: {
        source: ['aws.codedeploy'],
        detailType: ['CodeDeploy Deployment State-change Notification'],
        detail: { state: ['FAILURE', 'STOP'], application: [application.applicationName] },
      },
      targets: [new SnsTopic(pages)],
    });
  }
}
