import { SynthesisedStage } from './synthesised-stage.ts';
import { variedStage } from './varied-stages.ts';

/** Where the names stand that an account can have only once, whatever the region. */
const UNIQUE_NAMES: Readonly<Record<string, readonly string[]>> = {
  'AWS::Budgets::Budget': ['Budget.BudgetName'],
  'AWS::CloudFront::CachePolicy': ['CachePolicyConfig.Name'],
  'AWS::CloudFront::Distribution': ['DistributionConfig.Aliases'],
  'AWS::CloudFront::Function': ['Name'],
  'AWS::CloudFront::OriginAccessControl': ['OriginAccessControlConfig.Name'],
  'AWS::CloudFront::OriginRequestPolicy': ['OriginRequestPolicyConfig.Name'],
  'AWS::CloudFront::ResponseHeadersPolicy': ['ResponseHeadersPolicyConfig.Name'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::IAM::Group': ['GroupName'],
  'AWS::IAM::ManagedPolicy': ['ManagedPolicyName'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::IAM::User': ['UserName'],
  'AWS::Route53::HostedZone': ['Name'],
  'AWS::Route53::RecordSet': ['Name'],
  'AWS::S3::Bucket': ['BucketName'],
};

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}

/** The names of a stage that may stand in its account once, without those that CloudFormation makes up. */
function uniqueNames(stage: SynthesisedStage, region: string): Set<string> {
  const names = Object.entries(UNIQUE_NAMES).flatMap(([type, paths]) =>
    stage.resources(type).flatMap(([, { Properties }]) =>
      paths.flatMap((path) => {
        const value = valueAt(Properties, path);
        if (value === undefined) return [];
        return [`${type} ${JSON.stringify(value).replaceAll('{"Ref":"AWS::Region"}', region)}`];
      }),
    ),
  );
  return new Set(names);
}

const here = uniqueNames(new SynthesisedStage('example-production'), 'us-east-1');
const there = uniqueNames(variedStage('moved'), 'eu-west-1');

test('a stage has names that its account can have only once', () => {
  expect([...here].map((name) => name.split(' ')[0]).sort()).toEqual(
    expect.arrayContaining([
      'AWS::Budgets::Budget',
      'AWS::CloudFront::CachePolicy',
      'AWS::CloudFront::OriginAccessControl',
      'AWS::CloudFront::ResponseHeadersPolicy',
      'AWS::CloudWatch::Dashboard',
      'AWS::Route53::RecordSet',
    ]),
  );
});

test('the same stage can be deployed beside a lost one, in another region: no such name stands twice', () => {
  expect(there.size).toBeGreaterThan(4);
  expect([...here].filter((name) => there.has(name))).toEqual([]);
});

test('but the record of its domain, which a stage elsewhere leaves to its operator', () => {
  expect([...here].filter((name) => name.startsWith('AWS::Route53'))).toHaveLength(1);
  expect([...there].filter((name) => name.startsWith('AWS::Route53'))).toEqual([]);
});
