import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';

/**
 * The function that a name or an ARN calls: its own, or that of an alias, which names a version of it.
 * @throws UnsupportedTemplateError for an alias whose version is none of its function's
 */
export function calledFunction(
  template: Template,
  resolve: Resolver,
  called: unknown,
): TemplateResource | undefined {
  const functions = resourcesOfType(template, 'AWS::Lambda::Function');
  const own = functions.find(({ logicalId }) =>
    [resolve({ Ref: logicalId }), resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] })].includes(called),
  );
  if (own !== undefined) return own;
  const alias = resourcesOfType(template, 'AWS::Lambda::Alias').find(
    ({ logicalId }) => resolve({ Ref: logicalId }) === called,
  );
  if (alias === undefined) return undefined;
  const name = resolve(alias.properties.FunctionName);
  const lambda = functions.find(({ logicalId }) => resolve({ Ref: logicalId }) === name);
  const version = resolve(alias.properties.FunctionVersion);
  if (lambda === undefined || version !== publishedVersion(template, resolve, lambda))
    throw unsupported(alias, `FunctionVersion ${String(version)}`);
  return lambda;
}

/** Number of the version that a template publishes of a function; undefined: none. */
export function publishedVersion(
  template: Template,
  resolve: Resolver,
  lambda: TemplateResource,
): string | undefined {
  const version = versionOf(template, resolve, lambda);
  return version && String(resolve({ 'Fn::GetAtt': [version.logicalId, 'Version'] }));
}

/** The version that a template publishes of a function; undefined: none. */
export function versionOf(
  template: Template,
  resolve: Resolver,
  { logicalId }: TemplateResource,
): TemplateResource | undefined {
  const name = resolve({ Ref: logicalId });
  return resourcesOfType(template, 'AWS::Lambda::Version').find(
    ({ properties }) => resolve(properties.FunctionName) === name,
  );
}
