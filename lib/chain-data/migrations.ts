import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import {
  MIGRATIONS_FOLDER,
  READER_SECRET_ARN_VARIABLE,
  WRITER_SECRET_ARN_VARIABLE,
} from '../../lambdas/migrate/environment.ts';
import { toStageSettings } from '../config/config.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { AccessLayer } from '../functions/access-layer.ts';
import { type FunctionSize, ServiceFunction } from '../functions/service-function.ts';
import type { ChainCluster } from './chain-database.ts';

/** Building an index of a full table takes its time; Lambda allows no more. */
const SIZE: FunctionSize = { memoryMb: 512, timeoutSeconds: 900 };
/** CloudFormation waits a little longer than the function can take to answer. */
const SERVICE_TIMEOUT = Duration.seconds(SIZE.timeoutSeconds + 60);
const SOURCE = join(import.meta.dirname, '..', '..', 'database', 'migrations');
const RESOURCE_TYPE = 'Custom::ChainDatabaseSchemas';

interface MigrationsProps {
  readonly config: StageConfig;
  readonly database: ChainCluster;
  readonly layer: AccessLayer;
}

/** Brings the schemas of all chains up to date, as a step of each deployment that changes a migration or a chain. */
export class Migrations extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, { config, database, layer }: MigrationsProps) {
    super(scope, id);
    const migrations = readMigrations();
    const roles = { writer: database.secretOf('writer'), reader: database.secretOf('reader') };
    this.service = new ServiceFunction(this, 'Service', {
      name: 'migrate',
      description: 'Migrates the chain database',
      size: SIZE,
      settings: toStageSettings(config),
      layer,
      logs: config.logs,
      environment: {
        [WRITER_SECRET_ARN_VARIABLE]: roles.writer.secretArn,
        [READER_SECRET_ARN_VARIABLE]: roles.reader.secretArn,
      },
      files: migrations,
    });
    database.grantAccess(this.service, 'admin');
    this.service.allow(
      ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
      [roles.writer.secretArn, roles.reader.secretArn],
    );
    const resource = new CustomResource(this, 'Schemas', {
      serviceToken: this.service.lambda.functionArn,
      serviceTimeout: SERVICE_TIMEOUT,
      resourceType: RESOURCE_TYPE,
      properties: { Chains: config.chains.map(({ chain }) => chain), Checksum: checksum(migrations) },
    });
    resource.node.addDependency(database.cluster, this.service);
    database.schemas.add(resource);
  }
}

/** The migrations as files of the function's bundle. */
function readMigrations(): Record<string, string> {
  const names = readdirSync(SOURCE).sort();
  return Object.fromEntries(
    names.map((name) => [`${MIGRATIONS_FOLDER}/${name}`, readFileSync(join(SOURCE, name), 'utf8')]),
  );
}

function checksum(migrations: Readonly<Record<string, string>>): string {
  return createHash('sha256').update(JSON.stringify(migrations)).digest('hex');
}
