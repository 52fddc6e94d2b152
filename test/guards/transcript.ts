/**
 * Prints what a gateway of the project in the current folder answers to each request of conformance, and to the examples of the
 * references of several projects with their pages and errors, as JSON by request: the same each time, but for a run in which an hour
 * turns. Arguments: an empty folder for its data, one with the chains that it begins with, and those of the projects.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readDescription } from '../../api/read-description.ts';
import type { RpcMethod } from '../../api/rpc-methods.ts';
import { type SiteOperation, siteOperations } from '../../docs/site/operations.ts';
import { checkClause } from '../conformance/clause.ts';
import { Probe } from '../conformance/probe.ts';
import { CLAUSES } from '../conformance/run-conformance.ts';
import type { Seen, SendRequest } from '../conformance/seen.ts';
import { overHttp, type Transport } from '../conformance/transport.ts';
import type { RunningGateway } from '../end-to-end/running-gateway.ts';
import { untilComplete } from '../support/prepared/complete-index.ts';

const CHAIN = 'example_mainnet';
/** No request waits: the same ones are sent in each run. */
const PLAN = { bucketCapacity: 1_000_000, refillPerSecond: 1_000_000 };
const CREDIT = '100000000';
/** Rows of a page, and pages that are read of a list. */
const PAGE_ROWS = 7;
const MAX_PAGES = 3;
/** What two runs of one commit differ in, beside dates and the balance: what is masked, by what stands in its place. */
const MASKS: readonly (readonly [mask: string, pattern: RegExp])[] = [
  [
    'ID',
    /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<="next_cursor":"|cursor=|DATE\/)[\w-]+|rgw_[0-9a-f]{64}|http:\/\/127\.0\.0\.1:\d+/g,
  ],
  ['MEASURED', /(?<="(?:\w*_ms|seconds_behind|lag_seconds|\w+_estimate)":)\d+/g],
];
/** Headers that are masked as a whole: `etag` is sealed with a key of the run, and a balance is that of the last settlement. */
const MASKED_HEADERS: Readonly<Record<string, string>> = {
  'content-length': 'MEASURED',
  etag: 'ID',
  'x-amz-apigw-id': 'ID',
  'x-amzn-requestid': 'ID',
  'x-amzn-trace-id': 'ID',
  'x-cu-balance': 'BALANCE',
};
const DATE = /\d{4}-\d\d-\d\dT\d\d(?::\d\d:\d\d(?:\.\d+)?Z|(?=["/]))|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g;

/** Asks a gateway, and remembers its answers by what it was asked for. `startedMs`: after all dates of the chain. */
function remembering(gateway: Transport, startedMs: number) {
  const masked = (text: string) => {
    const endOf = (date: string) => Date.parse(/T\d\d$/.test(date) ? `${date}:59:59Z` : date);
    const undated = text.replace(DATE, (date) => (endOf(date) >= startedMs ? 'DATE' : date));
    return MASKS.reduce((left, [mask, pattern]) => left.replace(pattern, mask), undated);
  };
  const note = (request: string, answer: unknown) => {
    const asked = masked(`${transcript.subject}: ${request}`);
    let [name, times] = [asked, 1];
    while (transcript.answers[name] !== undefined) name = `${asked} again ${times++}`;
    transcript.answers[name] = answer;
  };
  const transcript = {
    /** What the requests belong to. */
    subject: '',
    answers: {} as Record<string, unknown>,
    async send(request: SendRequest): Promise<Seen> {
      const seen = await gateway.send(request);
      const headers = [...seen.headers].map(([name, value]) => [name, MASKED_HEADERS[name] ?? masked(value)]);
      const body = masked(seen.text).split(/(?<=[,{}])/);
      const answer = { status: seen.status, ...Object.fromEntries(headers), body };
      note(`${request.method} ${request.path} ${request.body ?? ''}`, answer);
      return seen;
    },
    async openSocket(request: Pick<SendRequest, 'path' | 'headers'>): Promise<number> {
      const status = await gateway.openSocket(request);
      note(`socket ${request.path}`, status);
      return status;
    },
  };
  return transcript;
}

/** Key of an account whose requests never wait. */
async function openAccount(gateway: RunningGateway): Promise<string> {
  await gateway.operator(['account', 'create', 'reader', '--plan', 'fast', '--credit', CREDIT]);
  const { stdout } = await gateway.operator(['key', 'create', 'reader', '--json']);
  return JSON.parse(stdout).api_key;
}

/** An operation: its first pages, and what it says without a key, to an unknown parameter and of an unknown chain. */
async function readOperation(probe: Probe, { examplePath, isList }: SiteOperation): Promise<void> {
  const headers = { 'x-api-key': probe.key };
  const withQuery = (query: string) => `${examplePath}${examplePath.includes('?') ? '&' : '?'}${query}`;
  await probe.send(examplePath, { headers });
  let cursor = isList ? '' : undefined;
  for (let page = 0; cursor !== undefined && page < MAX_PAGES; page += 1) {
    const query = `limit=${PAGE_ROWS}${cursor && `&cursor=${cursor}`}`;
    const seen = await probe.send(withQuery(query), { headers });
    cursor = (seen.json as { next_cursor?: string } | undefined)?.next_cursor;
  }
  await probe.send(examplePath);
  await probe.send(withQuery('no_such_parameter=1'), { headers });
  await probe.send(examplePath.replace(CHAIN, 'nowhere'), { headers });
}

interface Examples {
  readonly operations: readonly SiteOperation[];
  readonly methods: readonly RpcMethod[];
}

/** The examples of all projects, each once: what one of them no longer describes is asked of it all the same. */
async function examplesOf(projects: readonly string[]): Promise<Examples> {
  const operations = projects.flatMap((project) =>
    siteOperations(readDescription(join(project, 'api/data-api.yaml')), CHAIN),
  );
  const calls = await Promise.all(
    projects.map(async (project) => {
      const { RPC_METHODS } = (await import(
        pathToFileURL(join(project, 'api/rpc-methods.ts')).href
      )) as typeof import('../../api/rpc-methods.ts');
      return Object.values(RPC_METHODS).flat();
    }),
  );
  return {
    operations: unique(operations, ({ id, examplePath }) => `${id} ${examplePath}`),
    methods: unique(calls.flat(), ({ method, params }) => JSON.stringify([method, params])),
  };
}

function unique<One>(all: readonly One[], nameOf: (one: One) => string): readonly One[] {
  return [...new Map(all.map((one) => [nameOf(one), one])).values()];
}

async function readAll(
  gateway: RunningGateway,
  { operations, methods }: Examples,
  startedMs: number,
): Promise<Readonly<Record<string, unknown>>> {
  await untilComplete(gateway);
  const transport = remembering(overHttp(gateway.baseUrl), startedMs);
  const probe = new Probe({ transport, key: await openAccount(gateway), chain: CHAIN });
  for (const operation of operations) {
    transport.subject = operation.id;
    await readOperation(probe, operation);
  }
  for (const { method, params } of methods) {
    transport.subject = method;
    await probe.call(method, params);
    await probe.call(method, [...params, ...Array(5).fill({})]);
  }
  for (const clause of CLAUSES) {
    transport.subject = clause.id;
    transport.answers[clause.id] = (await checkClause(clause, probe)).kind;
  }
  return transport.answers;
}

const [into = '', chains = '', ...projects] = process.argv.slice(2);
const project = resolve('test/end-to-end/running-gateway.ts');
const { startGateway } = (await import(
  pathToFileURL(project).href
)) as typeof import('../end-to-end/running-gateway.ts');
const dataDir = join(into, 'data');
mkdirSync(dataDir);
// Its presence says that this is a data folder.
writeFileSync(join(dataDir, 'gateway.lock'), '');
cpSync(chains, join(dataDir, 'chains'), { recursive: true });
const stage = JSON.parse(readFileSync('config/local.json', 'utf8'));
const config = { ...stage, plans: { ...stage.plans, fast: PLAN } };
const startedMs = Date.now();
const gateway = await startGateway({ dataDir, config });
try {
  process.stdout.write(JSON.stringify(await readAll(gateway, await examplesOf(projects), startedMs)));
} finally {
  await gateway.stop();
}
