import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Context } from '../../bin/operator/context/command.ts';
import { createAwsReleases } from '../../bin/operator/release/aws-releases.ts';
import { createWebReleases } from '../../bin/operator/release/web-weights.ts';
import type { ClientConfig } from '../../lambdas/shared/aws/client-settings.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { capturedRun } from './captured-run.ts';

/** A stack in CloudFormation whose web function has these revisions. */
let parameters: Map<string, string>;
let revision: string;
/** Statuses that the stack has after an update, one for each look; then it is done. */
let statuses: string[];
let server: Server;
let endpoint: string;

const escaped = (pairs: Iterable<[string, string]>, name: string, key: string, value: string) =>
  [...pairs]
    .map(([one, of]) => `<member><${key}>${one}</${key}><${value}>${of}</${value}></member>`)
    .join('')
    .replace(/^/, `<${name}>`)
    .concat(`</${name}>`);

function answer(asked: URLSearchParams): { status: number; body: string } {
  const action = asked.get('Action');
  if (action === 'DescribeStacks') {
    const status = statuses.shift() ?? 'UPDATE_COMPLETE';
    return {
      status: 200,
      body:
        `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>s</StackName>` +
        `<StackStatus>${status}</StackStatus><CreationTime>2026-11-26T00:00:00Z</CreationTime>` +
        escaped(parameters, 'Parameters', 'ParameterKey', 'ParameterValue') +
        escaped([['WebRevision', revision]], 'Outputs', 'OutputKey', 'OutputValue') +
        `</member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    };
  }
  const sent = new Map<string, string>();
  for (let index = 1; asked.has(`Parameters.member.${index}.ParameterKey`); index += 1) {
    const key = asked.get(`Parameters.member.${index}.ParameterKey`) ?? '';
    const isKept = asked.get(`Parameters.member.${index}.UsePreviousValue`) === 'true';
    sent.set(
      key,
      isKept ? (parameters.get(key) ?? '') : (asked.get(`Parameters.member.${index}.ParameterValue`) ?? ''),
    );
  }
  if (asked.get('UsePreviousTemplate') !== 'true') throw new Error('another template');
  if (JSON.stringify([...sent]) === JSON.stringify([...parameters]))
    return {
      status: 400,
      body: '<ErrorResponse><Error><Code>ValidationError</Code><Message>No updates are to be performed.</Message></Error></ErrorResponse>',
    };
  // What is not named takes its default, and is lost.
  parameters = sent;
  statuses.push('UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS');
  return { status: 200, body: '<UpdateStackResponse><UpdateStackResult/></UpdateStackResponse>' };
}

beforeEach(async () => {
  revision = 'r1';
  statuses = [];
  parameters = new Map([
    ['Other', 'kept'],
    ['WebRevisionBefore', 'none'],
    ['WebRevisionWeight', '100'],
    ['WebRevisionBeforeWeight', '100'],
  ]);
  server = createServer(async (request, response) => {
    const { status, body } = answer(new URLSearchParams(await text(request)));
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const CONTEXT: Context = {
  store: new MemoryStore(),
  clock: { now: () => 0 },
  plans: ['standard'],
  shards: { standard: 1 },
  defaultPlan: 'standard',
};

/** What has no functions asks for none. */
const UNASKED: ClientConfig = { endpoint: 'http://127.0.0.1:9' };

async function run(line: string) {
  const context: Context = {
    ...CONTEXT,
    openReleases: async () =>
      createAwsReleases({ functions: [], application: undefined, lambda: UNASKED, codedeploy: UNASKED }),
    openWebReleases: async () =>
      createWebReleases({
        stack: 's',
        config: {
          endpoint,
          region: 'eu-west-1',
          credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        },
        pollMs: 1,
      }),
  };
  return capturedRun(`${line} --json --stack gateway-test`.split(' '), context);
}

const shared = () => ['Before', 'Weight', 'BeforeWeight'].map((name) => parameters.get(`WebRevision${name}`));

test('requests stay at the revision that is held, go over by weights, and back', async () => {
  expect(await run('release hold')).toMatchObject({ exitCode: 0 });
  expect(shared()).toEqual(['r1', '0', '100']);
  // The next deployment.
  revision = 'r2';
  for (const [percent, rest] of [
    ['10', '90'],
    ['100', '0'],
    ['0', '100'],
    ['100', '0'],
  ]) {
    const { exitCode, stdout } = await run(`release weight ${percent}`);
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      { revision: 'r2', before: 'r1', percent: Number(percent) },
    ]);
    expect(shared()).toEqual(['r1', percent, rest]);
  }
  expect(parameters.get('Other')).toBe('kept');
  expect(await run('release hold')).toMatchObject({ exitCode: 0 });
  expect(shared()).toEqual(['r2', '0', '100']);
  // Again, without an update.
  expect(await run('release hold')).toMatchObject({ exitCode: 0 });
});

test('release show tells how the revisions share the requests', async () => {
  const shown = async () => JSON.parse((await run('release show')).stdout).web;
  expect(await shown()).toEqual({ revision: 'r1', before: null, percent: 100 });
  await run('release hold');
  revision = 'r2';
  await run('release weight 10');
  expect(await shown()).toEqual({ revision: 'r2', before: 'r1', percent: 10 });
});

test('nothing is held while a release is under way, and nothing shared that is not held or not deployed', async () => {
  expect((await run('release weight 10')).stderr).toContain('no revision is held');
  await run('release hold');
  expect((await run('release weight 10')).stderr).toContain('nothing was deployed since r1 is held');
  revision = 'r2';
  await run('release weight 10');
  expect((await run('release hold')).stderr).toContain('a release is under way: 10 %');
  expect(shared()).toEqual(['r1', '10', '90']);
});

test.each(['', '101', '-1', '1.5', 'ten'])('%j is no share of requests', async (percent) => {
  const { exitCode } = await run(`release weight ${percent}`.trim());
  expect(exitCode).not.toBe(0);
  expect(shared()).toEqual(['none', '100', '100']);
});

test('an update that fails is told, with the status of the stack', async () => {
  statuses = ['UPDATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'];
  const { exitCode, stderr } = await run('release hold');
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('UPDATE_ROLLBACK_COMPLETE');
});

test('a gateway without a web function has no weights, and no secret to renew', async () => {
  for (const line of ['release hold', 'release weight 5', 'front-secret renew']) {
    const { exitCode, stderr } = await capturedRun([...line.split(' '), '--stack', 's'], CONTEXT);
    expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining('web function')]);
  }
});

test('the field of the secret that is not sent is renewed, and the other stays', async () => {
  let secret = JSON.stringify({ a: 'sent now', b: '' });
  const context: Context = {
    ...CONTEXT,
    frontSecret: {
      sent: 'a',
      read: async () => secret,
      write: async (written) => {
        secret = written;
      },
    },
  };
  const { stdout, exitCode } = await capturedRun(['front-secret', 'renew', '--stack', 's'], context);
  expect(exitCode).toBe(0);
  const fields = JSON.parse(secret);
  expect(fields).toEqual({ a: 'sent now', b: expect.stringMatching(/^[0-9a-f]{48}$/) });
  expect(stdout).toContain('functions.rpc.frontSecret "b"');
  expect(stdout).not.toContain(fields.b);
});
