import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  CfnRestApi,
  ContentHandling,
  EndpointType,
  type Integration,
  type IResource,
  LambdaIntegration,
  type LambdaIntegrationOptions,
  LogGroupLogDestination,
  MethodLoggingLevel,
  MockIntegration,
  PassthroughBehavior,
  Resource,
  ResponseTransferMode,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, LogGroupClass } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';
import { addGatewayResponses } from './api-responses.ts';
import { ROUTES, type RouteTarget } from './api-routes.ts';
import type { ServiceFunctions } from './service-functions.ts';

/**
 * The fields of a request that are logged. A key can stand in the path, so the log has only the template that the path
 * matched, and nothing else that the client wrote. The address shows the source of a flood; it is personal data in some places.
 */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  protocol: '$context.protocol',
  status: '$context.status',
  responseType: '$context.error.responseType',
  sourceIp: '$context.identity.sourceIp',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationStatus: '$context.integration.status',
  integrationLatencyMs: '$context.integration.latency',
};

/**
 * Content types that clients send. One of another type is answered by a gateway response whose template is empty, and no
 * source says that AWS keeps an empty template: the fewer come there, the better.
 */
const MOCKED_TYPES = [
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
];

const REQUEST_ID_HEADER = 'method.response.header.X-Request-Id';

interface ApiProps {
  readonly config: StageConfig;
  readonly functions: ServiceFunctions;
}

/** The REST API: every route, its own errors, and an access log without secrets. */
export class Api extends Construct {
  readonly rest: RestApi;
  /** URL of the stage without a slash at its end: `/v1` follows. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { config, functions }: ApiProps) {
    super(scope, id);
    const accessLog = new LogGroup(this, 'AccessLog', {
      // Nothing follows its lines and no metric is made of them: it takes them for half the price, and answers queries.
      logGroupClass: LogGroupClass.INFREQUENT_ACCESS,
      retention: config.logs.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.rest = new RestApi(this, 'Rest', {
      restApiName: `gateway-${config.stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // In a body that is taken for text, malformed UTF-8 is replaced before a function could refuse it.
      binaryMediaTypes: ['*/*'],
      disableExecuteApiEndpoint: config.domain !== undefined,
      cloudWatchRole: true,
      // The account has one such role in a region: a stage that goes must not take it away from the others.
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: config.stage,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
        // All three would write paths, and so keys.
        tracingEnabled: false,
        dataTraceEnabled: false,
        loggingLevel: MethodLoggingLevel.OFF,
        ...(config.throttling === undefined
          ? {}
          : {
              throttlingRateLimit: config.throttling.requestsPerSecond,
              throttlingBurstLimit: config.throttling.burst,
            }),
      },
    });
    // A domain has a policy of its own, and then nobody gets to this address.
    if (config.domain === undefined) requireTls(this.rest);
    // Its value would be wrong behind a domain; the stack has a base URL as output.
    this.rest.node.tryRemoveChild('Endpoint');
    const { region, urlSuffix } = Stack.of(this);
    this.baseUrl = `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${config.stage}`;
    addGatewayResponses(this.rest);
    this.addRoutes(functions, config);
  }

  private addRoutes(functions: ServiceFunctions, config: StageConfig): void {
    const { live } = functions;
    const integrate = (target: RouteTarget, alias: Alias, options: LambdaIntegrationOptions = {}) =>
      new LambdaIntegration(alias, {
        ...options,
        timeout: Duration.seconds(config.functions[target].timeoutSeconds),
        scopePermissionToMethod: false,
      });
    const streaming = { responseTransferMode: ResponseTransferMode.STREAM };
    const integrations: Readonly<Record<RouteTarget, Integration>> = {
      rpc: integrate('rpc', live.rpc, streaming),
      data: integrate('data', live.data, streaming),
      status: integrate('status', live.status),
      mcp: integrate('mcp', live.mcp),
    };
    for (const route of ROUTES) {
      const resource = this.rest.root.resourceForPath(route.path);
      resource.addMethod(route.method, integrations[route.target]);
    }
    this.rest.root.addResource('{proxy+}');
    for (const resource of this.resources()) addUnknownRoute(resource);
  }

  private resources(): IResource[] {
    const below = this.rest.root.node.findAll().filter((construct) => construct instanceof Resource);
    return [this.rest.root, ...below.filter((resource) => resource !== this.rest.root)];
  }
}

/** API Gateway's own address takes TLS 1.0 unless it has a policy: this one takes 1.2 and 1.3. */
function requireTls({ node: { defaultChild } }: RestApi): void {
  if (!(defaultChild instanceof CfnRestApi)) throw new Error('the API is no resource of its own');
  defaultChild.securityPolicy = SecurityPolicy.TLS13_1_2_PQ_2025_09;
  // Such a policy needs a mode; this one refuses no more.
  defaultChild.endpointAccessMode = 'BASIC';
}

/**
 * Answers every other method of a resource with 404 and an empty body: a mock integration without a response
 * template has none. Without a method API Gateway would answer by a gateway response, which adds `x-amzn-ErrorType`, and whose
 * empty template it may not keep. A content type that has no request template is refused with UNSUPPORTED_MEDIA_TYPE, whose
 * gateway response is the same; passed through, its body would be taken for the request of the mock, and fail. Its
 * body is converted to text, because a request template takes no other.
 */
function addUnknownRoute(resource: IResource): void {
  resource.addMethod(
    'ANY',
    new MockIntegration({
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: Object.fromEntries(MOCKED_TYPES.map((type) => [type, '{"statusCode": 404}'])),
      integrationResponses: [
        { statusCode: '404', responseParameters: { [REQUEST_ID_HEADER]: 'context.requestId' } },
      ],
    }),
    { methodResponses: [{ statusCode: '404', responseParameters: { [REQUEST_ID_HEADER]: true } }] },
  );
}
