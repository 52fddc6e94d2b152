import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ServiceFunctions } from './service-functions.ts';

/**
 * A tenth of the requests for a quarter of an hour: as long as the alarm takes to see a version that fails always, and to
 * see one that fails a fifth of its requests.
 */
const CANARY = LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES;

export interface ReleasesProps {
  readonly functions: Pick<ServiceFunctions, 'live'>;
  /** Ends a release, and takes it back. */
  readonly gate: Alarm;
}

/**
 * Releases of the functions behind the API: a new version gets a part of the requests first, and all of them only if the
 * alarm stays silent. One that does not is rolled back, and the whole deployment with it.
 */
export class Releases extends Construct {
  constructor(scope: Construct, id: string, { functions, gate }: ReleasesProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    for (const [name, alias] of Object.entries(functions.live))
      new LambdaDeploymentGroup(this, name, {
        application,
        role,
        alias,
        deploymentConfig: CANARY,
        alarms: [gate],
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
  }
}
