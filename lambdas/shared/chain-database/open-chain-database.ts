import { systemClock } from '../runtime/clock.ts';
import {
  DATABASE_ARN_VARIABLE,
  DATABASE_NAME_VARIABLE,
  DATABASE_SECRET_ARN_VARIABLE,
  requireVariable,
} from '../runtime/environment.ts';
import { emitMetrics } from '../runtime/metrics.ts';
import { type ChainDatabase, type ChainDatabaseOptions, createChainDatabase } from './chain-database.ts';

/** Whether this function has access to a chain database. */
export function hasChainDatabase(): boolean {
  return (process.env[DATABASE_ARN_VARIABLE] ?? '') !== '';
}

/** The chain database, in the role that the stack gave this function. Opens no connection before its first use. */
export function openChainDatabase(
  options: Omit<ChainDatabaseOptions, 'resourceArn' | 'secretArn' | 'database'>,
): ChainDatabase {
  return createChainDatabase({
    onAsleep: () => emitMetrics({ values: { DatabaseResumes: 1 } }, systemClock.now()),
    ...options,
    resourceArn: requireVariable(DATABASE_ARN_VARIABLE),
    secretArn: requireVariable(DATABASE_SECRET_ARN_VARIABLE),
    database: requireVariable(DATABASE_NAME_VARIABLE),
  });
}
