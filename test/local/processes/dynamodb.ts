import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../../local/client-config.ts';
import { type DynamoDbEngine, startDynamoDb } from '../../../local/processes/dynamodb.ts';
import {
  type EmbeddedProcess,
  requireExecutable,
  startEmbeddedProcess,
} from '../../../local/processes/embedded-process.ts';
import { withoutSync } from '../../../local/processes/without-sync.ts';
import { createTables } from '../../../local/tables.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { hasJava } from '../../emulators/dynamodb-local.ts';
import { isAtLength } from '../../support/at-length.ts';
import { ACCESS_KEY_ID } from '../access-key.ts';
import { makeTemplate } from '../make-template.ts';
import { processesMentioning, untilNoneMentions } from '../processes.ts';

/** The embedded DynamoDB keeps its tables, and says in a line why it cannot start. */
export function testDynamoDb(): void {
  const END_TIMEOUT_MS = 120_000;

  let folder: string;
  let told: string[];
  const tell = (line: string) => told.push(line);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dynamodb-'));
    told = [];
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

  /** Amazon's takes ten times as long to start: the quick part does without it. */
  const hasAmazon = isAtLength && hasJava();
  const ENGINES: readonly DynamoDbEngine[] = hasAmazon ? ['dynoxide', 'amazon'] : ['dynoxide'];

  test.each(ENGINES)('%s keeps its tables over a restart and leaves no process', async (engine) => {
    const first = await startDynamoDb(folder, engine, 'first1', tell);
    const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
    await createTables(template, resolve, localClientConfig(first.url, 'first1'));
    await first.stop();
    const second = await startDynamoDb(folder, engine, 'second2', tell);
    const client = new DynamoDBClient(localClientConfig(second.url, 'second2'));
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['stack-Notes']);
    client.destroy();
    await second.stop();
    await untilNoneMentions(folder, END_TIMEOUT_MS);
  });

  test.each(ENGINES)('%s is reached with the access key of the run', async (engine) => {
    const part = await startDynamoDb(folder, engine, ACCESS_KEY_ID, tell);
    const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
    await createTables(template, resolve, localClientConfig(part.url, ACCESS_KEY_ID));
    const stranger = new DynamoDBClient(localClientConfig(part.url, 'stranger'));
    await expect(stranger.send(new ListTablesCommand({}))).rejects.toThrow('access_key_id in gateway.json');
    stranger.destroy();
    await part.stop();
  });

  const testOfAmazon = hasAmazon ? test : test.skip;

  testOfAmazon('DynamoDB Local does not show the tables on its own port', async () => {
    const part = await startDynamoDb(folder, 'amazon', ACCESS_KEY_ID, tell);
    const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
    await createTables(template, resolve, localClientConfig(part.hiddenUrl, ACCESS_KEY_ID));
    const stranger = new DynamoDBClient(localClientConfig(part.hiddenUrl, 'stranger'));
    expect((await stranger.send(new ListTablesCommand({}))).TableNames).toEqual([]);
    stranger.destroy();
    const response = await fetch(part.hiddenUrl, { headers: { origin: 'http://evil.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    await part.stop();
  });

  describe('the file of dynoxide', () => {
    const file = () => join(folder, 'dynoxide.sqlite');

    async function startWithTable(): Promise<EmbeddedProcess> {
      const part = await startDynamoDb(folder, 'dynoxide', ACCESS_KEY_ID, tell);
      const resolve = createResolver(template, { attribute: createAttributes(template, 'http://sqs') });
      await createTables(template, resolve, localClientConfig(part.url, ACCESS_KEY_ID));
      return part;
    }

    test('is not waited for at each write, and whole after a kill', async () => {
      const killed = await startWithTable();
      const [id] = processesMentioning(`--db-path\0${file()}`).filter((each) =>
        readlinkSync(`/proc/${each}/exe`).endsWith('/dynoxide'),
      );
      expect(readFileSync(`/proc/${id}/status`, 'utf8')).toMatch(/^Seccomp:\s2$/m);
      killed.kill();
      await killed.ended;
      const next = await startDynamoDb(folder, 'dynoxide', ACCESS_KEY_ID, tell);
      const client = new DynamoDBClient(localClientConfig(next.url, ACCESS_KEY_ID));
      expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['stack-Notes']);
      client.destroy();
      await next.stop();
    });

    test('is refused if it is damaged', async () => {
      const killed = await startWithTable();
      killed.kill();
      await killed.ended;
      writeFileSync(file(), Buffer.alloc(4096, 7));
      writeFileSync(`${file()}-wal`, '');
      await expect(startDynamoDb(folder, 'dynoxide', ACCESS_KEY_ID, tell)).rejects.toThrow(
        /damaged.*--fresh/,
      );
    });
  });

  test('a command without sync is told that the disk has all, and runs without Perl too', () => {
    // No disk is behind this file, so that a real `fsync` of it fails.
    const { command, commandArguments } = withoutSync({
      command: '/bin/dd',
      commandArguments: ['if=/dev/null', 'of=/dev/null', 'conv=fsync'],
    });
    const run = (variables: NodeJS.ProcessEnv) =>
      spawnSync(command, commandArguments, { encoding: 'utf8', env: variables });
    expect(run(process.env)).toMatchObject({ status: 0 });
    expect(run({ PATH: folder })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('fsync failed'),
    });
  });

  const options = {
    name: 'part',
    isReady: async () => false,
    stall: { windowMs: 300, leastWorkMs: Number.POSITIVE_INFINITY },
    stopTimeoutMs: 300,
  };

  test('a part that cannot start says why in one line', async () => {
    const part = startEmbeddedProcess({
      ...options,
      command: '/bin/sh',
      commandArguments: () => ['-c', 'echo; echo "no room" >&2; exit 3'],
      stall: { windowMs: END_TIMEOUT_MS, leastWorkMs: 0 },
    });
    await expect(part).rejects.toThrow('part did not start: it ended with code 3 (no room)');
  });

  test('a part that does not answer is killed', async () => {
    const marker = join(folder, 'silent.sh');
    writeFileSync(marker, '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 0.05; done\n');
    chmodSync(marker, 0o700);
    const part = startEmbeddedProcess({ ...options, command: marker, commandArguments: () => [] });
    await expect(part).rejects.toThrow(
      /^part did not start: it hung: it used \d+ ms of processor time in 0\.3 s, .+$/,
    );
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
}
