import { connectLambda, connectSigned } from 'gateway-access';
import type { SeenResponse } from './compare-responses.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Longest request that a function may take, the time of API Gateway and its margin included, in milliseconds. */
const TIMEOUT_MS = 50_000;
const OK = 200;
const CODEDEPLOY_TYPE = 'application/x-amz-json-1.1';
/** Ends the metadata of a response that is streamed. */
const METADATA_END = Buffer.alloc(8);
/** What API Gateway answers for a function that failed. */
const CRASHED: SeenResponse = { status: 502, headers: {}, body: '' };

/** The event of a hook of CodeDeploy. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

/** What a deployment releases. */
interface Deployment {
  readonly functionName: string;
  readonly oldVersion: string;
  readonly newVersion: string;
}

/** CodeDeploy and the functions that it releases. Each method sends one request, and rejects with an Error without a response. */
interface ReleaseServices {
  readDeployment(id: string): Promise<Deployment>;
  /** Says how a hook ended. */
  conclude(event: HookEvent, status: 'Succeeded' | 'Failed'): Promise<void>;
  /** Calls one version with an event of API Gateway. */
  invoke(functionName: string, version: string, event: object): Promise<SeenResponse>;
}

/** Connects to both services. Opens no connection before its first use. */
export function connectReleases(): ReleaseServices {
  const times = { connectTimeoutMs: CONNECT_TIMEOUT_MS, timeoutMs: TIMEOUT_MS };
  const codedeploy = connectSigned({
    ...times,
    service: 'codedeploy',
    endpointVariable: 'AWS_ENDPOINT_URL_CODEDEPLOY',
    hostOf: (region) => `codedeploy.${region}.amazonaws.com`,
  });
  const invoke = connectLambda(times);
  const call = async (operation: string, input: object): Promise<unknown> => {
    const { statusCode, body } = await codedeploy({
      method: 'POST',
      path: '/',
      headers: { 'content-type': CODEDEPLOY_TYPE, 'x-amz-target': `CodeDeploy_20141006.${operation}` },
      body: JSON.stringify(input),
    });
    if (statusCode !== OK) throw new Error(`CodeDeploy answered ${operation} with status ${statusCode}`);
    return JSON.parse(Buffer.from(body).toString());
  };
  return {
    async readDeployment(deploymentId) {
      return readRevision(await call('GetDeployment', { deploymentId }));
    },
    async conclude(
      { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId },
      status,
    ) {
      await call('PutLifecycleEventHookExecutionStatus', {
        deploymentId,
        lifecycleEventHookExecutionId,
        status,
      });
    },
    async invoke(functionName, version, event) {
      const { statusCode, headers, body } = await invoke(`${functionName}:${version}`, event);
      if (statusCode !== OK) throw new Error(`Lambda answered with status ${statusCode}`);
      return headers['x-amz-function-error'] === undefined ? readReply(Buffer.from(body)) : CRASHED;
    },
  };
}

/** The part of a deployment's revision that names its versions, as CloudFormation writes it. */
interface Revision {
  readonly Resources: readonly Readonly<
    Record<
      string,
      {
        readonly Properties: {
          readonly Name: string;
          readonly CurrentVersion: string;
          readonly TargetVersion: string;
        };
      }
    >
  >[];
}

/**
 * Reads what a deployment releases out of what CodeDeploy says of it.
 * @throws Error if it names no versions
 */
function readRevision(described: unknown): Deployment {
  const { revision } =
    (described as { deploymentInfo?: { revision?: Record<string, unknown> } }).deploymentInfo ?? {};
  const { content } = (revision?.string ?? revision?.appSpecContent ?? {}) as { content?: unknown };
  const { Resources } = JSON.parse(typeof content === 'string' ? content : '{}') as Partial<Revision>;
  const [released] = Object.values(Resources?.[0] ?? {});
  if (released === undefined) throw new Error('the deployment names no versions');
  const { Name, CurrentVersion, TargetVersion } = released.Properties;
  return { functionName: Name, oldVersion: String(CurrentVersion), newVersion: String(TargetVersion) };
}

interface Metadata {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** The response of a function behind the API: metadata and body of a stream, or one object with both. */
function readReply(reply: Buffer): SeenResponse {
  const end = reply.indexOf(METADATA_END);
  const {
    statusCode,
    headers = {},
    body = '',
    isBase64Encoded,
  }: Metadata = JSON.parse(reply.toString('utf8', 0, end < 0 ? reply.length : end));
  if (statusCode === undefined) return CRASHED;
  return {
    status: statusCode,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body:
      end < 0
        ? Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8').toString()
        : reply.toString('utf8', end + METADATA_END.length),
  };
}
