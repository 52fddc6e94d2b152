import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { AwsClientOptions } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectSigned } from '../../../lambdas/shared/aws/signed-service.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const OK = 200;
const FIRST_REDIRECT = 300;
const TOO_MANY_REQUESTS = 429;
const NOT_FOUND = 404;
const FIRST_SERVER_ERROR = 500;
/** Where services without a region are. */
const GLOBAL_REGION = 'us-east-1';
const GLOBAL: readonly AwsService[] = ['iam', 'route53'];

/** Services that the commands for a stage ask, by the names that signatures have. */
type AwsService =
  | 'acm'
  | 'apigateway'
  | 'backup'
  | 'cloudcontrolapi'
  | 'cloudformation'
  | 'codedeploy'
  | 'ec2'
  | 'iam'
  | 'lambda'
  | 'rds'
  | 'route53'
  | 's3'
  | 'secretsmanager'
  | 'servicequotas'
  | 'ssm'
  | 'sts'
  | 'tagging';

/** How a service takes an action: as a form of this version, as JSON for this target, or as a path. */
const FORM_VERSIONS: Partial<Readonly<Record<AwsService, string>>> = {
  cloudformation: '2010-05-15',
  ec2: '2016-11-15',
  iam: '2010-05-08',
  rds: '2014-10-31',
  sts: '2011-06-15',
};
const JSON_TARGETS: Partial<Readonly<Record<AwsService, string>>> = {
  acm: 'CertificateManager',
  cloudcontrolapi: 'CloudApiService',
  codedeploy: 'CodeDeploy_20141006',
  secretsmanager: 'secretsmanager',
  servicequotas: 'ServiceQuotasV20190624',
  ssm: 'AmazonSSM',
  tagging: 'ResourceGroupsTaggingAPI_20170126',
};

/** One call: an action with its parameters, or a path. */
interface AwsCall {
  readonly service: AwsService;
  /** Name of the action, or the path of one that has no name. */
  readonly action: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly region: string;
  /** How a path is asked, if not by GET alone. */
  readonly request?: {
    readonly method?: 'GET' | 'PATCH' | 'POST' | 'PUT';
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

/** A response of AWS, whatever its status. */
interface AwsResponse {
  readonly status: number;
  readonly body: string;
  /** Name of its error, where a header has it. */
  readonly errorType?: string | undefined;
}

/** Makes one call, once. Rejects if there is no whole response. */
export type AskAws = (call: AwsCall) => Promise<AwsResponse>;

/** AWS has refused a call. `code` is the name of its error. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  readonly code: string;
  /** Whether the same call may succeed a moment later: AWS has too many, or has failed itself. */
  readonly isPassing: boolean;

  constructor({ service, action }: AwsCall, response: AwsResponse) {
    const { status } = response;
    const code = errorCode(response) ?? `status ${status}`;
    super(`${service} ${action}: ${code}`);
    this.code = code;
    this.isPassing =
      status >= FIRST_SERVER_ERROR || status === TOO_MANY_REQUESTS || code.startsWith('Throttling');
  }
}

/** How a call is made again where AWS does not answer, or not now. */
export const ASK_AGAIN = {
  pausesMs: [200, 1_000],
  isRetryable: (error: unknown) =>
    !(error instanceof InputError) && !(error instanceof AwsRefusal && !error.isPassing),
};

/** Calls AWS with the credentials that the SDK finds on this machine. */
export function connectAws(config: AwsClientOptions['config'] = {}): AskAws {
  return async (call) => {
    const { service } = call;
    const region = GLOBAL.includes(service) ? GLOBAL_REGION : call.region;
    const send = connectSigned({
      service,
      endpointVariable: `AWS_ENDPOINT_URL_${service.toUpperCase() as Uppercase<AwsService>}`,
      hostOf: () => hostOf(service, region),
      config: { ...config, region },
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
    const { statusCode, body, headers } = await send(requestOf(call));
    return { status: statusCode, body: Buffer.from(body).toString(), errorType: headers['x-amzn-errortype'] };
  };
}

/** A response that is right; undefined: there is no such thing. Rejects with {@link AwsRefusal} if AWS refuses. */
export async function asked(
  ask: AskAws,
  call: AwsCall,
  missing: readonly string[] = [],
): Promise<string | undefined> {
  const response = await ask(call);
  if (response.status >= OK && response.status < FIRST_REDIRECT) return response.body;
  const code = errorCode(response);
  if (missing.includes(code ?? '') || (response.status === NOT_FOUND && missing.includes('404')))
    return undefined;
  throw new AwsRefusal(call, response);
}

/** Text of the first element of a name in a response of XML. */
export function textIn(xml: string, name: string): string | undefined {
  return textsIn(xml, name)[0];
}

/** Texts of all elements of a name that have no elements in them, with their entities. */
export function textsIn(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text.trim(),
  );
}

function requestOf({ service, action, parameters = {}, request = {} }: AwsCall) {
  const version = FORM_VERSIONS[service];
  if (version !== undefined) {
    const form = new URLSearchParams({ Action: action, Version: version });
    for (const [name, value] of Object.entries(parameters)) form.set(name, String(value));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', path: '/', headers, body: form.toString() };
  }
  const target = JSON_TARGETS[service];
  if (target !== undefined) {
    const json = service === 'cloudcontrolapi' ? '1.0' : '1.1';
    const headers = {
      'content-type': `application/x-amz-json-${json}`,
      'x-amz-target': `${target}.${action}`,
    };
    return { method: 'POST', path: '/', headers, body: JSON.stringify(parameters) };
  }
  const { method = 'GET', headers, ...rest } = request;
  // Without it API Gateway answers in another form.
  const told: Record<string, string> = service === 'apigateway' ? { accept: 'application/json' } : {};
  return { method, path: action, headers: { ...told, ...headers }, ...rest };
}

function hostOf(service: AwsService, region: string): string {
  if (GLOBAL.includes(service)) return `${service}.amazonaws.com`;
  return `${service}.${region}.amazonaws.com`;
}

/** Name of an error, as a header, JSON and XML have it. */
function errorCode({ body, errorType }: AwsResponse): string | undefined {
  if (errorType !== undefined) return /(?:[^#]*#)?([^#:]+)/.exec(errorType)?.[1];
  const json = /"(?:__type|code)"\s*:\s*"(?:[^"#]*#)?([^":]+)/.exec(body)?.[1];
  return json ?? textIn(body, 'Code');
}
