import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { BLOCK_FILES_BUCKET_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import type { ServiceFunction } from '../functions/service-function.ts';

/** A file is read within the hours of its backfill; the operator has it still. */
const KEPT = Duration.days(7);

/** Files of blocks that an operator fills a chain from. What fills it only reads them. */
export class BlockFiles extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Uploaded', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: KEPT }],
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** Lets a function read files; tells it where they are. */
  allowReading(service: ServiceFunction): void {
    service.allow(['s3:GetObject'], [this.bucket.arnForObjects('*')]);
    // Without it, S3 answers for an object that is not there as for one that may not be read.
    service.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    service.lambda.addEnvironment(BLOCK_FILES_BUCKET_VARIABLE, this.bucket.bucketName);
  }
}
