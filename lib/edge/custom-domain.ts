import {
  BasePathMapping,
  DomainName,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';

interface CustomDomainProps {
  readonly domain: NonNullable<StageConfig['domain']>;
  readonly api: RestApi;
}

/** The API under a name of its own, at the root of that name. */
export class CustomDomain extends Construct {
  /** Name that a DNS record of the domain has to point to. */
  readonly aliasTarget: string;

  constructor(scope: Construct, id: string, { domain, api }: CustomDomainProps) {
    super(scope, id);
    const name = new DomainName(this, 'Name', {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new BasePathMapping(this, 'Mapping', { domainName: name, restApi: api });
    this.aliasTarget = name.domainNameAliasDomainName;
    if (domain.hostedZone === undefined) return;
    new ARecord(this, 'Record', {
      zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', {
        hostedZoneId: domain.hostedZone.id,
        zoneName: domain.hostedZone.name,
      }),
      recordName: `${domain.name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(name)),
    });
  }
}
