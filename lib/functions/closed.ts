import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';

/** A bucket that only principals with a right reach, through TLS; S3 encrypts it. */
export function closedBucket(scope: Construct, id: string, props: BucketProps): Bucket {
  return new Bucket(scope, id, {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    ...props,
  });
}

/** A queue that is reached through TLS; SQS encrypts it. */
export function closedQueue(scope: Construct, id: string, props: QueueProps): Queue {
  return new Queue(scope, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
}

/** Lets a function read, or also write, the objects with these prefixes. */
export function allowObjects(
  service: ServiceFunction,
  bucket: Bucket,
  actions: readonly ('s3:GetObject' | 's3:PutObject')[],
  prefixes: readonly string[] = [''],
): void {
  service.allow(
    actions,
    prefixes.map((prefix) => bucket.arnForObjects(`${prefix}*`)),
  );
  // Without it, S3 answers for an object that is not there as for one that may not be read.
  service.allow(['s3:ListBucket'], [bucket.bucketArn]);
}
