import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import {
  INDEXED_CHAIN_VARIABLE,
  PROBE_SECRET_VARIABLE,
  PROBE_URL_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import { runEvery } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';

const SIZE: FunctionSize = { memoryMb: 256, timeoutSeconds: 30 };
const INTERVAL = Duration.minutes(1);

interface ProbeProps {
  readonly config: StageConfig;
  /** Secret with an API key of the operator's. */
  readonly secret: string;
  /** Public URL of the stage. */
  readonly url: string;
  readonly layer: AccessLayer;
}

/** Asks the stage as a client does, by its public name. It may read its key, and nothing else of the stage. */
export class Probe extends Construct {
  constructor(scope: Construct, id: string, { config, secret, url, layer }: ProbeProps) {
    super(scope, id);
    const chain = config.chains.find((one) => one.default)?.chain;
    const service = new ServiceFunction(this, 'Service', {
      name: 'probe',
      description: 'Asks the stage as a client does',
      size: SIZE,
      settings: toStageSettings(config),
      layer,
      logs: config.logs,
      environment: {
        [PROBE_URL_VARIABLE]: url,
        [PROBE_SECRET_VARIABLE]: secret,
        ...(config.indexing.enabled && chain !== undefined && { [INDEXED_CHAIN_VARIABLE]: chain }),
      },
    });
    // Secrets Manager ends the name in an ARN with six characters of its own.
    const resource = { service: 'secretsmanager', resource: 'secret', resourceName: `${secret}-??????` };
    const arn = Stack.of(this).formatArn({ ...resource, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    service.allow(['secretsmanager:GetSecretValue'], [arn]);
    // The next run asks the same.
    runEvery(INTERVAL, service, { description: 'Asks the stage as a client does', retryAttempts: 0 });
  }
}
