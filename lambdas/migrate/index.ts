import { join } from 'node:path';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { openChainDatabase } from '../chain-data/open-chain-database.ts';
import { requireVariable } from '../environment.ts';
import { MIGRATIONS_FOLDER, READER_SECRET_ARN_VARIABLE, WRITER_SECRET_ARN_VARIABLE } from './environment.ts';
import { handleDeployment } from './handler.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';
import { scramVerifier } from './scram-verifier.ts';

/** A new cluster, or one that has slept for days, takes a while to answer its first call. */
const RESUME_WAIT_MS = 120_000;
const SECRETS_TIMEOUT_MS = 5_000;
const SECRETS_ATTEMPTS = 3;

const database = openChainDatabase({ resumeWaitMs: RESUME_WAIT_MS });
const secrets = new SecretsManagerClient({
  maxAttempts: SECRETS_ATTEMPTS,
  requestHandler: { requestTimeout: SECRETS_TIMEOUT_MS },
});
const migrations = readMigrations(join(requireVariable('LAMBDA_TASK_ROOT'), MIGRATIONS_FOLDER));

/** Migrates the chain database: called by CloudFormation on a deployment, and by a local run at its start. */
export const handler = (event: CloudFormationCustomResourceEvent): Promise<void> =>
  handleDeployment(event, {
    fetch,
    migrate: async (chains) => {
      const [writer, reader] = await Promise.all([
        verifierOf(requireVariable(WRITER_SECRET_ARN_VARIABLE)),
        verifierOf(requireVariable(READER_SECRET_ARN_VARIABLE)),
      ]);
      return migrate(database, { chains, migrations, verifiers: { writer, reader } });
    },
  });

async function verifierOf(secretArn: string): Promise<string> {
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretArn }));
  const { password } = JSON.parse(SecretString ?? '{}') as { readonly password?: string };
  if (password === undefined) throw new Error('a role of the chain database has no password');
  return scramVerifier(password);
}
