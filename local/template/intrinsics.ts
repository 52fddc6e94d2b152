import type { Template, TemplateObject, TemplateResource } from './template.ts';

/** Region and account that a local run pretends to be in. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT_ID = '000000000000';

/** Resolves the intrinsics in a value; members that are `AWS::NoValue` disappear. */
export type Resolver = (value: unknown) => unknown;

/** What `Ref` (no name) and `Fn::GetAtt` (a name) give for a resource; undefined if there is no such attribute. */
export type Attribute = (resource: TemplateResource, name: string | undefined, resolve: Resolver) => unknown;

interface ResolverOptions {
  /** Values of the template's parameters; those left out take their `Default`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly attribute: Attribute;
}

/** The intrinsic that an object stands for, such as `Ref` or `Fn::Join`; undefined for plain data. */
export function intrinsicName(value: TemplateObject): string | undefined {
  const [name, ...others] = Object.keys(value);
  return name !== undefined && others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))
    ? name
    : undefined;
}

/**
 * Makes the resolver of a template's intrinsics.
 *
 * The resolver throws an error that names the reference if it is unknown or depends on itself.
 */
export function createResolver(template: Template, options: ResolverOptions): Resolver {
  const references = new References(template, options);
  return (value) => references.resolve(value);
}

/** What the intrinsics of a template stand for. */
class References {
  readonly #template: Template;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #attributeOf: Attribute;
  readonly #pseudoParameters: Readonly<Record<string, unknown>>;
  readonly #pending = new Set<string>();

  constructor(template: Template, options: ResolverOptions) {
    this.#template = template;
    this.#parameters = options.parameters ?? {};
    this.#attributeOf = options.attribute;
    this.#pseudoParameters = pseudoParameters(template);
  }

  readonly resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(this.resolve).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const intrinsic = intrinsicName(value as TemplateObject);
    if (intrinsic !== undefined) return this.#call(intrinsic, Object.values(value)[0]);
    const members = Object.entries(value).map(([name, member]) => [name, this.resolve(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  };

  #call(intrinsic: string, argument: unknown): unknown {
    if (intrinsic === 'Ref') return this.#reference(String(argument));
    if (intrinsic === 'Fn::GetAtt') return this.#getAttribute(argument);
    if (intrinsic === 'Fn::Sub') return this.#substitute(argument);
    if (!Array.isArray(argument)) throw new Error(`${intrinsic} in the template needs a list`);
    const [first, second] = argument.map(this.resolve);
    if (intrinsic === 'Fn::Join' && Array.isArray(second)) return second.join(String(first));
    if (intrinsic === 'Fn::Split') return String(second).split(String(first));
    const chosen = intrinsic === 'Fn::Select' && Array.isArray(second) ? second[Number(first)] : undefined;
    if (chosen === undefined) throw new Error(`${intrinsic} in the template cannot be resolved`);
    return chosen;
  }

  #reference(logicalId: string): unknown {
    if (Object.hasOwn(this.#pseudoParameters, logicalId)) return this.#pseudoParameters[logicalId];
    const parameter = this.#template.parameters[logicalId];
    if (parameter === undefined) return this.#attribute(logicalId, undefined);
    const value = this.#parameters[logicalId] ?? parameter.Default;
    if (value === undefined) throw new Error(`parameter ${logicalId} of the template has no value`);
    return value;
  }

  #attribute(logicalId: string, name: string | undefined): unknown {
    const what = name === undefined ? logicalId : `${logicalId}.${name}`;
    const resource = this.#template.resources.get(logicalId);
    if (resource === undefined) throw new Error(`unknown reference ${what} in the template`);
    if (this.#pending.has(what)) throw new Error(`reference ${what} in the template depends on itself`);
    this.#pending.add(what);
    try {
      const value = this.#attributeOf(resource, name, this.resolve);
      if (value === undefined)
        throw new Error(`unknown reference ${what} in the template (${resource.type})`);
      return value;
    } finally {
      this.#pending.delete(what);
    }
  }

  #getAttribute(argument: unknown): unknown {
    const parts = Array.isArray(argument) ? argument : String(argument).split('.');
    const [logicalId, ...name] = parts.map((part) => String(this.resolve(part)));
    return this.#attribute(String(logicalId), name.join('.'));
  }

  #substitute(argument: unknown): string {
    const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return String(text).replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (Object.hasOwn(variables, name)) return String(this.resolve(variables[name]));
      return String(this.resolve(name.includes('.') ? { 'Fn::GetAtt': name } : { Ref: name }));
    });
  }
}

function pseudoParameters(template: Template): Readonly<Record<string, unknown>> {
  return {
    'AWS::AccountId': LOCAL_ACCOUNT_ID,
    'AWS::NoValue': undefined,
    'AWS::Partition': 'aws',
    'AWS::Region': LOCAL_REGION,
    'AWS::StackId': `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:stack/${template.stackName}/local`,
    'AWS::StackName': template.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
}
