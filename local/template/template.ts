/** A JSON object of a template, before or after its intrinsics are resolved. */
export type TemplateObject = Readonly<Record<string, unknown>>;

/** One resource of a synthesised stack; its properties still hold intrinsics. */
export interface TemplateResource {
  readonly logicalId: string;
  /** CloudFormation type, such as `AWS::Lambda::Function`. */
  readonly type: string;
  readonly properties: TemplateObject;
  readonly dependsOn: readonly string[];
}

/** One stack of a cloud assembly, as the local run reads it. */
export interface Template {
  readonly stackName: string;
  /** The cloud assembly's folder. */
  readonly folder: string;
  /** Template parameters by name, with `Type` and perhaps `Default`. */
  readonly parameters: Readonly<Record<string, TemplateObject>>;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  /** Values of the stack's outputs by logical id, not yet resolved. */
  readonly outputs: TemplateObject;
  /** Folders of the assembly's assets by object key. */
  readonly assets: ReadonlyMap<string, string>;
}

/** A template asks for something that the local run does not do. */
class UnsupportedTemplateError extends Error {
  override readonly name = 'UnsupportedTemplateError';
}

export function isTemplateObject(value: unknown): value is TemplateObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error for a part of a resource that the local run does not understand. */
export function unsupported(resource: TemplateResource, what: string): UnsupportedTemplateError {
  return new UnsupportedTemplateError(
    `${resource.logicalId} (${resource.type}): ${what} is not supported by a local run`,
  );
}

/** Refuses members of a nested property that are not among `known`, by name. */
export function refuseUnknown(
  resource: TemplateResource,
  place: string,
  value: TemplateObject,
  known: readonly string[],
): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unsupported(resource, `${place}.${unknown}`);
}

/** The resources of one type, in template order. */
export function resourcesOfType(template: Template, type: string): readonly TemplateResource[] {
  return [...template.resources.values()].filter((resource) => resource.type === type);
}

/**
 * The folder with the content of a function's code (`Code`) or a layer (`Content`).
 *
 * @throws UnsupportedTemplateError if it is not a folder asset of the assembly
 */
export function assetFolder(template: Template, resource: TemplateResource): string {
  const place = resource.type === 'AWS::Lambda::LayerVersion' ? 'Content' : 'Code';
  const content = objectAt(resource.properties, place);
  refuseUnknown(resource, place, content, ['S3Bucket', 'S3Key']);
  return assetFolderOf(template, resource, content.S3Key);
}

/** The folder of an asset by its key. @throws UnsupportedTemplateError if it is not an asset of the assembly */
function assetFolderOf(template: Template, resource: TemplateResource, key: unknown): string {
  const folder = template.assets.get(String(key));
  if (folder === undefined) throw unsupported(resource, 'code that is not an asset of the assembly');
  return folder;
}

/** A member that is an object if present; absent counts as empty. */
export function objectAt(value: unknown, name: string): TemplateObject {
  const member = isTemplateObject(value) ? (value[name] ?? {}) : {};
  if (!isTemplateObject(member))
    throw new Error(`the cloud assembly is malformed: ${name} must be an object`);
  return member;
}
