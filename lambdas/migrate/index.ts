import { join } from 'node:path';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { connectRdsData, connectSecrets } from 'gateway-access';
import type { AccessRole } from '../shared/chain-database/names.ts';
import { openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { log } from '../shared/runtime/log.ts';
import { loadStageSettings } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { withRetry } from '../shared/runtime/with-retry.ts';
import { handleCommand, type MigrateCommand, type MigrateCommandResponse } from './command.ts';
import { MIGRATIONS_FOLDER, READER_SECRET_ARN_VARIABLE, WRITER_SECRET_ARN_VARIABLE } from './environment.ts';
import { handleDeployment } from './handler.ts';
import type { Login } from './login-roles.ts';
import { dropChain, migrate, resumeChain, whenAvailable } from './migrate.ts';
import { readMigrations } from './read-migrations.ts';
import { rotate } from './rotate.ts';

/** A new cluster, or one that has slept for days, takes a while to answer its first call. */
const RESUME_WAIT_MS = 120_000;
const SECRET_CONNECT_TIMEOUT_MS = 1_000;
/** Time for one attempt to read a secret, connection and response included, in milliseconds. */
const SECRET_TIMEOUT_MS = 5_000;
const READ_SECRET_RETRY = { pausesMs: [200, 200] };

const database = openChainDatabase({ connect: connectRdsData, resumeWaitMs: RESUME_WAIT_MS });
const secrets = connectSecrets({
  connectTimeoutMs: SECRET_CONNECT_TIMEOUT_MS,
  timeoutMs: SECRET_TIMEOUT_MS,
});
const SECRET_ARN_VARIABLES: Readonly<Record<AccessRole, string>> = {
  writer: WRITER_SECRET_ARN_VARIABLE,
  reader: READER_SECRET_ARN_VARIABLE,
};
const migrations = readMigrations(join(requireVariable('LAMBDA_TASK_ROOT'), MIGRATIONS_FOLDER));

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));

async function migrateChains(chains: readonly string[]): Promise<string[]> {
  const [writer, reader] = await Promise.all([loginOf('writer'), loginOf('reader')]);
  const plan = { chains, migrations, credentials: { writer, reader } };
  return whenAvailable(() => migrate(database, plan), { clock: systemClock, pause: sleep });
}

function rotateRole(role: AccessRole): Promise<string> {
  const secret = {
    read: () => readSecret(role),
    write: (text: string) => secrets.write(requireVariable(SECRET_ARN_VARIABLES[role]), text),
  };
  return rotate(role, { database, secret, clock: systemClock });
}

/**
 * Migrates the chain database: called by CloudFormation on a deployment, by a local run at its start, and by an operator
 * who wants it done again, a chain rebuilt or dropped, a halted index to go on, or a new password.
 */
export const handler = (
  event: CloudFormationCustomResourceEvent | MigrateCommand,
): Promise<MigrateCommandResponse | undefined> =>
  'ResponseURL' in event
    ? handleDeployment(event, { fetch, migrate: migrateChains, log }).then(() => undefined)
    : handleCommand(event, {
        chains: settings.chains.map(({ chain }) => chain),
        migrate: migrateChains,
        log,
        drop: (chain) => dropChain(database, chain),
        resume: (chain) => resumeChain(database, chain),
        rotate: rotateRole,
      });

function readSecret(role: AccessRole): Promise<string> {
  return withRetry(() => secrets.read(requireVariable(SECRET_ARN_VARIABLES[role])), READ_SECRET_RETRY);
}

async function loginOf(role: AccessRole): Promise<Login> {
  const { username, password } = JSON.parse(await readSecret(role)) as Partial<Login>;
  if (username === undefined || password === undefined)
    throw new Error(`the secret of the ${role} role has no username and password`);
  return { username, password };
}
