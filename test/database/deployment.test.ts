import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { handleDeployment } from '../../lambdas/migrate/handler.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const EVENT = {
  RequestType: 'Create',
  RequestId: 'request',
  ResponseURL: 'https://cloudformation.example/signed',
  StackId: 'stack',
  ServiceToken: 'token',
  ResourceType: 'Custom::ChainDatabaseSchemas',
  LogicalResourceId: 'Schemas',
  ResourceProperties: { ServiceToken: 'token', Chains: ['one', 'two'] },
} as const;

/** Handles an event and returns the requests that were made and the chains that were migrated. */
async function deploy(event: object, options: { failure?: Error; statuses?: number[] } = {}) {
  const requests: { url: string; init: RequestInit; body: unknown }[] = [];
  const chains: (readonly string[])[] = [];
  const statuses = [...(options.statuses ?? [])];
  await handleDeployment(event as CloudFormationCustomResourceEvent, {
    log: new RecordedTelemetry().log,
    migrate: async (names) => {
      chains.push(names);
      if (options.failure !== undefined) throw options.failure;
      return [];
    },
    fetch: async (url, init = {}) => {
      const body: unknown = JSON.parse(Buffer.from(init.body as Uint8Array).toString());
      requests.push({ url: String(url), init, body });
      return new Response(null, { status: statuses.shift() ?? 200 });
    },
  });
  return { requests, chains };
}

test.each(['Create', 'Update'])('%s migrates the chains and says so', async (RequestType) => {
  const { requests, chains } = await deploy({ ...EVENT, RequestType });
  expect(chains).toEqual([['one', 'two']]);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    url: EVENT.ResponseURL,
    init: { method: 'PUT' },
    body: {
      Status: 'SUCCESS',
      PhysicalResourceId: 'chain-database-schemas',
      StackId: 'stack',
      RequestId: 'request',
      LogicalResourceId: 'Schemas',
    },
  });
});

test('the answer has no content type, which the signed URL has none for', async () => {
  const { requests } = await deploy(EVENT);
  const request = new Request('https://x.example', requests[0]?.init);
  expect(request.headers.get('content-type')).toBeNull();
});

test('Delete leaves the schemas alone', async () => {
  const { requests, chains } = await deploy({ ...EVENT, RequestType: 'Delete', PhysicalResourceId: 'x' });
  expect(chains).toEqual([]);
  expect(requests[0]?.body).toMatchObject({ Status: 'SUCCESS' });
});

test('a failure is told with its reason, cut to what CloudFormation takes', async () => {
  const { requests } = await deploy(EVENT, { failure: new Error(`broken ${'x'.repeat(9_000)}`) });
  expect(requests[0]?.body).toMatchObject({
    Status: 'FAILED',
    Reason: expect.stringMatching(/^Error: broken x{980,990}$/),
  });
});

test('the answer is sent again when it was not taken, a few times', async () => {
  expect((await deploy(EVENT, { statuses: [503, 503] })).requests).toHaveLength(3);
  await expect(deploy(EVENT, { statuses: [503, 503, 503] })).rejects.toThrow(
    "CloudFormation's answer is 503",
  );
});
