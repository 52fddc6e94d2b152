import type { Resource, SynthesisedStage } from './synthesised-stage.ts';

/** Hash at the end of a logical id, and the one of the version of a function. */
const ID_HASH = /[0-9A-F]{8}(?:[0-9a-f]{32})?$/;
/** Every resource has those of its stage. */
const TAGS = /Tags$/;

/** Logical id without its hash. */
export function nameOf(logicalId: string): string {
  return logicalId.replace(ID_HASH, '');
}

/**
 * A value of a template on a line: `<Name>` for a reference or an ARN, `<Name.Attribute>` for any other attribute, joined
 * texts as one, lists in brackets, objects in braces.
 */
export function brief(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(brief).join(', ')}]`;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Readonly<Record<string, unknown>>;
  if (typeof Ref === 'string') return `<${nameOf(Ref)}>`;
  if (Array.isArray(attribute))
    return `<${nameOf(String(attribute[0]))}${attribute[1] === 'Arn' ? '' : `.${attribute[1]}`}>`;
  if (Array.isArray(join)) return (join[1] as readonly unknown[]).map(brief).join(String(join[0]));
  const members = Object.entries(value).map(([name, one]) => `${name}: ${brief(one)}`);
  return `{${members.join(', ')}}`;
}

/** What is set of some properties, as `Property=value Property=value`, without tags. */
export function settings(properties: Resource['Properties']): string {
  return Object.entries(properties)
    .filter(([name, value]) => value !== undefined && !TAGS.test(name))
    .map(([name, value]) => `${name}=${brief(value)}`)
    .join(' ');
}

/** One line for each resource of a type: its name, and its properties, or what is picked of them; sorted. */
export function linesOf(
  stage: SynthesisedStage,
  type: string,
  pick: (properties: Resource['Properties']) => Resource['Properties'] = (properties) => properties,
): string[] {
  return stage
    .resources(type)
    .map(([id, { Properties = {} }]) => `${nameOf(id)} ${settings(pick(Properties))}`.trimEnd())
    .sort();
}

interface PolicyStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
  readonly Sid?: string;
}

/** A line for each statement of a policy: `action action on resource, resource for principal if condition`. */
export function statementLines(document: unknown): string[] {
  const { Statement } = document as { readonly Statement: readonly PolicyStatement[] };
  return Statement.map(({ Effect, Action, Resource, Principal, Condition }) =>
    [
      ...(Effect === 'Allow' ? [] : [Effect]),
      [Action].flat().join(' '),
      `on ${[Resource].flat().map(brief).join(', ')}`,
      ...(Principal === undefined ? [] : [`for ${brief(Principal)}`]),
      ...(Condition === undefined ? [] : [`if ${brief(Condition)}`]),
    ].join(' '),
  );
}
