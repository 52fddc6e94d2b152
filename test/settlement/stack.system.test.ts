import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { loadStageConfig } from '../../lib/config/config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { AccessLayer } from '../../lib/functions/access-layer.ts';
import { Books } from '../../lib/metering/books.ts';
import { Evidence } from '../../lib/metering/evidence.ts';
import { Heads } from '../../lib/metering/heads.ts';
import { MeteringTables } from '../../lib/metering/metering-tables.ts';

let template: Template;
beforeAll(() => {
  const config = loadStageConfig(stageFile('local'));
  const stack = new Stack(new App(), 'books');
  const tables = new MeteringTables(stack, 'Tables', { removal: 'destroy', warmWritesPerSecond: 12_000 });
  const layer = new AccessLayer(stack, 'Layer');
  const evidence = new Evidence(stack, 'Evidence', { removal: 'destroy' });
  const heads = new Heads(stack, 'Heads', { config, tables, layer, evidence });
  new Books(stack, 'Books', { config, tables, layer, evidence, heads });
  template = Template.fromStack(stack);
});

/** Actions of one function's role with the resources that they are for, as text. */
function permissions(service: string): [string, string][] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const statements = policies
    .filter(([id]) => id.startsWith(`Books${service}`))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
  return statements.flatMap(({ Action, Resource }) =>
    [Action].flat().map((action: string): [string, string] => [action, JSON.stringify(Resource)]),
  );
}

test('the tables with a write of each request are warm, as the stage says, and no other', () => {
  const warm = Object.entries(template.findResources('AWS::DynamoDB::Table')).flatMap(
    ([id, { Properties }]) =>
      Properties.WarmThroughput === undefined ? [] : [[id, Properties.WarmThroughput]],
  );
  expect(warm).toEqual([
    [expect.stringMatching(/^TablesKeys/), { WriteUnitsPerSecond: 12_000 }],
    [expect.stringMatching(/^TablesLanes/), { WriteUnitsPerSecond: 12_000 }],
  ]);
});

test('both functions run every hour, with retries and a dead-letter queue', () => {
  const schedules = Object.values(template.findResources('AWS::Events::Rule')).map(
    ({ Properties }) => Properties.ScheduleExpression,
  );
  // And the seal of what they wrote.
  expect(schedules).toEqual(Array(3).fill('rate(1 hour)'));
  template.resourcePropertiesCountIs(
    'AWS::Events::Rule',
    {
      ScheduleExpression: 'rate(1 hour)',
      Targets: [
        Match.objectLike({
          DeadLetterConfig: Match.anyValue(),
          RetryPolicy: { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 3_600 },
        }),
      ],
    },
    2,
  );
  template.resourcePropertiesCountIs(
    'AWS::Lambda::Function',
    { DeadLetterConfig: Match.anyValue(), Timeout: 300 },
    2,
  );
});

test('each has a queue for the rest of its work, one message at a time, that ends in the dead letters', () => {
  template.resourceCountIs('AWS::SQS::Queue', 4);
  template.resourcePropertiesCountIs('AWS::Lambda::EventSourceMapping', { BatchSize: 1 }, 2);
  template.resourcePropertiesCountIs(
    'AWS::SQS::Queue',
    { VisibilityTimeout: 1_800, RedrivePolicy: Match.objectLike({ maxReceiveCount: 3 }) },
    2,
  );
});

test('settlement adds records and reads them, and changes accounts; it can do nothing else', () => {
  const tables = permissions('Settlement').filter(([action]) => action.startsWith('dynamodb:'));
  const on = (table: string) =>
    tables
      .filter(([, resource]) => resource.includes(table))
      .map(([action]) => action)
      .sort();
  expect(on('TablesAccounts')).toEqual(['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  expect(on('TablesLedger')).toEqual(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query']);
  expect(on('TablesLanes')).toEqual(['dynamodb:Query']);
  expect(on('TablesUnsettled')).toEqual(['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Query']);
  expect(tables).toHaveLength(9);
  const objects = permissions('Settlement').filter(([action]) => action.startsWith('s3:'));
  expect(objects).toEqual([
    ['s3:PutObject', expect.stringContaining('/leaves/*')],
    ['s3:GetObject', expect.stringContaining('/sealed/*')],
    ['s3:ListBucket', expect.stringContaining('EvidenceLeaves')],
    ['s3:GetObject', expect.stringContaining('/heads/*')],
    ['s3:ListBucket', expect.stringContaining('HeadsPublished')],
  ]);
});

test('the audit only reads', () => {
  const actions = permissions('Audit').map(([action]) => action);
  expect(actions.filter((action) => action.startsWith('dynamodb:')).sort()).toEqual([
    'dynamodb:GetItem',
    'dynamodb:Query',
  ]);
});

test('no permission names an action or a resource by a wildcard, but X-Ray, which has no resources', () => {
  for (const [action, resource] of [...permissions('Settlement'), ...permissions('Audit')]) {
    expect(action).not.toContain('*');
    if (!action.startsWith('xray:')) expect(resource).not.toBe('"*"');
  }
});
