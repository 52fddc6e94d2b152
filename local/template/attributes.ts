import { type Attribute, LOCAL_ACCOUNT_ID, LOCAL_REGION } from './intrinsics.ts';
import { deployedOnlyTypes } from './resource-types.ts';
import type { Template, TemplateResource } from './template.ts';

/** Number of a function's version: a local run begins with a template, and so has one of each. */
const PUBLISHED_VERSION = '1';

/** Property that carries an explicit physical name, by resource type. */
const nameProperties: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::Rule': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SecretsManager::Secret': 'Name',
};

/**
 * The attributes that resources have in a local run: names are `<stack>-<logical id>` unless set, ARNs are in
 * the local region and account, and the `Ref` of a queue is its URL on the local endpoint.
 *
 * @param queueEndpoint base URL of the local SQS endpoint, without a slash at the end
 */
export function createAttributes(template: Template, queueEndpoint: string): Attribute {
  function physicalName(resource: TemplateResource, resolve: (value: unknown) => unknown): string {
    const property = nameProperties[resource.type];
    const explicit = property === undefined ? undefined : resource.properties[property];
    return explicit === undefined ? `${template.stackName}-${resource.logicalId}` : String(resolve(explicit));
  }

  return (resource, attribute, resolve) => {
    const name = physicalName(resource, resolve);
    const arn = (service: string, path: string) =>
      `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${path}`;
    const qualified = ({ properties }: TemplateResource, qualifier: string) =>
      arn('lambda', `function:${resolve(properties.FunctionName ?? '')}:${qualifier}`);
    const attributes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'AWS::ApiGateway::Resource': { Ref: resource.logicalId },
      'AWS::ApiGateway::RestApi': { Ref: resource.logicalId, RootResourceId: `${resource.logicalId}-root` },
      'AWS::ApiGateway::Stage': { Ref: String(resource.properties.StageName) },
      'AWS::CloudWatch::Alarm': { Ref: name, Arn: arn('cloudwatch', `alarm:${name}`) },
      'AWS::CloudWatch::CompositeAlarm': { Ref: name, Arn: arn('cloudwatch', `alarm:${name}`) },
      'AWS::CloudWatch::Dashboard': { Ref: name },
      'AWS::DynamoDB::Table': { Ref: name, Arn: arn('dynamodb', `table/${name}`) },
      'AWS::Events::Rule': { Ref: name, Arn: arn('events', `rule/${name}`) },
      'AWS::KMS::Key': { Ref: name, Arn: arn('kms', `key/${name}`) },
      'AWS::Lambda::Alias': { Ref: qualified(resource, String(resource.properties.Name)) },
      'AWS::Lambda::EventSourceMapping': { Ref: name },
      'AWS::Lambda::Function': { Ref: name, Arn: arn('lambda', `function:${name}`) },
      'AWS::Lambda::LayerVersion': { Ref: arn('lambda', `layer:${name}:1`) },
      'AWS::Lambda::Version': { Ref: qualified(resource, PUBLISHED_VERSION), Version: PUBLISHED_VERSION },
      'AWS::RDS::DBCluster': { Ref: name },
      'AWS::S3::Bucket': {
        Ref: name.toLowerCase(),
        Arn: `arn:aws:s3:::${name.toLowerCase()}`,
        RegionalDomainName: `${name.toLowerCase()}.local`,
      },
      'AWS::SecretsManager::Secret': { Ref: arn('secretsmanager', `secret:${name}`) },
      'AWS::SecretsManager::SecretTargetAttachment': {
        Ref: String(resolve(resource.properties.SecretId ?? '')),
      },
      'AWS::SQS::Queue': {
        Ref: `${queueEndpoint}/${LOCAL_ACCOUNT_ID}/${name}`,
        Arn: arn('sqs', name),
        QueueName: name,
      },
    };
    if (deployedOnlyTypes.has(resource.type)) return deployedOnlyAttribute(name, attribute, arn);
    return attributes[resource.type]?.[attribute ?? 'Ref'];
  };
}

/** Something that stands for what only an account can know, so that outputs and the like resolve. */
function deployedOnlyAttribute(
  name: string,
  attribute: string | undefined,
  arn: (service: string, path: string) => string,
): string {
  if (attribute === undefined) return name;
  return attribute === 'Arn' ? arn('deployed-only', name) : `${name}.${attribute}`;
}
