import { brief, linesOf, settings } from '../resource-lines.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';

/** What stands before the functions: domain, API, firewall, and the site. Routes and gateway responses: gateway-stack.system.test.ts. */
export function testFront(): void {
  const production = new SynthesisedStage('example-production');

  test('the API, its stage and its domain are set as these lines say', () =>
    expect(
      [
        'AWS::ApiGateway::Account',
        'AWS::ApiGateway::RestApi',
        'AWS::ApiGateway::Stage',
        'AWS::ApiGateway::DomainName',
        'AWS::ApiGateway::BasePathMapping',
        'AWS::Route53::RecordSet',
      ].flatMap((type) =>
        linesOf(production, type, ({ AccessLogSetting, ...rest }) => ({
          ...rest,
          ...(AccessLogSetting !== undefined && {
            AccessLog: (AccessLogSetting as { DestinationArn: unknown }).DestinationArn,
          }),
        })),
      ),
    ).toEqual([
      'ApiRestAccount CloudWatchRoleArn=<ApiRestCloudWatchRole>',
      'ApiRest BinaryMediaTypes=[*/*] DisableExecuteApiEndpoint=true EndpointConfiguration={Types: [REGIONAL]} Name=gateway-example-production',
      'ApiRestDeploymentStageexampleproduction DeploymentId=<ApiRestDeployment> MethodSettings=[{DataTraceEnabled: false, HttpMethod: *, LoggingLevel: OFF, ResourcePath: /*, ThrottlingBurstLimit: 2500, ThrottlingRateLimit: 5000}] RestApiId=<ApiRest> StageName=example-production TracingEnabled=false AccessLog=<ApiAccessLog>',
      'DomainName DomainName=rpc.example.com EndpointConfiguration={Types: [REGIONAL]} RegionalCertificateArn=arn:aws:acm:us-east-1:111122223333:certificate/00000000-0000-0000-0000-000000000000 SecurityPolicy=TLS_1_2',
      'DomainMapping DomainName=<DomainName> RestApiId=<ApiRest> Stage=<ApiRestDeploymentStageexampleproduction>',
      'DomainRecord AliasTarget={DNSName: <DomainName.RegionalDomainName>, HostedZoneId: <DomainName.RegionalHostedZoneId>} HostedZoneId=Z0EXAMPLE Name=rpc.example.com. Type=A',
    ]));

  test('everything of the API is of the one API, which is deployed when it is whole', () => {
    const parts = ['Method', 'Resource', 'GatewayResponse', 'Deployment'].flatMap((type) =>
      production.resources(`AWS::ApiGateway::${type}`),
    );
    expect([...new Set(parts.map(([, { Properties }]) => brief(Properties.RestApiId)))]).toEqual([
      '<ApiRest>',
    ]);
    const [[, deployment] = []] = production.resources('AWS::ApiGateway::Deployment');
    const waitsFor = new Set(deployment?.DependsOn);
    const late = parts.map(([id]) => id).filter((id) => !waitsFor.has(id));
    expect(late).toEqual([expect.stringMatching(/^ApiRestDeployment/)]);
  });

  test('a method of a function has these settings, and one that answers by itself those', () => {
    const kinds = production.resources('AWS::ApiGateway::Method').map(([, { Properties }]) => {
      const { HttpMethod, ResourceId, RestApiId, Integration, ...method } = Properties;
      const { Uri, ...integration } = Integration as Readonly<Record<string, unknown>>;
      return settings({ ...method, ...integration });
    });
    expect([...new Set(kinds)].sort()).toEqual([
      'AuthorizationType=NONE IntegrationHttpMethod=POST ResponseTransferMode=STREAM TimeoutInMillis=25000 Type=AWS_PROXY',
      'AuthorizationType=NONE IntegrationHttpMethod=POST ResponseTransferMode=STREAM TimeoutInMillis=40000 Type=AWS_PROXY',
      'AuthorizationType=NONE IntegrationHttpMethod=POST TimeoutInMillis=10000 Type=AWS_PROXY',
      'AuthorizationType=NONE IntegrationHttpMethod=POST TimeoutInMillis=25000 Type=AWS_PROXY',
      'AuthorizationType=NONE MethodResponses=[{ResponseParameters: {method.response.header.X-Request-Id: true}, StatusCode: 404}] ContentHandling=CONVERT_TO_TEXT IntegrationResponses=[{ResponseParameters: {method.response.header.X-Request-Id: context.requestId}, StatusCode: 404}] PassthroughBehavior=NEVER RequestTemplates={application/graphql: {"statusCode": 404}, application/javascript: {"statusCode": 404}, application/json: {"statusCode": 404}, application/json-rpc: {"statusCode": 404}, application/jsonrequest: {"statusCode": 404}, application/octet-stream: {"statusCode": 404}, application/x-www-form-urlencoded: {"statusCode": 404}, application/xml: {"statusCode": 404}, multipart/form-data: {"statusCode": 404}, text/html: {"statusCode": 404}, text/plain: {"statusCode": 404}, text/xml: {"statusCode": 404}} Type=MOCK',
    ]);
  });

  test('the firewall asks these rules in this order', () => {
    const { Rules, ...list } = production.properties('AWS::WAFv2::WebACL');
    expect([
      settings(list),
      ...(Rules as readonly Readonly<Record<string, unknown>>[]).map(settings),
    ]).toEqual([
      'CustomResponseBodies={Refused: {Content: {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request","data":{"reason":"request_refused","retryable":false}}}, ContentType: APPLICATION_JSON}} DefaultAction={Allow: {}} Name=gateway-example-production Scope=REGIONAL VisibilityConfig={CloudWatchMetricsEnabled: true, MetricName: gateway-example-production, SampledRequestsEnabled: false}',
      'Action={Block: {}} Name=RequestsPerAddress Priority=0 RuleLabels=[{Name: RequestsPerAddress}] Statement={RateBasedStatement: {AggregateKeyType: IP, EvaluationWindowSec: 300, Limit: 120000}} VisibilityConfig={CloudWatchMetricsEnabled: true, MetricName: RequestsPerAddress, SampledRequestsEnabled: false}',
      'Action={Block: {}} Name=KeylessRequestsPerAddress Priority=1 RuleLabels=[{Name: RequestsPerAddress}] Statement={RateBasedStatement: {AggregateKeyType: IP, EvaluationWindowSec: 300, Limit: 300, ScopeDownStatement: {RegexMatchStatement: {FieldToMatch: {UriPath: {}}, RegexString: ^(/[a-z0-9-]{1,32})?/v1(/(status|chains|openapi[.]json|openrpc[.]json|contract[.]json)/?)?$, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}} VisibilityConfig={CloudWatchMetricsEnabled: true, MetricName: KeylessRequestsPerAddress, SampledRequestsEnabled: false}',
      'Action={Block: {}} Name=HeadsRequestsPerAddress Priority=2 RuleLabels=[{Name: RequestsPerAddress}] Statement={RateBasedStatement: {AggregateKeyType: IP, EvaluationWindowSec: 300, Limit: 3000, ScopeDownStatement: {RegexMatchStatement: {FieldToMatch: {UriPath: {}}, RegexString: ^(/[a-z0-9-]{1,32})?/v1/heads/, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}} VisibilityConfig={CloudWatchMetricsEnabled: true, MetricName: HeadsRequestsPerAddress, SampledRequestsEnabled: false}',
      'Action={Block: {CustomResponse: {ResponseCode: 404}}} Name=FormOfKey Priority=3 Statement={AndStatement: {Statements: [{NotStatement: {Statement: {RegexMatchStatement: {FieldToMatch: {UriPath: {}}, RegexString: ^(/[a-z0-9-]{1,32})?/v1(/(status|chains|openapi[.]json|openrpc[.]json|contract[.]json)/?)?$, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}}, {NotStatement: {Statement: {RegexMatchStatement: {FieldToMatch: {UriPath: {}}, RegexString: ^(/[a-z0-9-]{1,32})?/v1/heads/, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}}, {NotStatement: {Statement: {RegexMatchStatement: {FieldToMatch: {UriPath: {}}, RegexString: rgw_[0-9a-f]{64}, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}}, {NotStatement: {Statement: {RegexMatchStatement: {FieldToMatch: {SingleHeader: {Name: x-api-key}}, RegexString: rgw_[0-9a-f]{64}, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}}, {NotStatement: {Statement: {RegexMatchStatement: {FieldToMatch: {SingleHeader: {Name: authorization}}, RegexString: rgw_[0-9a-f]{64}, TextTransformations: [{Priority: 0, Type: URL_DECODE}]}}}}]}} VisibilityConfig={CloudWatchMetricsEnabled: true, MetricName: FormOfKey, SampledRequestsEnabled: false}',
      'Name=Reputation OverrideAction={None: {}} Priority=4 Statement={ManagedRuleGroupStatement: {Name: AWSManagedRulesAmazonIpReputationList, RuleActionOverrides: [{ActionToUse: {Block: {CustomResponse: {CustomResponseBodyKey: Refused, ResponseCode: 403}}}, Name: AWSManagedIPReputationList}, {ActionToUse: {Block: {CustomResponse: {CustomResponseBodyKey: Refused, ResponseCode: 403}}}, Name: AWSManagedReconnaissanceList}], VendorName: AWS}} VisibilityConfig={CloudWatchMetricsEnabled: true, MetricName: Reputation, SampledRequestsEnabled: false}',
    ]);
  });

  test('the firewall stands before the API, and logs there as these lines say', () =>
    expect(
      ['AWS::WAFv2::WebACLAssociation', 'AWS::WAFv2::LoggingConfiguration'].flatMap((type) =>
        linesOf(production, type),
      ),
    ).toEqual([
      'FirewallAssociation ResourceArn=arn:aws:apigateway:us-east-1::/restapis/<ApiRest>/stages/<ApiRestDeploymentStageexampleproduction> WebACLArn=<FirewallList>',
      'FirewallLogging LogDestinationConfigs=[arn:aws:logs:us-east-1:<AWS::AccountId>:log-group:<FirewallLog>] LoggingFilter={DefaultBehavior: DROP, Filters: [{Behavior: KEEP, Requirement: MEETS_ALL, Conditions: [{ActionCondition: {Action: BLOCK}}, {LabelNameCondition: {LabelName: awswaf:<AWS::AccountId>:webacl:gateway-example-production:RequestsPerAddress}}]}]} RedactedFields=[{UriPath: {}}, {QueryString: {}}, {SingleHeader: {Name: x-api-key}}, {SingleHeader: {Name: authorization}}] ResourceArn=<FirewallList>',
    ]));

  test('the site is cached, encrypted on its way and bounded in the browser as these lines say', () =>
    expect(
      [
        'AWS::CloudFront::Distribution',
        'AWS::CloudFront::CachePolicy',
        'AWS::CloudFront::OriginAccessControl',
        'AWS::CloudFront::ResponseHeadersPolicy',
      ].flatMap((type) => linesOf(production, type)),
    ).toEqual([
      'SiteDistribution DistributionConfig={Comment: API reference and status, CustomErrorResponses: [{ErrorCachingMinTTL: 300, ErrorCode: 403, ResponseCode: 404, ResponsePagePath: /404.html}], DefaultCacheBehavior: {CachePolicyId: <SiteCache>, Compress: true, ResponseHeadersPolicyId: <SiteHeaders>, TargetOriginId: gatewayexampleproductionSiteDistributionOrigin1FCB0890E, ViewerProtocolPolicy: redirect-to-https}, DefaultRootObject: index.html, Enabled: true, HttpVersion: http2and3, IPV6Enabled: true, Origins: [{DomainName: <SiteFiles.RegionalDomainName>, Id: gatewayexampleproductionSiteDistributionOrigin1FCB0890E, OriginAccessControlId: <SiteAccess.Id>, S3OriginConfig: {OriginAccessIdentity: }}], PriceClass: PriceClass_100}',
      'SiteCache CachePolicyConfig={DefaultTTL: 300, MaxTTL: 300, MinTTL: 0, Name: gateway-example-production-us-east-1, ParametersInCacheKeyAndForwardedToOrigin: {CookiesConfig: {CookieBehavior: none}, EnableAcceptEncodingBrotli: true, EnableAcceptEncodingGzip: true, HeadersConfig: {HeaderBehavior: none}, QueryStringsConfig: {QueryStringBehavior: none}}}',
      'SiteAccess OriginAccessControlConfig={Name: gateway-example-production-us-east-1, OriginAccessControlOriginType: s3, SigningBehavior: always, SigningProtocol: sigv4}',
      "SiteHeaders ResponseHeadersPolicyConfig={Name: gateway-example-production-us-east-1, SecurityHeadersConfig: {ContentSecurityPolicy: {ContentSecurityPolicy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' https://rpc.example.com/v1/status; base-uri 'none'; form-action 'none'; frame-ancestors 'none', Override: true}, ContentTypeOptions: {Override: true}, FrameOptions: {FrameOption: DENY, Override: true}, ReferrerPolicy: {Override: true, ReferrerPolicy: no-referrer}, StrictTransportSecurity: {AccessControlMaxAgeSec: 31536000, Override: true}}}",
    ]));
}
