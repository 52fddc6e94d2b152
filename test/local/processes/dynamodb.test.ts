import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../../local/client-config.ts';
import { type DynamoDbEngine, startDynamoDb } from '../../../local/processes/dynamodb.ts';
import { requireExecutable, startEmbeddedProcess } from '../../../local/processes/embedded-process.ts';
import { createTables } from '../../../local/tables.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { makeTemplate } from '../make-template.ts';
import { untilNoneMentions } from '../processes.ts';

const END_TIMEOUT_MS = 120_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dynamodb-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const template = makeTemplate({
  Notes: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    },
  },
});

function hasJava(): boolean {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const ENGINES: readonly DynamoDbEngine[] = hasJava() ? ['dynoxide', 'amazon'] : ['dynoxide'];

test.each(ENGINES)('%s keeps its tables over a restart and leaves no process', async (engine) => {
  const first = await startDynamoDb(folder, engine);
  const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
  await createTables(template, resolve, first.url);
  await first.stop();
  const second = await startDynamoDb(folder, engine);
  const client = new DynamoDBClient(localClientConfig(second.url));
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['stack-Notes']);
  client.destroy();
  await second.stop();
  await untilNoneMentions(folder, END_TIMEOUT_MS);
});

const options = {
  name: 'part',
  isReady: async () => false,
  startTimeoutMs: 300,
  stopTimeoutMs: 300,
};

test('a part that cannot start says why in one line', async () => {
  const part = startEmbeddedProcess({
    ...options,
    command: '/bin/sh',
    commandArguments: () => ['-c', 'echo; echo "no room" >&2; exit 3'],
    startTimeoutMs: 10_000,
  });
  await expect(part).rejects.toThrow('part did not start: it ended with code 3 (no room)');
});

test('a part that does not answer is killed', async () => {
  const marker = join(folder, 'silent.sh');
  writeFileSync(marker, '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 0.05; done\n');
  chmodSync(marker, 0o700);
  const part = startEmbeddedProcess({ ...options, command: marker, commandArguments: () => [] });
  await expect(part).rejects.toThrow('part did not answer within 300 ms');
  await untilNoneMentions(marker, END_TIMEOUT_MS);
});

test('a part that does not stop when asked is killed', async () => {
  const marker = join(folder, 'stubborn.sh');
  writeFileSync(marker, '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 0.05; done\n');
  chmodSync(marker, 0o700);
  const part = await startEmbeddedProcess({
    ...options,
    command: marker,
    commandArguments: () => [],
    isReady: async () => true,
  });
  await part.stop();
  expect(await part.ended).toMatch(/SIGKILL/);
  await untilNoneMentions(marker, END_TIMEOUT_MS);
});

test('a binary that is not there is told with what to do', async () => {
  await expect(requireExecutable('anvil', join(folder, 'anvil'))).rejects.toThrow(
    /^anvil is missing .*run "npm ci"/,
  );
});
