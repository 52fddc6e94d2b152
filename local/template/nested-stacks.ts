import { intrinsicName } from './intrinsics.ts';
import { isTemplateObject, type TemplateObject } from './template.ts';

const NESTED_STACK = 'AWS::CloudFormation::Stack';
const OUTPUT_PREFIX = 'Outputs.';

/** Reads the template of a nested stack by the object key of its asset. */
type ReadNestedTemplate = (objectKey: string) => TemplateObject;

/**
 * A template with the resources of its nested stacks in their places: what they get as parameters and give as outputs is
 * written where it is used. One level of nesting, as the stack has.
 * @throws Error if two stacks have a resource of the same logical id, or if a reference leads nowhere
 */
export function flattenNestedStacks(
  template: TemplateObject,
  readNested: ReadNestedTemplate,
): TemplateObject {
  const resources = membersOf(template, 'Resources');
  const nested = new Map(
    Object.entries(resources)
      .filter(([, resource]) => isTemplateObject(resource) && resource.Type === NESTED_STACK)
      .map(([id, resource]) => [id, readStack(resource as TemplateObject, readNested)]),
  );
  if (nested.size === 0) return template;
  const inParent = (value: unknown): unknown =>
    rewrite(value, (reference) => outputOf(nested, reference, inParent));
  const flat = new Map<string, unknown>();
  const add = (id: string, resource: unknown): void => {
    if (flat.has(id)) throw new Error(`two stacks have a resource ${id}`);
    flat.set(id, resource);
  };
  for (const [id, resource] of Object.entries(resources)) {
    const stack = nested.get(id);
    if (stack === undefined) {
      add(id, without(inParent(resource) as TemplateObject, nested));
      continue;
    }
    for (const [inner, value] of Object.entries(stack.resources)) {
      const resolved = inNested(stack, value, inParent) as TemplateObject;
      add(inner, { ...resolved, DependsOn: [...dependsOn(resolved), ...stack.dependsOn] });
    }
  }
  const outputs = inParent(membersOf(template, 'Outputs'));
  return { ...template, Resources: Object.fromEntries(flat), Outputs: outputs };
}

interface NestedTemplate {
  readonly resources: TemplateObject;
  readonly outputs: TemplateObject;
  /** Values that the parent gives, in the parent's own references. */
  readonly parameters: TemplateObject;
  readonly dependsOn: readonly string[];
}

function readStack(resource: TemplateObject, readNested: ReadNestedTemplate): NestedTemplate {
  const properties = membersOf(resource, 'Properties');
  const [, objectKey] = /([0-9a-f]{64}\.json)/.exec(JSON.stringify(properties.TemplateURL)) ?? [];
  if (objectKey === undefined)
    throw new Error('a nested stack without an asset is not supported by a local run');
  const template = readNested(objectKey);
  return {
    resources: membersOf(template, 'Resources'),
    outputs: membersOf(template, 'Outputs'),
    parameters: membersOf(properties, 'Parameters'),
    dependsOn: dependsOn(resource),
  };
}

type Rewriting = (value: unknown) => unknown;

/** Content of a nested stack, in the references of its parent. */
function inNested(stack: NestedTemplate, value: unknown, inParent: Rewriting): unknown {
  return rewrite(value, ({ intrinsic, argument }) => {
    if (intrinsic !== 'Ref' || !Object.hasOwn(stack.parameters, String(argument))) return undefined;
    return inParent(stack.parameters[String(argument)]);
  });
}

interface Reference {
  readonly intrinsic: string;
  readonly argument: unknown;
}

/** The value of an output that a parent asks of a nested stack; undefined for another reference. */
function outputOf(
  nested: ReadonlyMap<string, NestedTemplate>,
  { intrinsic, argument }: Reference,
  inParent: Rewriting,
): unknown {
  if (intrinsic !== 'Fn::GetAtt' || !Array.isArray(argument)) return undefined;
  const [id, attribute] = argument.map(String);
  const stack = nested.get(id ?? '');
  if (stack === undefined) return undefined;
  const name = attribute?.slice(OUTPUT_PREFIX.length) ?? '';
  const output = stack.outputs[name];
  if (!isTemplateObject(output)) throw new Error(`the nested stack ${id} has no output ${name}`);
  return inNested(stack, output.Value, inParent);
}

/** A value with some of its references replaced. */
function rewrite(value: unknown, replace: (reference: Reference) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, replace));
  if (!isTemplateObject(value)) return value;
  const intrinsic = intrinsicName(value);
  if (intrinsic !== undefined) {
    const replaced = replace({ intrinsic, argument: value[intrinsic] });
    if (replaced !== undefined) return replaced;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member, replace)]));
}

/** A resource that waits for no nested stack: what is in that waits for what it needs. */
function without(resource: TemplateObject, nested: ReadonlyMap<string, unknown>): TemplateObject {
  const dependencies = dependsOn(resource).filter((id) => !nested.has(id));
  return resource.DependsOn === undefined ? resource : { ...resource, DependsOn: dependencies };
}

function dependsOn({ DependsOn = [] }: TemplateObject): readonly string[] {
  return (Array.isArray(DependsOn) ? DependsOn : [DependsOn]).map(String);
}

function membersOf(value: TemplateObject, name: string): TemplateObject {
  const member = value[name] ?? {};
  if (!isTemplateObject(member)) throw new Error(`${name} of a template must be an object`);
  return member;
}
