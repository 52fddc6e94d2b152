import { join } from 'node:path';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { repeat } from '../aws/repeat.ts';
import { connectSecrets } from '../aws/secrets-client.ts';
import { openChainDatabase } from '../chain-data/open-chain-database.ts';
import { requireVariable } from '../environment.ts';
import { loadStageSettings } from '../settings.ts';
import { handleCommand, type MigrateCommand, type MigrateCommandAnswer } from './command.ts';
import { MIGRATIONS_FOLDER, READER_SECRET_ARN_VARIABLE, WRITER_SECRET_ARN_VARIABLE } from './environment.ts';
import { handleDeployment } from './handler.ts';
import { forgetChain, migrate, resumeChain } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';
import { scramVerifier } from './scram-verifier.ts';

/** A new cluster, or one that has slept for days, takes a while to answer its first call. */
const RESUME_WAIT_MS = 120_000;
const SECRET_CONNECT_TIMEOUT_MS = 1_000;
/** Time for one attempt to read a secret, connection and answer included, in milliseconds. */
const SECRET_TIMEOUT_MS = 5_000;
const READ_SECRET = { attempts: 3, pauseMs: 200 };

const database = openChainDatabase({ resumeWaitMs: RESUME_WAIT_MS });
const fetchSecret = connectSecrets({
  connectTimeoutMs: SECRET_CONNECT_TIMEOUT_MS,
  timeoutMs: SECRET_TIMEOUT_MS,
});
const migrations = readMigrations(join(requireVariable('LAMBDA_TASK_ROOT'), MIGRATIONS_FOLDER));

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));

async function migrateChains(chains: readonly string[]): Promise<string[]> {
  const [writer, reader] = await Promise.all([
    verifierOf(requireVariable(WRITER_SECRET_ARN_VARIABLE)),
    verifierOf(requireVariable(READER_SECRET_ARN_VARIABLE)),
  ]);
  return migrate(database, { chains, migrations, verifiers: { writer, reader } });
}

/**
 * Migrates the chain database: called by CloudFormation on a deployment, by a local run at its start, and by an operator
 * who wants it done again, a chain rebuilt, or a halted index to go on.
 */
export const handler = (
  event: CloudFormationCustomResourceEvent | MigrateCommand,
): Promise<MigrateCommandAnswer | undefined> =>
  'ResponseURL' in event
    ? handleDeployment(event, { fetch, migrate: migrateChains }).then(() => undefined)
    : handleCommand(event, {
        chains: settings.chains.map(({ chain }) => chain),
        migrate: migrateChains,
        forget: (chain) => forgetChain(database, chain),
        resume: (chain) => resumeChain(database, chain),
      });

async function verifierOf(secretArn: string): Promise<string> {
  const secret = await repeat(() => fetchSecret(secretArn), READ_SECRET);
  const { password } = JSON.parse(secret) as { readonly password?: string };
  if (password === undefined) throw new Error('a role of the chain database has no password');
  return scramVerifier(password);
}
