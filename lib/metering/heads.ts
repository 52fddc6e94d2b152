import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { type Bucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { PRICES_PARTITION } from '../../lambdas/access/store/price-lists.ts';
import { HEADS_PARTITION, UNSEALED_SLOTS } from '../../lambdas/settlement/heads.ts';
import {
  HEAD_KEY_VARIABLE,
  HEADS_BUCKET_VARIABLE,
  ISSUER_SECRET_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import { allowObjects, closedBucket } from '../functions/closed.ts';
import { runEvery } from '../functions/rule-target.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import type { Evidence } from './evidence.ts';
import type { MeteringTables } from './metering-tables.ts';

/** One at a time. Two would get in each other's way: the second finds its number taken and begins again. */
const SIZE: FunctionSize = { memoryMb: 512, timeoutSeconds: 300, reservedConcurrency: 1 };
const INTERVAL = Duration.hours(1);
const EVENT_RETRIES = 2;
/** First parts of the keys of what bills are proved with. */
const PUBLISHED = ['certificates/', 'heads/', 'leaves/', 'prices/'];

interface HeadsProps {
  readonly config: StageConfig;
  readonly tables: MeteringTables;
  readonly layer: AccessLayer;
  readonly evidence: Evidence;
}

/**
 * The signed heads: a key that never leaves KMS, a bucket in which what is there stays, and the one function that may use the
 * key and write the bucket. It makes the key of receipts as well, which it cannot read again. Anybody reads them by the API.
 */
export class Heads extends Construct {
  readonly bucket: Bucket;
  readonly key: Key;
  /** Has the key that signs receipts. */
  readonly issuer: ISecret;

  constructor(scope: Construct, id: string, props: HeadsProps) {
    super(scope, id);
    const { config } = props;
    const { heads } = config;
    const isKept = config.removal === 'retain';
    const removalPolicy = isKept ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
    this.key = new Key(this, 'Key', {
      description: `Signs the heads of settled records, stage ${config.stage}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });
    this.bucket = closedBucket(this, 'Published', {
      versioned: true,
      ...(isKept &&
        heads.lockDays > 0 && {
          objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(heads.lockDays)),
        }),
      removalPolicy,
    });
    this.issuer = new Secret(this, 'Issuer', {
      description: `Signs receipts, stage ${config.stage}; replaced each day`,
      // Nothing that signs, until the first hourly run.
      generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'none' },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const service = this.addService(props);
    const retryAttempts = EVENT_RETRIES;
    runEvery(INTERVAL, service, { description: 'Signed heads of settled records', retryAttempts });
  }

  /** The one function that may sign, and write the bucket. */
  private addService({ config, tables, layer, evidence }: HeadsProps): ServiceFunction {
    const service = new ServiceFunction(this, 'Service', {
      name: 'seal',
      description: 'Signs heads of settled records',
      size: SIZE,
      settings: toStageSettings(config),
      layer,
      logs: config.logs,
      environment: {
        ...tables.environment,
        ...evidence.environment,
        [HEADS_BUCKET_VARIABLE]: this.bucket.bucketName,
        [HEAD_KEY_VARIABLE]: this.key.keyArn,
        [ISSUER_SECRET_VARIABLE]: this.issuer.secretArn,
      },
    });
    service.allow(['secretsmanager:PutSecretValue'], [this.issuer.secretArn]);
    service.allow(['kms:GetPublicKey', 'kms:Sign'], [this.key.keyArn]);
    allowObjects(service, this.bucket, ['s3:GetObject', 's3:PutObject'], PUBLISHED);
    service.allow(['dynamodb:DeleteItem', 'dynamodb:Query'], [tables.unsettled.tableArn], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [...UNSEALED_SLOTS] },
    });
    evidence.allowLooking(service, ['s3:GetObject', 's3:PutObject']);
    // Whether the ledger has what was sealed; of that table it puts one item, the last head that it knows.
    service.allow(['dynamodb:GetItem'], [tables.ledger.tableArn]);
    service.allow(['dynamodb:Query'], [tables.ledger.tableArn], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [PRICES_PARTITION] },
    });
    service.allow(['dynamodb:PutItem'], [tables.ledger.tableArn], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [HEADS_PARTITION] },
    });
    return service;
  }

  /** The variable that names the bucket to a function. */
  get environment(): Readonly<Record<string, string>> {
    return { [HEADS_BUCKET_VARIABLE]: this.bucket.bucketName };
  }

  /** Lets a function sign receipts and show what bills are proved with; tells it where the key and the objects are. */
  allowShowing(service: ServiceFunction): void {
    allowObjects(service, this.bucket, ['s3:GetObject'], PUBLISHED);
    service.lambda.addEnvironment(HEADS_BUCKET_VARIABLE, this.bucket.bucketName);
    service.allow(['secretsmanager:GetSecretValue'], [this.issuer.secretArn]);
    service.lambda.addEnvironment(ISSUER_SECRET_VARIABLE, this.issuer.secretArn);
  }

  /** Lets a function read heads. */
  allowReading(service: ServiceFunction): void {
    allowObjects(service, this.bucket, ['s3:GetObject'], ['heads/']);
  }
}
