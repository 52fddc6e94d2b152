import type { Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  resourcesOfType,
  type Template,
  type TemplateResource,
} from '../template/template.ts';

/** Logical id of the function that an event source mapping calls; undefined if it is not of this stack. */
export function mappedFunction(
  template: Template,
  resolve: Resolver,
  { properties }: TemplateResource,
): string | undefined {
  const name = resolve(properties.FunctionName);
  const lambda = resourcesOfType(template, 'AWS::Lambda::Function').find(({ logicalId }) =>
    [resolve({ Ref: logicalId }), resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] })].includes(name),
  );
  return lambda?.logicalId;
}

/**
 * Ids of the items of a batch that a function reports as failed. As on Lambda, no report means that all succeeded, and
 * a report that cannot be understood or names an unknown item that all failed.
 */
export function failedItems(response: unknown, ids: readonly string[]): ReadonlySet<string> {
  const report = isTemplateObject(response) ? response.batchItemFailures : undefined;
  if (
    response === null ||
    response === undefined ||
    (isTemplateObject(response) && (report === undefined || report === null))
  ) {
    return new Set();
  }
  const known = new Set(ids);
  const failed = (Array.isArray(report) ? report : [undefined]).map((failure: unknown) =>
    isTemplateObject(failure) ? String(failure.itemIdentifier) : '',
  );
  return failed.every((id) => known.has(id)) ? new Set(failed) : known;
}
