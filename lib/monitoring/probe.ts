import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { RELEASE_FILE } from '../../lambdas/probe/release-request.ts';
import {
  INDEXED_CHAIN_VARIABLE,
  PROBE_SECRET_VARIABLE,
  PROBE_URL_VARIABLE,
  RELEASED_FUNCTIONS_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import { runEvery } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import { releaseFile } from './release-file.ts';

/** A run of a minute takes ten seconds at most, the comparison of a release four minutes. */
const SIZE: FunctionSize = { memoryMb: 256, timeoutSeconds: 300 };
const INTERVAL = Duration.minutes(1);

interface ProbeProps {
  readonly config: StageConfig;
  /** Secret with an API key of the operator's. */
  readonly secret: string;
  /** Public URL of the stage. */
  readonly url: string;
  readonly functions: ServiceFunctions;
}

/**
 * Asks the stage as a client does, by its public name. It may read its key, and nothing else of the stage; with canaries it
 * also calls the versions that are released, and compares them.
 */
export class Probe extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, { config, secret, url, functions }: ProbeProps) {
    super(scope, id);
    const chain = config.chains.find((one) => one.default)?.chain;
    const { canary } = config.releases;
    const service = new ServiceFunction(this, 'Service', {
      name: 'probe',
      description: 'Asks the stage as a client does',
      size: SIZE,
      settings: toStageSettings(config),
      layer: functions.layer,
      logs: config.logs,
      files: canary ? { [RELEASE_FILE]: JSON.stringify(releaseFile(config)) } : {},
      environment: {
        [PROBE_URL_VARIABLE]: url,
        [PROBE_SECRET_VARIABLE]: secret,
        ...(config.indexing.enabled && chain !== undefined && { [INDEXED_CHAIN_VARIABLE]: chain }),
      },
    });
    this.service = service;
    if (canary) this.callVersions(functions);
    // Secrets Manager ends the name in an ARN with six characters of its own.
    const resource = { service: 'secretsmanager', resource: 'secret', resourceName: `${secret}-??????` };
    const arn = Stack.of(this).formatArn({ ...resource, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    service.allow(['secretsmanager:GetSecretValue'], [arn]);
    // The next run asks the same.
    runEvery(INTERVAL, service, { description: 'Asks the stage as a client does', retryAttempts: 0 });
  }
  /** Lets it call every version of the functions behind the API, and tells it their names. */
  private callVersions({ live }: ServiceFunctions): void {
    const released = Object.entries(live).map(([name, { lambda }]) => ({ name, lambda }));
    const names = released.map(({ name, lambda }) => `${name}=${lambda.functionName}`).join(',');
    this.service.addEnvironment(RELEASED_FUNCTIONS_VARIABLE, names);
    this.service.allow(
      ['lambda:InvokeFunction'],
      released.map(({ lambda }) => `${lambda.functionArn}:*`),
    );
  }
}
