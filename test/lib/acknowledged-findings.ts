import { type Stack, Validations } from 'aws-cdk-lib';
import type { StageConfig } from '../../lib/config/stage-config.ts';

interface Acknowledgement {
  /** Construct of the stack, with all that is in it. */
  readonly construct: string;
  /** Rule of the AwsSolutions pack of cdk-nag, and the finding if the rule can have several. */
  readonly rule: string;
  readonly reason: string;
  /** Absent: in every stage. */
  readonly where?: (config: StageConfig) => boolean;
}

/** Findings of the rules that we keep, each with its reason. Constructs that a stage does not have are skipped. */
const ACKNOWLEDGED: readonly Acknowledgement[] = [
  {
    construct: 'Api',
    rule: 'APIG2',
    reason:
      'The functions validate every request themselves: the contract gives each mistake an error of its own, and a ' +
      'model of API Gateway would answer with one text for all.',
  },
  {
    construct: 'Api',
    rule: 'APIG3',
    reason: 'The stage file turns the firewall off: its operator has one in front, or pays for none.',
    where: ({ firewall }) => !firewall.enabled,
  },
  {
    construct: 'Api',
    rule: 'APIG4',
    reason:
      'Keys are checked in the functions, because an unknown key must look like an unknown route and each call is ' +
      'priced before it is admitted; status, chains and unknown routes are public.',
  },
  {
    construct: 'Api',
    rule: 'APIG6',
    reason: 'An execution log would write paths, and a key can stand in a path. The access log writes none.',
  },
  {
    construct: 'Api',
    rule: 'COG4',
    reason: 'Callers are programs with API keys, not people with a login.',
  },
  {
    construct: 'Api',
    rule: 'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason: 'API Gateway takes a role for its logs per account and asks for exactly this policy.',
  },
  {
    construct: 'Backups',
    rule: 'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
    reason:
      'AWS Backup reads tables and copies backups with exactly this policy, and AWS keeps it up to date.',
  },
  {
    construct: 'ChainDatabase',
    rule: 'VPC7',
    reason:
      'The network has no peer and no way in; its one way out is an endpoint of S3 whose policy names one bucket, for ' +
      'the database alone: there is no other flow to log.',
  },
  {
    construct: 'ChainDatabase',
    rule: 'RDS10',
    reason: 'The stage file says removal: destroy, and so asks for a database that goes with its stack.',
    where: ({ removal }) => removal === 'destroy',
  },
  {
    construct: 'ChainDatabase',
    rule: 'RDS6',
    reason:
      'No network leads to the database, so nobody can log in; it is reached through the RDS Data API, and that is ' +
      'authorised by IAM for each function.',
  },
  {
    construct: 'ChainDatabase',
    rule: 'SMG4',
    reason:
      'A password by itself opens nothing: no network leads to the database, and the RDS Data API asks for IAM as ' +
      'well. A rotation function would need a way into that network; docs/security.md has the rotation by hand.',
  },
  {
    construct: 'ChainDatabase',
    rule: 'S1',
    reason:
      'One function writes the files and the database reads them, for a week; they are public elsewhere.',
    where: ({ indexing }) => indexing.enabled,
  },
  ...['ChainDatabase', 'Indexing'].map((construct) => ({
    construct,
    rule: 'IAM5[Resource::<ChainDatabaseImportsFiles91536278.Arn>/*]',
    reason: 'The objects are named by their chain, blocks and table, and the bucket has nothing else.',
    where: ({ indexing }: StageConfig) => indexing.enabled,
  })),
  {
    construct: 'Evidence',
    rule: 'S1',
    reason: 'Two functions write the bucket and two read it; an access log would need a further bucket.',
  },
  {
    construct: 'Indexing',
    rule: 'S1',
    reason:
      'The operator writes the bucket and one function reads it, for a week; what is in it is public elsewhere.',
  },
  {
    construct: 'Indexing',
    rule: 'SQS3',
    reason:
      'A function puts slots in which derivation failed into the queue, as Lambda puts dead letters into one.',
    where: ({ indexing }) => indexing.enabled,
  },
  {
    construct: 'Indexing',
    rule: 'IAM5[Resource::<IndexingBlockFilesUploadedE52BD473.Arn>/*]',
    reason: 'The objects are named by their hashes.',
  },
  {
    construct: 'Heads',
    rule: 'S1',
    reason: 'Anybody may read the heads, by the API: who did is of no use.',
  },
  {
    construct: 'Heads',
    rule: 'SMG4',
    reason:
      'The hourly function that signs heads replaces the key each day; Secrets Manager could not have it certified.',
  },
  ...['certificates', 'heads', 'leaves', 'prices'].flatMap((folder) =>
    ['Functions', 'Heads'].map((construct) => ({
      construct,
      rule: `IAM5[Resource::<HeadsPublishedDDAB6113.Arn>/${folder}/*]`,
      reason: 'The objects have names of their own each, below four prefixes.',
    })),
  ),
  {
    construct: 'Books',
    rule: 'IAM5[Resource::<HeadsPublishedDDAB6113.Arn>/heads/*]',
    reason: 'Settlement reads heads, which have names of their own each.',
  },
  ...['Books', 'Heads'].map((construct) => ({
    construct,
    rule: 'IAM5[Resource::<EvidenceLeaves9F09A341.Arn>/sealed/*]',
    reason: 'There is one object for each head, named by its root.',
  })),
  ...['Books', 'Functions'].map((construct) => ({
    construct,
    rule: 'IAM5[Resource::<EvidenceLeaves9F09A341.Arn>/leaves/*]',
    reason: 'The objects have random names below one prefix.',
  })),
  ...['Data30CF6067', 'Mcp5E89DB05', 'Rpc88DDB5E6', 'Status4A0DA6A0'].map((id) => ({
    construct: 'Probe',
    rule: `IAM5[Resource::<Functions${id.replace(/(?=.{8}$)/, 'Function')}.Arn>:*]`,
    reason: 'It compares the version that is released with the one before, and their numbers rise.',
  })),
  {
    construct: 'Releases',
    rule: 'IAM5[Resource::<ProbeServiceFunctionCF72FB24.Arn>:*]',
    reason: 'The CDK lets CodeDeploy call whichever version of its hook; only the newest exists.',
  },
  {
    construct: 'Instances',
    rule: 'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator]',
    reason:
      'Lambda starts and ends instances with exactly this policy, which lets it touch only those that it manages, and ' +
      'AWS keeps it up to date.',
  },
  {
    construct: 'Releases',
    rule: 'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
    reason: 'CodeDeploy moves aliases with exactly this policy, and AWS keeps it up to date.',
  },
  {
    construct: 'ResponseCache',
    rule: 'DDB3',
    reason: 'The table holds only what nodes can answer again.',
  },
  {
    construct: 'Site',
    rule: 'CFR1',
    reason: 'The reference is public, for developers everywhere.',
  },
  {
    construct: 'Site',
    rule: 'CFR2',
    reason: 'It is static files without any input; what CloudFront has against floods of itself is enough.',
  },
  {
    construct: 'Site',
    rule: 'CFR3',
    reason: 'Who reads the reference is not recorded: nothing would be done with it.',
  },
  {
    construct: 'Site',
    rule: 'CFR4',
    reason: 'Under the name of the distribution CloudFront has a certificate and protocols of its own.',
    where: ({ site }) => site?.domain === undefined,
  },
  {
    construct: 'Site',
    rule: 'S1',
    reason: 'Only CloudFront may read the bucket, and what is in it is public.',
  },
];

/** Writes down what the security rules find in a stack and is meant to be so. */
export function acknowledgeFindings(stack: Stack, config: StageConfig): void {
  for (const { construct: id, rule, reason, where } of ACKNOWLEDGED) {
    const construct = stack.node.tryFindChild(id);
    if (construct === undefined || where?.(config) === false) continue;
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
}
