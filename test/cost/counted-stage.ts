import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { functionName } from '../../bin/cost/stage-resources.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { loadStageConfig } from '../../lib/config/config.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { startApi } from '../../local/api/server.ts';
import { type LocalClientConfig, localClientConfig, newAccessKeyId } from '../../local/client-config.ts';
import { openDataFolder } from '../../local/data-folder.ts';
import { ensureDemoKey } from '../../local/demo.ts';
import type { Functions } from '../../local/functions/functions.ts';
import { openLogs } from '../../local/logs.ts';
import { parseOptions } from '../../local/options.ts';
import { startParts } from '../../local/parts.ts';
import { Closers } from '../../local/processes/closers.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import type { Step } from '../../local/steps.ts';
import { synthesised } from '../../local/synthesis.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { askForCapacity, OperationTally } from './operation-tally.ts';

const HOST = '127.0.0.1';
const DATA_FOLDER = 'data';
const TABLES: readonly (readonly [prefix: string, name: string])[] = [
  ['TablesKeys', 'keys'],
  ['TablesAccounts', 'accounts'],
  ['TablesLedger', 'ledger'],
  ['TablesLanes', 'lanes'],
  ['TablesUnsettled', 'unsettled'],
  ['ResponseCache', 'answers'],
];

/** A stage that runs on this machine, with all that its functions do counted. */
export interface CountedStage {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly tally: OperationTally;
  readonly stack: Stack;
  /** How the embedded DynamoDB itself is reached, past the proxy: what is done there is not counted. */
  readonly clientConfig: LocalClientConfig;
  readonly nodeUrl: string;
  /** Physical names of the tables by their names for people. */
  readonly tableNames: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Puts what an earlier run has left into a data folder, which is not there yet. */
export type PrepareDataFolder = (dataDir: string) => void;

/**
 * Starts a stage as `npm start` does, with proxies between its functions and DynamoDB, SQS and the database.
 * @param prepareDataFolder @default - the stage begins with nothing
 */
export async function startCountedStage(
  config: StageConfigInput,
  prepareDataFolder: PrepareDataFolder = () => {},
): Promise<CountedStage> {
  const scratch = await mkdtemp(join(tmpdir(), 'gateway-cost-'));
  const closers = new Closers();
  const remove = () => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  closers.add(() => {
    process.off('exit', remove);
    remove();
  });
  try {
    const configPath = join(scratch, 'stage.json');
    // A request then finds the process of the one before, as at a steady pace: the operations are the same.
    const metering = { ...config.metering, storeBeforeAnswer: true };
    await writeFile(configPath, JSON.stringify({ ...config, metering }));
    prepareDataFolder(join(scratch, DATA_FOLDER));
    return await start(configPath, scratch, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function start(configPath: string, scratch: string, closers: Closers): Promise<CountedStage> {
  const folder = await openDataFolder(join(scratch, DATA_FOLDER), false);
  closers.add(folder.release);
  const files = openLogs(folder, systemClock, (line) => process.stderr.write(`${line}\n`));
  closers.add(files.close);
  const names = new Map<string, string>();
  const tally = new OperationTally(names);
  const logs = {
    ...files,
    write: (name: string, line: string) => {
      tally.onLogLine(functionName(name), line);
      files.write(name, line);
    },
  };
  const config = loadStageConfig(configPath);
  const options = parseOptions(['--config', configPath, '--port', '0', '--data-dir', folder.path]);
  if (options === 'help') throw new Error('no help was asked for');
  const accessKeyId = newAccessKeyId();
  const step: Step = (_, work) => work();
  const life = { requestAtMs: 0, ownBlocks: new Map<string, number>() };
  const context = { options, config, clock: systemClock, accessKeyId, folder, logs, step, life, closers };
  const stage = await synthesised(configPath, folder.assembly);
  const parts = await startParts(context);
  if (parts.database === undefined) throw new Error('the stage has no database');
  const counted = async (proxied: Parameters<typeof startCountingProxy>[0]) => {
    const proxy = await startCountingProxy(proxied);
    closers.add(proxy.close);
    return proxy.url;
  };
  const dynamodb = await counted({
    target: parts.dynamodb.hiddenUrl,
    onExchange: tally.onDynamo,
    rewrite: askForCapacity,
  });
  const sqs = await counted({ target: parts.sqs.url, onExchange: tally.onSqs });
  const { endpoints } = parts.database;
  const rdsData = await counted({ target: endpoints.rds_data, onExchange: tally.onDatabase });
  const stack = await startStack(context, stage, {
    ...parts,
    dynamodb: { ...parts.dynamodb, hiddenUrl: dynamodb },
    sqs: { ...parts.sqs, url: sqs },
    database: { ...parts.database, endpoints: { ...endpoints, rds_data: rdsData } },
  });
  countInvocations(stack.functions, tally);
  const tableNames = readTableNames(stack);
  for (const [name, physical] of Object.entries(tableNames)) names.set(physical, name);
  const clientConfig = localClientConfig(parts.dynamodb.url, accessKeyId);
  const apiKey = await ensureDemoKey({
    clientConfig,
    outputs: stack.resolve(stack.template.outputs) as Readonly<Record<string, unknown>>,
    creditCu: config.demo.creditCu,
    clock: systemClock,
    knownKey: undefined,
  });
  const api = await startApi({
    template: stack.template,
    resolver: stack.resolve,
    functions: stack.functions,
    host: HOST,
    port: 0,
    onAccessLog: (line) => logs.write('access', line),
  });
  closers.add(api.close);
  return {
    baseUrl: `http://${HOST}:${api.port}`,
    apiKey,
    tally,
    stack,
    clientConfig,
    nodeUrl: [...parts.nodes.values()][0]?.url ?? '',
    tableNames,
    close: () => closers.closeAll(),
  };
}

/** In place: the API, the queues and the schedules hold the same object. */
function countInvocations(functions: Functions, tally: OperationTally): void {
  const { invoke, invokeStreaming } = functions;
  functions.invoke = async (logicalId, event) => {
    const ended = tally.onInvocation(functionName(logicalId));
    const result = await invoke(logicalId, event);
    ended();
    return result;
  };
  functions.invokeStreaming = async (logicalId, event) => {
    const ended = tally.onInvocation(functionName(logicalId));
    const result = await invokeStreaming(logicalId, event);
    if (result.kind === 'success') onceClosed(result.body, ended);
    else ended();
    return result;
  };
}

function onceClosed(body: Readable, count: () => void): void {
  body.once('close', count);
}

function readTableNames({ template, resolve }: Stack): Record<string, string> {
  return Object.fromEntries(
    [...template.resources.values()]
      .filter(({ type }) => type === 'AWS::DynamoDB::Table')
      .map(({ logicalId }) => {
        const name = TABLES.find(([prefix]) => logicalId.startsWith(prefix))?.[1] ?? logicalId;
        return [name, String(resolve({ Ref: logicalId }))];
      }),
  );
}
