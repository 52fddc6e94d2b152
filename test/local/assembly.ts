import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver, type Resolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import type { Template } from '../../local/template/template.ts';

type Resources = Readonly<Record<string, unknown>>;

const folders: string[] = [];

// Of each test file that uses this.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Writes a cloud assembly with one stack, `test-stack`, and the given assets (folder name to files) into a folder that
 * is there until the tests of the file have ended.
 */
export function writeAssembly(
  template: { readonly Resources: Resources } & Readonly<Record<string, unknown>>,
  assets: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-assembly-'));
  folders.push(folder);
  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  for (const [asset, files] of Object.entries(assets)) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, asset, name, '..'), { recursive: true });
      writeFileSync(join(folder, asset, name), text);
    }
  }
  write('stack.template.json', template);
  write('stack.assets.json', {
    files: Object.fromEntries(
      Object.keys(assets).map((asset) => [
        asset,
        { source: { path: asset, packaging: 'zip' }, destinations: { any: { objectKey: `${asset}.zip` } } },
      ]),
    ),
  });
  write('manifest.json', {
    artifacts: {
      'test-stack': { type: 'aws:cloudformation:stack', properties: { templateFile: 'stack.template.json' } },
      'test-stack.assets': { type: 'cdk:asset-manifest', properties: { file: 'stack.assets.json' } },
    },
  });
  return folder;
}

/** {@link writeAssembly}, read again, with a resolver of its intrinsics. */
export function loadAssembly(
  resources: Resources,
  assets?: Readonly<Record<string, Readonly<Record<string, string>>>>,
): { template: Template; resolver: Resolver } {
  const template = loadTemplate(writeAssembly({ Resources: resources }, assets));
  const attribute = createAttributes(template, 'http://127.0.0.1:1');
  return { template, resolver: createResolver(template, { attribute }) };
}

/** A function whose code is the asset `code`, a folder with an `index.js`. */
export function functionResource(code: string, properties: Resources = {}): unknown {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: 'assets', S3Key: `${code}.zip` },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Timeout: 30,
      MemorySize: 256,
      ...properties,
    },
  };
}
