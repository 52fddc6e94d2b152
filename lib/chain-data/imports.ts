import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, Peer, Port, SecurityGroup, type Vpc } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { IMPORT_BUCKET_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { allowObjects, closedBucket } from '../functions/closed.ts';
import type { ServiceFunction } from '../functions/service-function.ts';

/** A file is imported within minutes of being written; one that is gone is written again. */
const KEPT = Duration.days(7);
const HTTPS_PORT = 443;

/** Files of blocks that the chain database imports: their bucket, and the only way out of the database's network, to it. */
export class Imports extends Construct {
  /** The role with which the cluster reads the bucket. */
  readonly role: Role;
  /** Lets the cluster speak to S3: there is no other place that its subnets have a route to. */
  readonly securityGroup: SecurityGroup;
  readonly #bucket: Bucket;

  constructor(
    scope: Construct,
    id: string,
    { vpc, retained }: { readonly vpc: Vpc; readonly retained: boolean },
  ) {
    super(scope, id);
    this.#bucket = closedBucket(this, 'Files', {
      lifecycleRules: [{ expiration: KEPT, abortIncompleteMultipartUploadAfter: KEPT }],
      // All of it can be read from the nodes again. Beside kept data it stays, as the role and the network that lead to it do.
      removalPolicy: retained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const objects = this.#bucket.arnForObjects('*');
    this.role = new Role(this, 'Role', {
      description: 'Reads the files that the chain database imports',
      assumedBy: new ServicePrincipal('rds.amazonaws.com'),
    });
    this.role.addToPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: [objects] }));
    this.role.addToPolicy(
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.#bucket.bucketArn] }),
    );
    const endpoint = vpc.addGatewayEndpoint('Objects', { service: GatewayVpcEndpointAwsService.S3 });
    endpoint.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:GetObject', 's3:ListBucket'],
        resources: [this.#bucket.bucketArn, objects],
      }),
    );
    this.securityGroup = new SecurityGroup(this, 'ToObjects', {
      vpc,
      description: 'Lets nothing in, and HTTPS out, which has a route to S3 alone',
      allowAllOutbound: false,
    });
    this.securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(HTTPS_PORT), 'To S3 through its endpoint');
  }

  /** Lets a function write files and compare them, and tells it where they are. */
  allowWriting(service: ServiceFunction): void {
    allowObjects(service, this.#bucket, ['s3:GetObject', 's3:PutObject']);
    service.lambda.addEnvironment(IMPORT_BUCKET_VARIABLE, this.#bucket.bucketName);
  }
}
