import type { Resolver } from '../template/intrinsics.ts';
import { isTemplateObject, resourcesOfType, type Template } from '../template/template.ts';
import type { LocalBucket } from './s3-endpoint.ts';

/** The buckets of a template by name. */
export function openBuckets(template: Template, resolve: Resolver): ReadonlyMap<string, LocalBucket> {
  return new Map(
    resourcesOfType(template, 'AWS::S3::Bucket').map(({ logicalId, properties }) => {
      const blocked = resolve(properties.PublicAccessBlockConfiguration);
      const isPublic = isTemplateObject(blocked) && blocked.RestrictPublicBuckets === false;
      return [String(resolve({ Ref: logicalId })), { isPublic }];
    }),
  );
}
