import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { LANE_KEPT_DAYS } from '../../lambdas/access/charge/lane.ts';
import { LEAVES_PREFIX } from '../../lambdas/settlement/evidence.ts';
import { SEALED_PREFIX } from '../../lambdas/settlement/heads.ts';
import { EVIDENCE_BUCKET_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { allowObjects, closedBucket } from '../functions/closed.ts';
import type { ServiceFunction } from '../functions/service-function.ts';

/** What was overwritten or deleted can be brought back for as long. */
const NONCURRENT_DAYS = 30;

/** The lanes that settlement has added up, kept as long as the lanes themselves: customers check their records by them. */
export class Evidence extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { removal }: Pick<StageConfig, 'removal'>) {
    super(scope, id);
    this.bucket = closedBucket(this, 'Leaves', {
      versioned: true,
      lifecycleRules: [
        {
          expiration: Duration.days(LANE_KEPT_DAYS),
          noncurrentVersionExpiration: Duration.days(NONCURRENT_DAYS),
        },
      ],
      removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
  }

  /** The variable that names the bucket to a function. */
  get environment(): Readonly<Record<string, string>> {
    return { [EVIDENCE_BUCKET_VARIABLE]: this.bucket.bucketName };
  }

  /** Lets settlement add leaves. It reads none of them: what it needs, it has in memory. */
  allowKeeping(service: ServiceFunction): void {
    service.allow(['s3:PutObject'], [this.bucket.arnForObjects(`${LEAVES_PREFIX}*`)]);
  }

  /** Lets a function read, or also write, what tells the records below a head. */
  allowLooking(service: ServiceFunction, actions: readonly ('s3:GetObject' | 's3:PutObject')[]): void {
    allowObjects(service, this.bucket, actions, [SEALED_PREFIX]);
  }

  /** Lets a function show leaves; tells it where they are. */
  allowReading(service: ServiceFunction): void {
    allowObjects(service, this.bucket, ['s3:GetObject'], [LEAVES_PREFIX]);
    service.lambda.addEnvironment(EVIDENCE_BUCKET_VARIABLE, this.bucket.bucketName);
  }
}
