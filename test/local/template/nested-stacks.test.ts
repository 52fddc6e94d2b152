import { flattenNestedStacks } from '../../../local/template/nested-stacks.ts';

const KEY = `${'ab'.repeat(32)}.json`;
const PARENT = {
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue', DependsOn: ['Chain'] },
    Chain: {
      Type: 'AWS::CloudFormation::Stack',
      DependsOn: 'Schemas',
      Properties: {
        TemplateURL: { 'Fn::Join': ['', ['https://s3.', { Ref: 'AWS::URLSuffix' }, `/bucket/${KEY}`]] },
        Parameters: { queue: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
      },
    },
    Policy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Rules: [{ 'Fn::GetAtt': ['Chain', 'Outputs.Slot'] }], Of: { Ref: 'Queue' } },
    },
  },
  Outputs: { Name: { Value: { 'Fn::GetAtt': ['Chain', 'Outputs.Letters'] } } },
};
const CHILD = {
  Parameters: { queue: { Type: 'String' } },
  Resources: {
    Slot: {
      Type: 'AWS::Events::Rule',
      DependsOn: ['Follow'],
      Properties: { Letters: { Ref: 'queue' }, Region: { Ref: 'AWS::Region' } },
    },
    Follow: { Type: 'AWS::Lambda::Function' },
  },
  Outputs: { Slot: { Value: { 'Fn::GetAtt': ['Slot', 'Arn'] } }, Letters: { Value: { Ref: 'queue' } } },
};

const flatten = (parent: object, child: object) =>
  flattenNestedStacks({ ...parent }, (objectKey) => {
    expect(objectKey).toBe(KEY);
    return { ...child };
  });

test('what a nested stack holds is in the place of its resource, with what is passed to and fro', () => {
  expect(flatten(PARENT, CHILD)).toEqual({
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', DependsOn: [] },
      Slot: {
        Type: 'AWS::Events::Rule',
        DependsOn: ['Follow', 'Schemas'],
        Properties: { Letters: { 'Fn::GetAtt': ['Queue', 'Arn'] }, Region: { Ref: 'AWS::Region' } },
      },
      Follow: { Type: 'AWS::Lambda::Function', DependsOn: ['Schemas'] },
      Policy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: { Rules: [{ 'Fn::GetAtt': ['Slot', 'Arn'] }], Of: { Ref: 'Queue' } },
      },
    },
    Outputs: { Name: { Value: { 'Fn::GetAtt': ['Queue', 'Arn'] } } },
  });
});

test('a template without nested stacks is as it is', () => {
  expect(flattenNestedStacks(CHILD, () => ({}))).toBe(CHILD);
});

test('what cannot be put together is refused', () => {
  expect(() =>
    flatten(PARENT, { Resources: { Queue: { Type: 'AWS::SQS::Queue' } }, Outputs: CHILD.Outputs }),
  ).toThrow('two stacks have a resource Queue');
  expect(() => flatten(PARENT, { Resources: {} })).toThrow('the nested stack Chain has no output Slot');
  const elsewhere = {
    Resources: { Chain: { Type: 'AWS::CloudFormation::Stack', Properties: { TemplateURL: 'x' } } },
  };
  expect(() => flatten(elsewhere, CHILD)).toThrow('a nested stack without an asset');
});
