import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  CachePolicy,
  Distribution,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  PriceClass,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { contentSecurityPolicy } from '../../docs/site/serve-file.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { closedBucket } from '../functions/closed.ts';

/** A file that was put into the bucket is served everywhere after this time, without any invalidation. */
const CACHE_TTL = Duration.minutes(5);
const STRICT_TRANSPORT_AGE = Duration.days(365);
/** Status of S3 for a file that does not exist, because the distribution may not list the bucket. */
const S3_NO_SUCH_FILE = 403;

interface SiteProps {
  readonly stage: string;
  readonly removal: StageConfig['removal'];
  readonly domain: NonNullable<StageConfig['site']>['domain'];
  /** Address of the gateway, which the pages ask for its status; without a slash at its end. */
  readonly baseUrl: string;
}

/**
 * The API reference: a private bucket behind CloudFront. Its files are put there by a command
 * (`docs/site/README.md`), because a function that does so would need rights and code that nothing else needs.
 */
export class Site extends Construct {
  /** Without a slash at the end. */
  readonly url: string;
  readonly bucket: Bucket;
  /** Name that a DNS record of the domain has to point to. */
  readonly aliasTarget: string;

  constructor(scope: Construct, id: string, { stage, removal, domain, baseUrl }: SiteProps) {
    super(scope, id);
    // Names in CloudFront are unique in the account, whatever the region of the stack.
    const name = `gateway-${stage}-${Stack.of(this).region}`;
    this.bucket = closedBucket(this, 'Files', {
      versioned: true,
      lifecycleRules: [{ noncurrentVersionExpiration: Duration.days(30) }],
      // Otherwise a failed first deployment would leave an empty bucket.
      removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'API reference and status',
      defaultRootObject: 'index.html',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(this.bucket, {
          originAccessControl: new S3OriginAccessControl(this, 'Access', { originAccessControlName: name }),
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: this.cachePolicy(name),
        responseHeadersPolicy: this.responseHeaders(name, baseUrl),
        compress: true,
      },
      errorResponses: [
        {
          httpStatus: S3_NO_SUCH_FILE,
          responseHttpStatus: 404,
          responsePagePath: '/404.html',
          ttl: CACHE_TTL,
        },
      ],
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_100,
      ...(domain !== undefined && {
        domainNames: [domain.name],
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      }),
    });
    this.url = `https://${domain?.name ?? distribution.distributionDomainName}`;
    this.aliasTarget = distribution.distributionDomainName;
    if (domain?.hostedZone !== undefined) this.addRecord(distribution, domain.name, domain.hostedZone);
  }

  private cachePolicy(cachePolicyName: string): CachePolicy {
    return new CachePolicy(this, 'Cache', {
      cachePolicyName,
      minTtl: Duration.seconds(0),
      defaultTtl: CACHE_TTL,
      maxTtl: CACHE_TTL,
      enableAcceptEncodingBrotli: true,
      enableAcceptEncodingGzip: true,
    });
  }

  private responseHeaders(responseHeadersPolicyName: string, baseUrl: string): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName,
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: contentSecurityPolicy(`${baseUrl}/v1/status`),
          override: true,
        },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: STRICT_TRANSPORT_AGE, override: true },
      },
    });
  }

  private addRecord(
    distribution: Distribution,
    name: string,
    zone: { readonly id: string; readonly name: string },
  ): void {
    new ARecord(this, 'Record', {
      zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', {
        hostedZoneId: zone.id,
        zoneName: zone.name,
      }),
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new CloudFrontTarget(distribution)),
    });
  }
}
