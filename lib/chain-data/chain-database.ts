import { CfnResource, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  AuroraPostgresEngineVersion,
  CfnDBInstance,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
  DatabaseInsightsMode,
  DatabaseSecret,
  DBClusterStorageType,
  PerformanceInsightRetention,
} from 'aws-cdk-lib/aws-rds';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, DependencyGroup } from 'constructs';
import { READER_ROLE, WRITER_ROLE } from '../../lambdas/shared/chain-database/names.ts';
import {
  ANSWER_KEY_VARIABLE,
  DATABASE_ARN_VARIABLE,
  DATABASE_NAME_VARIABLE,
  DATABASE_SECRET_ARN_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import { Imports } from './imports.ts';

/** Name of the database with the schemas of the chains. */
export const DATABASE_NAME = 'gateway';
/** Major version of Aurora PostgreSQL, which local runs have as well. */
const ENGINE_MAJOR = '17';
const ADMIN_ROLE = 'gateway_admin';
/** Aurora wants subnets in two zones, and has an address in each at most. */
const AVAILABILITY_ZONES = 2;
const SUBNET_MASK = 26;
const RETAINED_BACKUPS = Duration.days(14);
const THROWAWAY_BACKUPS = Duration.days(1);
/** The log that PostgreSQL writes: errors, and statements that wait or are cancelled. */
const LOG_EXPORT = 'postgresql';
/** Records the load by statement, for the seven days that are free. The recording keeps the database awake. */
const INSIGHTS = {
  enablePerformanceInsights: true,
  performanceInsightRetention: PerformanceInsightRetention.DEFAULT,
  databaseInsightsMode: DatabaseInsightsMode.STANDARD,
} as const;
/** Least idle time that a database which can pause must have; the one of Aurora. */
const DEFAULT_AUTO_PAUSE = Duration.minutes(5);

/** Field of the secret with the key of responses, its length, and all that it is not made of. */
const ANSWER_KEY_FIELD = 'key';
const ANSWER_KEY_LENGTH = 64;
const PUNCTUATION = ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

const STATEMENT = 'rds-data:ExecuteStatement';
const TRANSACTIONS = [
  'rds-data:BeginTransaction',
  'rds-data:CommitTransaction',
  'rds-data:RollbackTransaction',
];

/** Role of a function in the database: `admin` owns the schemas, `writer` fills them, `reader` only reads. */
type DatabaseRole = 'admin' | 'writer' | 'reader';

interface ChainDatabaseProps {
  readonly config: Pick<StageConfig, 'database' | 'indexing' | 'logs' | 'removal'>;
}

/**
 * The indexed chains: Aurora PostgreSQL Serverless v2, reached through the RDS Data API only. It has a network of its
 * own, with no way in, and none out but to the files that it imports; no function is in that.
 */
export class ChainCluster extends Construct {
  readonly cluster: DatabaseCluster;
  /** The resource that migrates the schemas: no function that uses them is deployed before it. */
  readonly schemas = new DependencyGroup();
  /** Files that it imports, where the stage indexes. */
  readonly imports: Imports | undefined;
  readonly #secrets: Readonly<Record<DatabaseRole, ISecret>>;
  readonly #answerKey: Secret;

  constructor(scope: Construct, id: string, { config }: ChainDatabaseProps) {
    super(scope, id);
    const retained = config.removal === 'retain';
    const vpc = new Vpc(this, 'Network', {
      maxAzs: AVAILABILITY_ZONES,
      natGateways: 0,
      subnetConfiguration: [
        { name: 'Database', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: SUBNET_MASK },
      ],
    });
    this.imports = config.indexing.enabled ? new Imports(this, 'Imports', { vpc, retained }) : undefined;
    this.cluster = this.addCluster(config, vpc);
    this.keepLog(config.logs.retentionDays);
    const { secret: admin } = this.cluster;
    if (admin === undefined) throw new Error('the cluster has no secret');
    this.#secrets = {
      admin,
      writer: new DatabaseSecret(this, 'WriterSecret', { username: WRITER_ROLE }),
      reader: new DatabaseSecret(this, 'ReaderSecret', { username: READER_ROLE }),
    };
    this.#answerKey = new Secret(this, 'AnswerKey', {
      description: 'Key of the tags and cursors of the Data API',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: ANSWER_KEY_FIELD,
        passwordLength: ANSWER_KEY_LENGTH,
        excludeCharacters: PUNCTUATION,
      },
    });
    if (retained) this.retain();
  }

  private addCluster(config: ChainDatabaseProps['config'], vpc: Vpc): DatabaseCluster {
    const { minAcu, maxAcu, autoPauseMinutes, engineVersion, standby, ioOptimized } = config.database;
    const retained = config.removal === 'retain';
    return new DatabaseCluster(this, 'Cluster', {
      engine: DatabaseClusterEngine.auroraPostgres({
        version: AuroraPostgresEngineVersion.of(engineVersion, ENGINE_MAJOR, { s3Import: true }),
      }),
      ...(this.imports !== undefined && { s3ImportRole: this.imports.role }),
      writer: ClusterInstance.serverlessV2('Writer'),
      // As large as the writer at any time, and the first to be promoted.
      readers: standby ? [ClusterInstance.serverlessV2('Standby', { scaleWithWriter: true })] : [],
      storageType: ioOptimized ? DBClusterStorageType.AURORA_IOPT1 : DBClusterStorageType.AURORA,
      ...(minAcu > 0 && INSIGHTS),
      cloudwatchLogsExports: [LOG_EXPORT],
      serverlessV2MinCapacity: minAcu,
      serverlessV2MaxCapacity: maxAcu,
      ...(minAcu === 0 && {
        serverlessV2AutoPauseDuration:
          autoPauseMinutes === undefined ? DEFAULT_AUTO_PAUSE : Duration.minutes(autoPauseMinutes),
      }),
      enableDataApi: true,
      defaultDatabaseName: DATABASE_NAME,
      credentials: Credentials.fromGeneratedSecret(ADMIN_ROLE),
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroups: [
        new SecurityGroup(this, 'Closed', {
          vpc,
          description: 'Lets nothing in and nothing out',
          allowAllOutbound: false,
        }),
        ...(this.imports === undefined ? [] : [this.imports.securityGroup]),
      ],
      storageEncrypted: true,
      copyTagsToSnapshot: true,
      backup: { retention: retained ? RETAINED_BACKUPS : THROWAWAY_BACKUPS },
      deletionProtection: retained,
      removalPolicy: retained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  /**
   * A kept cluster keeps its network, its security group and its passwords too: CloudFormation could delete none of the
   * former, and the data were of no use without the latter. What a failed first deployment made is kept as well, because
   * the deletion of a cluster that is protected against it would fail, and the rollback with it.
   */
  private retain(): void {
    const resources = this.node.findAll().filter((construct) => construct instanceof CfnResource);
    for (const resource of resources) resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }

  /**
   * The log of PostgreSQL, in a group that is there before any instance: RDS would make one that is kept for ever. It is
   * named after the cluster.
   */
  private keepLog(retention: StageConfig['logs']['retentionDays']): void {
    const log = new LogGroup(this, 'Log', {
      logGroupName: Fn.join('/', ['/aws/rds/cluster', this.cluster.clusterIdentifier, LOG_EXPORT]),
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const instances = this.cluster.node.findAll().filter((construct) => construct instanceof CfnDBInstance);
    for (const instance of instances) instance.node.addDependency(log);
  }

  /** The secret with the name and the password of a role. */
  secretOf(role: DatabaseRole): ISecret {
    return this.#secrets[role];
  }

  /**
   * Lets a function use the database as one role, and tells it the address. Only roles that write get transactions. Every
   * function but the admin's is deployed after the schemas are up to date, and so are the rules and event sources that
   * refer to it: no code reads a table that does not exist yet.
   */
  grantAccess(service: ServiceFunction, role: DatabaseRole): void {
    if (role !== 'admin') service.lambda.node.addDependency(this.schemas);
    const secret = this.secretOf(role);
    const actions = role === 'reader' ? [STATEMENT] : [STATEMENT, ...TRANSACTIONS];
    service.allow(actions, [this.cluster.clusterArn]);
    service.allow(['secretsmanager:GetSecretValue'], [secret.secretArn]);
    const variables = {
      [DATABASE_ARN_VARIABLE]: this.cluster.clusterArn,
      [DATABASE_NAME_VARIABLE]: DATABASE_NAME,
      [DATABASE_SECRET_ARN_VARIABLE]: secret.secretArn,
    };
    for (const [name, value] of Object.entries(variables)) service.lambda.addEnvironment(name, value);
  }

  /**
   * Gives a function the key that its responses are sealed with. CloudFormation sets it as a variable, so that no
   * response waits for a secret to be read. A principal that may read the function's configuration can read the key too,
   * and can get cached responses with it, but nothing else.
   */
  grantAnswerKey(service: ServiceFunction): void {
    const key = this.#answerKey.secretValueFromJson(ANSWER_KEY_FIELD).unsafeUnwrap();
    service.lambda.addEnvironment(ANSWER_KEY_VARIABLE, key);
  }
}
