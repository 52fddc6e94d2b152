import { calledFunction, publishedVersion } from '../../local/functions/called-function.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import type { Template } from '../../local/template/template.ts';
import { makeTemplate } from './make-template.ts';

const LAMBDA = { Type: 'AWS::Lambda::Function', Properties: {} };
const VERSION = { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Rpc' } } };

function aliasOf(version: unknown): object {
  const properties = { FunctionName: { Ref: 'Rpc' }, Name: 'live', FunctionVersion: version };
  return { Type: 'AWS::Lambda::Alias', Properties: properties };
}

function resolverOf(template: Template) {
  return createResolver(template, { attribute: createAttributes(template, 'http://127.0.0.1:1') });
}

test('an alias calls the version of its function', () => {
  const version = { 'Fn::GetAtt': ['RpcVersion', 'Version'] };
  const template = makeTemplate({ Rpc: LAMBDA, Data: LAMBDA, RpcVersion: VERSION, Live: aliasOf(version) });
  const resolve = resolverOf(template);
  const rpc = calledFunction(template, resolve, resolve({ Ref: 'Live' }));
  expect(rpc?.logicalId).toBe('Rpc');
  expect(rpc && publishedVersion(template, resolve, rpc)).toBe('1');
  const data = calledFunction(template, resolve, resolve({ 'Fn::GetAtt': ['Data', 'Arn'] }));
  expect(data?.logicalId).toBe('Data');
  expect(data && publishedVersion(template, resolve, data)).toBeUndefined();
  expect(calledFunction(template, resolve, 'arn:of:another')).toBeUndefined();
});

test('an alias of a version that there is not is refused by name', () => {
  const template = makeTemplate({ Rpc: LAMBDA, RpcVersion: VERSION, Live: aliasOf('2') });
  const resolve = resolverOf(template);
  expect(() => calledFunction(template, resolve, resolve({ Ref: 'Live' }))).toThrow(
    /Live.*FunctionVersion 2 is not supported/,
  );
});
