import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AccessLayer } from '../../lib/access-layer.ts';
import { loadStageConfig } from '../../lib/config.ts';
import { MeteringTables } from '../../lib/metering-tables.ts';
import { stageFile } from '../../lib/synthesise.ts';
import { Usage } from '../../lib/usage.ts';

let template: Template;
beforeAll(() => {
  const config = loadStageConfig(stageFile('local'));
  const stack = new Stack(new App(), 'stack');
  const tables = new MeteringTables(stack, 'Tables', { removal: 'destroy' });
  new Usage(stack, 'Usage', { config, tables, layer: new AccessLayer(stack, 'Layer') });
  template = Template.fromStack(stack);
});

const STREAM = { 'Fn::GetAtt': [Match.stringLikeRegexp('^TablesAccounts'), 'StreamArn'] };
const DEAD_LETTERS = { 'Fn::GetAtt': [Match.stringLikeRegexp('^UsageDeadLetters'), 'Arn'] };

test('only the accounts have a stream, with each item before and after its change', () => {
  template.resourcePropertiesCountIs(
    'AWS::DynamoDB::Table',
    { StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } },
    1,
  );
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    KeySchema: [{ AttributeName: 'account', KeyType: 'HASH' }],
    StreamSpecification: Match.anyValue(),
  });
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    KeySchema: [
      { AttributeName: 'account', KeyType: 'HASH' },
      { AttributeName: 'line', KeyType: 'RANGE' },
    ],
    StreamSpecification: Match.absent(),
  });
});

test('the stream is read from its beginning; what fails is halved, retried while it is kept, and then noted', () => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: STREAM,
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 1_000,
    MaximumBatchingWindowInSeconds: 10,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRecordAgeInSeconds: 12 * 3_600,
    DestinationConfig: { OnFailure: { Destination: DEAD_LETTERS } },
  });
});

test('the function reads that stream, adds to usage and notes what it gave up; it can do nothing else', () => {
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        Match.objectLike({ Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] }),
        Match.objectLike({ Action: Match.arrayWith(['xray:PutTraceSegments']) }),
        {
          Effect: 'Allow',
          Action: 'dynamodb:UpdateItem',
          Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('^TablesUsage'), 'Arn'] },
        },
        {
          Effect: 'Allow',
          Action: [
            'dynamodb:DescribeStream',
            'dynamodb:GetRecords',
            'dynamodb:GetShardIterator',
            'dynamodb:ListStreams',
          ],
          Resource: STREAM,
        },
        {
          Effect: 'Allow',
          Action: ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
          Resource: DEAD_LETTERS,
        },
      ],
    },
  });
});
