import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { synthesise } from '../../lib/synthesise.ts';
import { flattenNestedStacks } from '../../local/template/nested-stacks.ts';
import { synthesisedOnce, synthesisedTogether } from '../support/synthesised-once.ts';

type Assembly = ReturnType<typeof synthesise>;

export interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** What stands for an ARN in a template. */
interface Reference {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly string[];
  readonly 'Fn::Join'?: readonly [string, readonly (string | { readonly Ref?: string })[]];
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface StageContent {
  readonly folder: string;
  readonly text: string;
  readonly template: Template;
  readonly deployed: ReadonlyMap<string, string>;
}

function readContent({ folder, stackName }: Assembly): StageContent {
  const files = readdirSync(folder).filter((file) => file.endsWith('.template.json'));
  const deployed = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const flat = flattenNestedStacks(
    JSON.parse(deployed.get(`${stackName}.template.json`) ?? ''),
    (objectKey) => JSON.parse(deployed.get(nestedFile(folder, objectKey)) ?? ''),
  );
  return { folder, text: JSON.stringify(flat, undefined, 1), template: Template.fromJSON(flat), deployed };
}

/** File of a nested stack's template, by the object key of its asset. */
function nestedFile(folder: string, objectKey: string): string {
  const manifest = readdirSync(folder).find((file) => file.endsWith('.assets.json')) ?? '';
  const { files } = JSON.parse(readFileSync(join(folder, manifest), 'utf8')) as {
    readonly files: Readonly<Record<string, { readonly source: { readonly path: string } }>>;
  };
  return files[objectKey.replace('.json', '')]?.source.path ?? '';
}

/** A synthesised stage: its template as text and as assertions, and the folder with its assets. */
export class SynthesisedStage {
  readonly #made: () => Assembly;
  #content: StageContent | undefined;

  /**
   * It is synthesised when it is first looked at, so that deep tests cost a quick run nothing.
   * @param stage name of a stage that is shipped, or what makes an assembly
   * @param synthesis which of them, for tests that compare two
   */
  constructor(stage: string | (() => Assembly), synthesis: 'first' | 'second' = 'first') {
    this.#made = typeof stage === 'string' ? () => synthesisedOnce(stage, synthesis) : stage;
  }

  private get content(): StageContent {
    this.#content ??= readContent(this.#made());
    return this.#content;
  }

  get folder(): string {
    return this.content.folder;
  }

  /** The template with what its nested stacks hold. */
  get text(): string {
    return this.content.text;
  }

  get template(): Template {
    return this.content.template;
  }

  /** The templates as they are deployed, by the name of their file. */
  get deployed(): ReadonlyMap<string, string> {
    return this.content.deployed;
  }

  resources(type: string): [string, Resource][] {
    return Object.entries(this.template.findResources(type)) as [string, Resource][];
  }

  /** Properties of the one resource of a type whose logical id starts so. */
  properties(type: string, prefix = ''): Resource['Properties'] {
    const found = this.resources(type).filter(([id]) => id.startsWith(prefix));
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`${found.length} of ${type} ${prefix}`);
    return only[1].Properties;
  }

  /** Folder of the asset with the code of a function or layer. */
  code(type: string, prefix: string): string {
    const { Code, Content } = this.properties(type, prefix);
    const { S3Key } = (Code ?? Content) as { S3Key: string };
    return join(this.folder, `asset.${S3Key.replace('.zip', '')}`);
  }

  /** `METHOD /path` of the API to the integration behind it. */
  routes(): Map<string, Record<string, unknown>> {
    const parts = new Map(this.resources('AWS::ApiGateway::Resource'));
    const pathOf = (reference: unknown): string => {
      const id = (reference as { Ref?: string }).Ref;
      const part = id === undefined ? undefined : parts.get(id);
      return part === undefined ? '' : `${pathOf(part.Properties.ParentId)}/${part.Properties.PathPart}`;
    };
    const routes = this.resources('AWS::ApiGateway::Method').map(([, { Properties }]) => {
      const route = `${Properties.HttpMethod} ${pathOf(Properties.ResourceId) || '/'}`;
      return [route, Properties.Integration as Record<string, unknown>] as const;
    });
    return new Map(routes);
  }

  /** Statements of the policies whose logical id starts so. */
  statements(prefix = ''): Statement[] {
    return this.resources('AWS::IAM::Policy')
      .filter(([id]) => id.startsWith(prefix))
      .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
  }

  /** `action on construct` for all that a function may do beside its log. */
  permissions(prefix: string): string[] {
    return this.statements(prefix)
      .flatMap(({ Action, Resource }) =>
        [Action]
          .flat()
          .flatMap((action) => [Resource].flat().map((resource) => `${action} on ${targetOf(resource)}`)),
      )
      .filter((permission) => !permission.startsWith('logs:'))
      .sort();
  }
}

/** Stages with these contents of their stage files; those of one call take little more time than one. */
export function stagesOf<Name extends string>(
  contents: Readonly<Record<Name, object>>,
): Readonly<Record<Name, SynthesisedStage>> {
  const assemblies = Object.entries<Assembly>(synthesisedTogether(contents));
  return Object.fromEntries(
    assemblies.map(([name, assembly]) => [name, new SynthesisedStage(() => assembly)]),
  ) as Record<Name, SynthesisedStage>;
}

/** The construct that a resource of a statement stands for, without the hash at its end. */
function targetOf(resource: unknown): string {
  const { 'Fn::GetAtt': attribute, Ref, 'Fn::Join': join } = resource as Reference;
  const inArn = join?.[1].find((part) => typeof part === 'object' && !part.Ref?.startsWith('AWS::'));
  const logicalId = attribute?.[0] ?? Ref ?? (typeof inArn === 'object' ? inArn.Ref : undefined);
  return logicalId?.replace(/[0-9A-F]{8}$/, '') ?? JSON.stringify(resource);
}
