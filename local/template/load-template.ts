import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flattenNestedStacks } from './nested-stacks.ts';
import { deployedOnlyTypes, interpretedTypes } from './resource-types.ts';
import {
  isTemplateObject,
  objectAt,
  type Template,
  type TemplateObject,
  type TemplateResource,
  unsupported,
} from './template.ts';

/**
 * Reads one stack of a cloud assembly and checks that the local run knows all that is in it.
 *
 * @param stackName needed only if the assembly holds several stacks
 * @throws UnsupportedTemplateError that names the logical id, its type and what is not supported
 */
export function loadTemplate(assemblyFolder: string, stackName?: string): Template {
  const artifacts = Object.entries(objectAt(readJson(join(assemblyFolder, 'manifest.json')), 'artifacts'));
  const stacks = artifacts
    .filter(([, artifact]) => isTemplateObject(artifact) && artifact.type === 'aws:cloudformation:stack')
    .map(([id, artifact]) => ({ id, properties: objectAt(artifact, 'properties') }))
    .map(({ id, properties }) => ({
      name: String(properties.stackName ?? id),
      file: properties.templateFile,
    }))
    .filter(({ name }) => stackName === undefined || name === stackName);
  const [stack] = stacks;
  if (stack === undefined || stacks.length > 1) {
    throw new Error(
      `${assemblyFolder}: expected one stack${stackName ? ` ${stackName}` : ''}, found ${stacks.length}`,
    );
  }
  const assets = readAssets(assemblyFolder, artifacts);
  const json = flattenNestedStacks(
    objectOf(readJson(join(assemblyFolder, String(stack.file)))),
    (objectKey) => objectOf(readJson(assets.get(objectKey) ?? join(assemblyFolder, objectKey))),
  );
  const resources = Object.entries(objectAt(json, 'Resources')).map(([id, value]) => readResource(id, value));
  return {
    stackName: stack.name,
    folder: assemblyFolder,
    parameters: objectAt(json, 'Parameters') as Record<string, TemplateObject>,
    resources: new Map(resources.map((resource) => [resource.logicalId, resource])),
    outputs: Object.fromEntries(
      Object.entries(objectAt(json, 'Outputs')).map(([id, output]) => [
        id,
        objectAt({ output }, 'output').Value,
      ]),
    ),
    assets,
  };
}

function readResource(logicalId: string, value: unknown): TemplateResource {
  if (!isTemplateObject(value)) throw new Error(`${logicalId}: a resource must be an object`);
  const dependsOn = value.DependsOn ?? [];
  const resource: TemplateResource = {
    logicalId,
    type: String(value.Type),
    properties: objectAt(value, 'Properties'),
    dependsOn: (Array.isArray(dependsOn) ? dependsOn : [dependsOn]).map(String),
  };
  if (deployedOnlyTypes.has(resource.type)) return resource;
  if (!interpretedTypes.has(resource.type)) throw unsupported(resource, 'this resource type');
  if (value.Condition !== undefined) throw unsupported(resource, 'Condition');
  return resource;
}

function readAssets(folder: string, artifacts: readonly [string, unknown][]): Map<string, string> {
  const assets = new Map<string, string>();
  for (const [, artifact] of artifacts) {
    if (!isTemplateObject(artifact) || artifact.type !== 'cdk:asset-manifest') continue;
    const manifest = readJson(join(folder, String(objectAt(artifact, 'properties').file)));
    for (const file of Object.values(objectAt(manifest, 'files'))) {
      const source = objectAt(file, 'source');
      for (const destination of Object.values(objectAt(file, 'destinations'))) {
        assets.set(
          String(objectAt({ destination }, 'destination').objectKey),
          join(folder, String(source.path)),
        );
      }
    }
  }
  return assets;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function objectOf(value: unknown): TemplateObject {
  if (!isTemplateObject(value))
    throw new Error('the cloud assembly is malformed: a template must be an object');
  return value;
}
