import { Architecture, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { bundleAccessLayer } from './bundle.ts';

/** Runtime of every function and of the layer between them. */
export const RUNTIME = Runtime.NODEJS_24_X;
export const ARCHITECTURE = Architecture.ARM_64;

/** Authentication and metering, as one layer of every keyed function. */
export class AccessLayer extends Construct {
  readonly version: LayerVersion;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.version = new LayerVersion(this, 'Version', {
      description: 'Authentication and metering',
      code: bundleAccessLayer(),
      compatibleRuntimes: [RUNTIME],
      compatibleArchitectures: [ARCHITECTURE],
    });
  }
}
