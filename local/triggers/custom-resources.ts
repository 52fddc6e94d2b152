import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { calledFunction } from '../functions/called-function.ts';
import { refuseForeignPages } from '../guard/refusal.ts';
import { refused } from '../guard/refused.ts';
import { listenLocally } from '../processes/listen-locally.ts';
import { LocalRunError } from '../processes/local-run-error.ts';
import type { Resolver } from '../template/intrinsics.ts';
import { type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { InvokeFunction } from './event-sources.ts';

const TYPE_PREFIX = 'Custom::';
/** CloudFormation waits an hour for a response unless the resource says something else. */
const DEFAULT_SERVICE_TIMEOUT_SECONDS = 3_600;
/** CloudFormation takes a response of 4 KB. */
const MAX_RESPONSE_BYTES = 4_096;
const NO_RESPONSE = 'its function did not answer';

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
 * waits until it has answered to its URL.
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
  const lambda = calledFunction(template, resolve, properties.ServiceToken);
  if (lambda === undefined) throw unsupported(resource, 'a ServiceToken that is not a function of the stack');
  const mailbox = await openMailbox();
  const timeoutMs = Number(properties.ServiceTimeout ?? DEFAULT_SERVICE_TIMEOUT_SECONDS) * 1_000;
  const timer = setTimeout(mailbox.giveUp, timeoutMs, NO_RESPONSE);
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
    await invoke(lambda.logicalId, event).catch((error) => mailbox.giveUp(String(error)));
    const { Status, Reason = NO_RESPONSE } = await mailbox.response;
    if (Status !== 'SUCCESS') throw new LocalRunError(`${resource.logicalId} failed: ${Reason}`);
  } finally {
    clearTimeout(timer);
    await mailbox.close();
  }
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
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<ResourceResponse>();
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
