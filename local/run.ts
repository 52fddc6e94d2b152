import { join } from 'node:path';
import type { Clock } from '../lambdas/shared/runtime/clock.ts';
import { sleep } from '../lambdas/shared/runtime/sleep.ts';
import { indexedChains, loadStageConfig } from '../lib/config/config.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import { startApi } from './api/server.ts';
import { localClientConfig, newAccessKeyId } from './client-config.ts';
import { createDashboard, type Dashboard } from './dashboard/dashboard.ts';
import { measureApi } from './dashboard/measure-run.ts';
import { DASHBOARD_PATH } from './dashboard/show-dashboard.ts';
import { openDataFolder } from './data-folder.ts';
import { DEMO_ACCOUNT, ensureDemoKey } from './demo.ts';
import { roomTrouble } from './folder-trouble.ts';
import { type GatewayFile, readGatewayFile, writeGatewayFile } from './gateway-file.ts';
import { openLogs } from './logs.ts';
import { requireIndexed } from './mend-index.ts';
import type { RunOptions } from './options.ts';
import { type Parts, processesOf, startParts } from './parts.ts';
import { allOf } from './processes/all-of.ts';
import { Closers } from './processes/closers.ts';
import { tryPort } from './processes/free-port.ts';
import { LocalRunError } from './processes/local-run-error.ts';
import type { RunContext } from './run-context.ts';
import { startSite } from './site.ts';
import { type Stack, startStack } from './stack.ts';
import { createSteps } from './steps.ts';
import { synthesised } from './synthesis.ts';
import { requireLocalUpstreams, upstreamUrls } from './upstreams.ts';

const HOST = '127.0.0.1';
const ACCESS_LOG = 'access';
const START_LOG = 'start';
/** How often the dashboard takes samples and judges alarms. */
const DASHBOARD_TICK_MS = 2_000;
/** A chain that nobody asks for a day makes no more blocks until somebody does. */
const LIVE_WITHOUT_REQUEST_MS = 24 * 60 * 60 * 1_000;

/** A gateway that runs on this machine. */
export interface Run {
  readonly gateway: GatewayFile;
  readonly stage: string;
  readonly chains: StageConfig['chains'];
  /** Chains that the indexer follows. */
  readonly indexedChains: readonly string[];
  readonly logFolder: string;
  /** Stops everything, the API first, and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends the embedded parts whatever else is under way; resolves once they have ended, or after that time. */
  endParts(milliseconds: number): Promise<void>;
  /** Kills the embedded parts at once. */
  kill(): void;
}

/**
 * Starts the gateway of a stage file from its synthesised stack. If it cannot start, what was started is stopped.
 * @throws LocalRunError, StageConfigError or UnsupportedTemplateError, with a message for people
 */
export async function startRun(options: RunOptions, clock: Clock): Promise<Run> {
  const config = loadStageConfig(options.config);
  requireLocalUpstreams(config, options.config);
  if (options.index !== undefined) requireIndexed(config, options.index);
  await requireFreePorts(options);
  const closers = new Closers();
  try {
    const folder = await openDataFolder(options.dataFolder, options.fresh);
    closers.add(folder.release);
    const logs = openLogs(folder, clock, (line) => process.stderr.write(`${line}\n`));
    closers.add(logs.close);
    const step = createSteps({
      tell: (line) => process.stdout.write(`${line}\n`),
      now: () => performance.now(),
      cause: () => roomTrouble(folder.path),
      keep: (details) => logs.write(START_LOG, details),
      keptIn: join(folder.logs, `${START_LOG}.log`),
    });
    return await start({
      options,
      config,
      clock,
      accessKeyId: newAccessKeyId(),
      folder,
      logs,
      step,
      life: { requestAtMs: clock.now(), ownBlocks: new Map() },
      closers,
    });
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/** Ports are taken after what takes long: if one is in use, the start says so at once. */
async function requireFreePorts({ port, sitePort }: RunOptions): Promise<void> {
  const wanted = { '--port': port, '--site-port': sitePort };
  for (const [option, number] of Object.entries(wanted))
    if (number !== undefined) await onPort(number, option, () => tryPort(HOST, number));
}

async function start(context: RunContext): Promise<Run> {
  const { config, folder, options, step } = context;
  const synthesis = () => synthesised(options.config, folder.assembly);
  const [stage, parts] = await allOf([step('Synthesis of the stack', synthesis), startParts(context)]);
  const stack = await step('Tables, database schema and functions', () => startStack(context, stage, parts));
  const gateway = await step('API, reference and dashboard', () => open(context, stack, parts));
  const processes = processesOf(parts);
  return {
    gateway,
    stage: config.stage,
    chains: config.chains,
    indexedChains: indexedChains(config).map(({ chain }) => chain),
    logFolder: folder.logs,
    stop: () => context.closers.closeAll(),
    endParts: async (milliseconds) => {
      await Promise.race([Promise.all(processes.map((process) => process.stop())), sleep(milliseconds)]);
    },
    kill: () => {
      for (const process of processes) process.kill();
    },
  };
}

/** Starts what answers requests, and writes where it is to be found. */
async function open(context: RunContext, stack: Stack, parts: Parts): Promise<GatewayFile> {
  const { config, clock, folder, closers, options, accessKeyId } = context;
  const outputs = stack.resolve(stack.template.outputs) as GatewayFile['outputs'];
  const last = await readGatewayFile(folder.gatewayFile);
  const baseUrl = await serve(context, stack);
  const dashboard = openDashboard(context, stack, parts);
  const site = await startSite(config, baseUrl, {
    dashboard,
    wanted: options.sitePort,
    lastUrl: last?.site_url,
  });
  closers.add(site.close);
  // Last: a start that fails after it would leave a key that was never shown.
  const apiKey = await ensureDemoKey({
    clientConfig: localClientConfig(parts.dynamodb.url, accessKeyId),
    outputs,
    creditCu: config.demo.creditCu,
    clock,
    knownKey: last?.demo_api_key,
  });
  const gateway: GatewayFile = {
    base_url: baseUrl,
    dashboard_url: site.url + DASHBOARD_PATH,
    site_url: site.url,
    endpoints: {
      dynamodb: parts.dynamodb.url,
      sqs: parts.sqs.url,
      s3: parts.s3.url,
      kms: parts.kms.url,
      secrets_manager: parts.secrets.url,
      ...(stack.databaseUrl !== undefined && { database: stack.databaseUrl }),
      ...(parts.database !== undefined && { rds_data: parts.database.endpoints.rds_data }),
      ...upstreamUrls(config, parts.nodes),
    },
    access_key_id: accessKeyId,
    outputs: { ...outputs, BaseUrl: baseUrl },
    demo_account: DEMO_ACCOUNT,
    demo_api_key: apiKey,
    pid: process.pid,
  };
  await writeGatewayFile(folder.gatewayFile, gateway);
  keepChainsLive(context, parts);
  return gateway;
}

/** Lets demo chains make blocks as long as somebody asks the gateway. */
function keepChainsLive({ options, config, clock, life, closers }: RunContext, { nodes }: Parts): void {
  const { blockTimeMs } = options;
  if (!config.demo.chainActivity || blockTimeMs === 0) return;
  for (const [chain, { url }] of nodes) {
    const live = {
      url,
      blockTimeMs,
      isWanted: () => clock.now() - life.requestAtMs <= LIVE_WITHOUT_REQUEST_MS,
      pause: sleep,
      tell: (line: string) => process.stdout.write(`${line}\n`),
      onBlock: () => life.ownBlocks.set(chain, (life.ownBlocks.get(chain) ?? 0) + 1),
    };
    // Loaded behind the start, with half of all modules of a run.
    const living = import('./demo-chain/live.ts').then(({ keepChainLive }) => keepChainLive(live));
    closers.add(async () => (await living)());
  }
}

/** The dashboard of the template, which takes samples and judges its alarms from now on. */
function openDashboard(
  { config: { stage, chains }, clock, closers }: RunContext,
  { template, resolve, metrics: store }: Stack,
  { queues }: Parts,
): Dashboard {
  const names = chains.map(({ chain }) => chain);
  const dashboard = createDashboard({ stage, chains: names, template, resolve, queues, store, clock });
  dashboard.tick();
  const ticking = setInterval(dashboard.tick, DASHBOARD_TICK_MS);
  closers.add(async () => clearInterval(ticking));
  return dashboard;
}

/** Starts the API and returns its base URL. */
async function serve({ options, logs, clock, life, closers }: RunContext, stack: Stack): Promise<string> {
  const { port } = options;
  const { template, resolve, resolveSecrets, functions, metrics } = stack;
  const measure = measureApi(template, resolve, metrics, clock);
  const api = await onPort(port, '--port', () =>
    startApi({
      template,
      resolver: resolveSecrets,
      functions,
      host: HOST,
      port,
      onAccessLog: (line) => logs.write(ACCESS_LOG, line),
      onResponse: (response) => {
        life.requestAtMs = clock.now();
        measure?.(response);
      },
    }),
  );
  closers.add(api.close);
  return `http://${HOST}:${api.port}`;
}

/** Says of a port that cannot be listened on what to do. */
async function onPort<Listening>(
  port: number,
  option: string,
  listen: () => Promise<Listening>,
): Promise<Listening> {
  try {
    return await listen();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const reason = code === 'EADDRINUSE' ? 'is in use' : 'is not permitted';
    throw new LocalRunError(`port ${port} ${reason}: choose another with ${option} N (0 for any free one)`);
  }
}
