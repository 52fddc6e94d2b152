import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { createCustomResources } from '../../../local/triggers/custom-resources.ts';
import type { InvokeFunction } from '../../../local/triggers/event-sources.ts';
import { makeTemplate } from '../make-template.ts';

const SERVICE = { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'service' } };
const TYPE = 'Custom::ChainDatabaseSchemas';

interface Event {
  readonly ResponseURL: string;
}

function create(invoke: InvokeFunction, properties: object = {}): Promise<void> {
  const ServiceToken = { 'Fn::GetAtt': ['Service', 'Arn'] };
  const template = makeTemplate({
    Service: SERVICE,
    Schemas: { Type: TYPE, Properties: { ServiceToken, Chains: ['a', 'b'], ...properties } },
  });
  const resolve = createResolver(template, { attribute: createAttributes(template, 'http://127.0.0.1:1') });
  return createCustomResources({ template, resolve, invoke });
}

async function respond({ ResponseURL }: Event, body: object): Promise<void> {
  await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(body) });
}

test('calls the function as CloudFormation does, and waits for its response', async () => {
  const calls: unknown[] = [];
  await create(async (logicalId, event) => {
    calls.push([logicalId, event]);
    await respond(event as Event, { Status: 'SUCCESS' });
  });
  expect(calls).toEqual([
    [
      'Service',
      {
        RequestType: 'Create',
        RequestId: expect.any(String),
        ResponseURL: expect.stringMatching(/^http:/),
        StackId: expect.stringMatching(/^arn:/),
        ServiceToken: 'arn:aws:lambda:us-east-1:000000000000:function:service',
        ResourceType: TYPE,
        LogicalResourceId: 'Schemas',
        ResourceProperties: expect.objectContaining({ Chains: ['a', 'b'] }),
      },
    ],
  ]);
});

test('fails with the reason that the function gives', async () => {
  const failing = create((_logicalId, event) =>
    respond(event as Event, { Status: 'FAILED', Reason: 'no room' }),
  );
  await expect(failing).rejects.toThrow('Schemas failed: no room');
});

test('fails with the error of a function that does not answer', async () => {
  const failing = create(() => Promise.reject(new Error('Runtime.ExitError')));
  await expect(failing).rejects.toThrow('Schemas failed: Error: Runtime.ExitError');
});

test('waits no longer than the resource says', async () => {
  await expect(create(async () => undefined, { ServiceTimeout: '0.05' })).rejects.toThrow(
    'Schemas failed: its function did not answer',
  );
});

test('refuses a service that is not a function of the stack', async () => {
  await expect(create(async () => undefined, { ServiceToken: 'arn:aws:sns:x' })).rejects.toThrow(
    'Schemas (Custom::ChainDatabaseSchemas): a ServiceToken that is not a function of the stack',
  );
});
