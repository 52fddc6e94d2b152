import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { refuseForeignPages } from '../guard/refusal.ts';
import { refused } from '../guard/refused.ts';
import { listenLocally } from '../processes/listen-locally.ts';
import { LocalRunError } from '../processes/local-run-error.ts';
import type { Resolver } from '../template/intrinsics.ts';
import { isTemplateObject, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { InvokeFunction } from './event-sources.ts';

const TYPE_PREFIX = 'Custom::';
/** CloudFormation waits an hour for a response unless the resource says something else. */
const DEFAULT_SERVICE_TIMEOUT_SECONDS = 3_600;
/** CloudFormation takes a response of 4 KB. */
const MAX_RESPONSE_BYTES = 4_096;

interface CustomResourcesOptions {
  readonly template: Template;
  readonly resolve: Resolver;
  readonly invoke: InvokeFunction;
}

/** Response of the function of a custom resource. */
interface ResourceResponse {
  readonly Status?: string;
  readonly Reason?: string;
}

/**
 * Creates the custom resources of a template as CloudFormation does: calls the function of each, in template order, and
 * waits until it has answered to the URL that it was given.
 *
 * A local run cannot know what an earlier one left, so it always creates; functions must bear to be called again.
 * @throws LocalRunError with the reason, if a function does not succeed
 */
export async function createCustomResources(options: CustomResourcesOptions): Promise<void> {
  const resources = [...options.template.resources.values()];
  for (const resource of resources.filter(({ type }) => type.startsWith(TYPE_PREFIX)))
    await createResource(resource, options);
}

async function createResource(
  resource: TemplateResource,
  { template, resolve, invoke }: CustomResourcesOptions,
): Promise<void> {
  const properties = resolve(resource.properties) as Readonly<Record<string, unknown>>;
  const mailbox = await openMailbox();
  const timeoutMs = Number(properties.ServiceTimeout ?? DEFAULT_SERVICE_TIMEOUT_SECONDS) * 1_000;
  try {
    const event = {
      RequestType: 'Create',
      RequestId: randomUUID(),
      ResponseURL: mailbox.url,
      StackId: resolve({ Ref: 'AWS::StackId' }),
      ServiceToken: properties.ServiceToken,
      ResourceType: resource.type,
      LogicalResourceId: resource.logicalId,
      ResourceProperties: properties,
    };
    // A function that fails has not answered, or its response says how it went.
    await invoke(functionOf(template, resource), event).catch((error) => mailbox.giveUp(String(error)));
    const response = await within(timeoutMs, mailbox.response);
    if (response?.Status === 'SUCCESS') return;
    throw new LocalRunError(
      `${resource.logicalId} failed: ${response?.Reason ?? 'its function did not answer'}`,
    );
  } finally {
    await mailbox.close();
  }
}

/** The function whose ARN a custom resource names. */
function functionOf(template: Template, resource: TemplateResource): string {
  const token = resource.properties.ServiceToken;
  const reference = isTemplateObject(token) ? token['Fn::GetAtt'] : undefined;
  const [logicalId, attribute] = Array.isArray(reference) ? reference.map(String) : [];
  const known = template.resources.get(logicalId ?? '')?.type === 'AWS::Lambda::Function';
  if (logicalId === undefined || attribute !== 'Arn' || !known)
    throw unsupported(resource, 'a ServiceToken that is not a function of the stack');
  return logicalId;
}

interface Mailbox {
  readonly url: string;
  readonly response: Promise<ResourceResponse>;
  /** Answers in the place of a function that does not. */
  giveUp(reason: string): void;
  close(): Promise<void>;
}

/** A URL that one response can be put to. */
async function openMailbox(): Promise<Mailbox> {
  let deliver: (response: ResourceResponse) => void = () => {};
  const delivered = new Promise<ResourceResponse>((resolve) => {
    deliver = resolve;
  });
  const server = createServer((request, response) => {
    if (refused(refuseForeignPages, request, response)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const accepted = request.method === 'PUT' && body.length <= MAX_RESPONSE_BYTES;
      response.writeHead(accepted ? 200 : 400).end();
      if (accepted) deliver(JSON.parse(body.toString('utf8')) as ResourceResponse);
    });
  });
  const { url, close } = await listenLocally(server);
  const giveUp = (reason: string) => deliver({ Status: 'FAILED', Reason: reason });
  return { url: `${url}/`, response: delivered, giveUp, close };
}

async function within(
  milliseconds: number,
  response: Promise<ResourceResponse>,
): Promise<ResourceResponse | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}
