import { isTemplateObject, type TemplateObject } from '../../../local/template/template.ts';
import type { Owned } from '../context/stack.ts';

/** Property by which CloudFormation's import names a resource of a type. What is not here it makes anew. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::EC2::RouteTable': 'RouteTableId',
  'AWS::EC2::SecurityGroup': 'Id',
  'AWS::EC2::Subnet': 'SubnetId',
  'AWS::EC2::SubnetRouteTableAssociation': 'Id',
  'AWS::EC2::VPC': 'VpcId',
  'AWS::EC2::VPCEndpoint': 'Id',
  'AWS::IAM::Role': 'RoleName',
  'AWS::KMS::Key': 'KeyId',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::RDS::DBCluster': 'DBClusterIdentifier',
  'AWS::RDS::DBInstance': 'DBInstanceIdentifier',
  'AWS::RDS::DBSubnetGroup': 'DBSubnetGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::S3::BucketPolicy': 'Bucket',
  'AWS::SQS::Queue': 'QueueUrl',
  'AWS::SecretsManager::Secret': 'Id',
};

/** Resources that a new stack takes over: of each, by its logical id, the property that names it. */
type Mapping = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * What a new stack can take over of what another has left: what its template keeps under the same logical id and type. An import
 * takes nothing that refers to a resource which it does not take too.
 * @param resources those of the new stack's template, by their logical ids
 */
export function mappingOf(resources: TemplateObject, left: readonly Owned[]): Mapping {
  const taken = new Map(
    left
      .filter(({ logicalId, type }) => {
        const resource = resources[logicalId];
        return (
          isTemplateObject(resource) && resource.Type === type && isKept(resource) && type in IDENTIFIERS
        );
      })
      .map((one) => [one.logicalId, one] as const),
  );
  const lacks = (logicalId: string) =>
    [...referencesIn(resources[logicalId])].some((name) => name in resources && !taken.has(name));
  for (let before = -1; before !== taken.size; ) {
    before = taken.size;
    for (const logicalId of [...taken.keys()]) if (lacks(logicalId)) taken.delete(logicalId);
  }
  const entries = [...taken].map(([logicalId, { type, id }]) => [
    logicalId,
    { [IDENTIFIERS[type] ?? '']: id },
  ]);
  return Object.fromEntries(entries);
}

function isKept({ DeletionPolicy: policy }: TemplateObject): boolean {
  return policy === 'Retain' || policy === 'RetainExceptOnCreate';
}

/** Logical ids, and other names, that a part of a template refers to. */
function referencesIn(part: unknown): Set<string> {
  if (Array.isArray(part)) return new Set(part.flatMap((one) => [...referencesIn(one)]));
  if (!isTemplateObject(part)) return new Set();
  return new Set(
    Object.entries(part).flatMap(([name, value]) => {
      if (name === 'Ref') return [String(value)];
      if (name === 'Fn::GetAtt') return [String(Array.isArray(value) ? value[0] : value).split('.')[0] ?? ''];
      if (name === 'DependsOn') return [value].flat().map(String);
      if (name === 'Fn::Sub')
        return [...String([value].flat()[0]).matchAll(/\$\{([\w]+)/g)].map(([, one = '']) => one);
      return [...referencesIn(value)];
    }),
  );
}
