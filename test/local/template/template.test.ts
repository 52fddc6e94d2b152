import { join } from 'node:path';
import fc from 'fast-check';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { assetFolder } from '../../../local/template/template.ts';
import { functionResource, loadAssembly, writeAssembly } from '../assembly.ts';

const QUEUE = { Type: 'AWS::SQS::Queue', Properties: {} };

describe('loadTemplate', () => {
  test('reads the stack, its resources, outputs and assets', () => {
    const folder = writeAssembly(
      {
        Resources: {
          Work: { ...QUEUE, DependsOn: 'Role' },
          Role: { Type: 'AWS::IAM::Role' },
          F: functionResource('code'),
        },
        Outputs: { Url: { Value: { Ref: 'Work' } } },
        Parameters: { Node: { Type: 'String' } },
      },
      { code: { 'index.js': '' } },
    );
    const template = loadTemplate(folder, 'test-stack');
    expect(template).toMatchObject({ stackName: 'test-stack', folder, outputs: { Url: { Ref: 'Work' } } });
    expect(template.parameters).toEqual({ Node: { Type: 'String' } });
    expect(template.resources.get('Work')).toMatchObject({ type: 'AWS::SQS::Queue', dependsOn: ['Role'] });
    const resource = template.resources.get('F');
    expect(resource && assetFolder(template, resource)).toBe(join(folder, 'code'));
  });

  test.each([
    ['a type', { X: { Type: 'AWS::EFS::FileSystem' } }, 'X (AWS::EFS::FileSystem): this resource type'],
    ['a condition', { X: { ...QUEUE, Condition: 'C' } }, 'X (AWS::SQS::Queue): Condition'],
  ])('refuses %s that it does not know by name', (_, resources, message) => {
    expect(() => loadAssembly(resources)).toThrow(`${message} is not supported`);
  });

  test('says which stack it does not find', () => {
    expect(() => loadTemplate(writeAssembly({ Resources: {} }), 'other')).toThrow(
      'expected one stack other, found 0',
    );
  });

  test('refuses code that is no asset', () => {
    const { template } = loadAssembly({ F: functionResource('elsewhere') });
    const resource = template.resources.get('F');
    expect(() => resource && assetFolder(template, resource)).toThrow('F (AWS::Lambda::Function): code');
  });
});

describe('createResolver', () => {
  const template = loadTemplate(
    writeAssembly({
      Resources: {
        Work: QUEUE,
        Domain: { Type: 'AWS::ApiGateway::DomainName' },
        Named: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'things' } },
        Turning: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: { Ref: 'Round' } } },
        Round: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: { Ref: 'Turning' } } },
        F: functionResource('code'),
      },
      Parameters: {
        Given: { Type: 'String' },
        Defaulted: { Type: 'String', Default: 'd' },
        Missing: { Type: 'String' },
      },
    }),
  );
  const resolve = createResolver(template, {
    parameters: { Given: 'g' },
    attribute: createAttributes(template, 'http://127.0.0.1:9'),
  });

  test.each([
    [{ Ref: 'Given' }, 'g'],
    [{ Ref: 'Defaulted' }, 'd'],
    [{ Ref: 'Work' }, 'http://127.0.0.1:9/000000000000/test-stack-Work'],
    [{ 'Fn::GetAtt': ['Work', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:test-stack-Work'],
    [{ 'Fn::GetAtt': 'F.Arn' }, 'arn:aws:lambda:us-east-1:000000000000:function:test-stack-F'],
    [{ Ref: 'Named' }, 'things'],
    [{ 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] }, 'test-stack-Domain.RegionalDomainName'],
    [{ 'Fn::GetAtt': ['Domain', 'Arn'] }, 'arn:aws:deployed-only:us-east-1:000000000000:test-stack-Domain'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Given' }, { Ref: 'AWS::NoValue' }]] }, 'a-g'],
    [{ 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b'] }] }, 'b'],
    [
      { 'Fn::Sub': `\${AWS::Region} \${Given} \${Work.QueueName} \${!Given}` },
      `us-east-1 g test-stack-Work \${Given}`,
    ],
    [{ 'Fn::Sub': [`\${x}`, { x: { Ref: 'Given' } }] }, 'g'],
    [{ kept: [1, null, { Ref: 'AWS::NoValue' }], gone: { Ref: 'AWS::NoValue' } }, { kept: [1, null] }],
  ])('resolves %j', (value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  test.each([
    [{ Ref: 'Missing' }, 'parameter Missing of the template has no value'],
    [{ Ref: 'Nobody' }, 'unknown reference Nobody'],
    [{ 'Fn::GetAtt': ['Work', 'Colour'] }, 'unknown reference Work.Colour'],
    [{ Ref: 'Turning' }, 'reference Turning in the template depends on itself'],
    [{ 'Fn::Select': [7, ['a']] }, 'Fn::Select in the template cannot be resolved'],
    [{ 'Fn::If': ['C', 1, 2] }, 'Fn::If in the template cannot be resolved'],
  ])('refuses %j by name', (value, message) => {
    expect(() => resolve(value)).toThrow(message);
  });

  test('leaves plain data as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => expect(resolve({ value, two: 2 })).toEqual({ value, two: 2 })),
    );
  });
});
