import { randomInt } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';

const DEFAULT_PASSWORD_LENGTH = 32;
/** Characters of the passwords of Secrets Manager: printable ASCII. */
const FIRST_CHARACTER = 0x20;
const LAST_CHARACTER = 0x7e;

/** The secrets of a template by ARN; each value is what Secrets Manager would keep, as JSON text. */
export type LocalSecrets = ReadonlyMap<string, string>;

/**
 * Opens the secrets of a template: those that an earlier run made are read from the file, the others are made as their
 * template says and added to it.
 * @param file holds the secrets by logical id; only its owner may read it
 */
export async function openSecrets(
  template: Template,
  resolve: Resolver,
  file: string,
): Promise<LocalSecrets> {
  const known = await readSecrets(file);
  const resources = resourcesOfType(template, 'AWS::SecretsManager::Secret');
  const made = Object.fromEntries(
    resources
      .filter(({ logicalId }) => known[logicalId] === undefined)
      .map((resource) => [resource.logicalId, makeSecret(resource, resolve)]),
  );
  const values = { ...known, ...made };
  if (Object.keys(made).length > 0) await writeSecrets(file, values);
  return new Map(
    resources.map(({ logicalId }) => [String(resolve({ Ref: logicalId })), values[logicalId] ?? '']),
  );
}

/** Keeps a new value of a secret of the template, by its ARN, in the file of {@link openSecrets}. */
export async function keepSecret(
  template: Template,
  resolve: Resolver,
  file: string,
  [arn, value]: readonly [string, string],
): Promise<void> {
  const resource = resourcesOfType(template, 'AWS::SecretsManager::Secret').find(
    ({ logicalId }) => resolve({ Ref: logicalId }) === arn,
  );
  if (resource === undefined) throw new Error(`${arn} is not a secret of the template`);
  await writeSecrets(file, { ...(await readSecrets(file)), [resource.logicalId]: value });
}

async function writeSecrets(file: string, values: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(values), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readSecrets(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function makeSecret(resource: TemplateResource, resolve: Resolver): string {
  const how = resolve(resource.properties.GenerateSecretString);
  if (!isTemplateObject(how)) throw unsupported(resource, 'a secret that is not generated');
  refuseUnknown(resource, 'GenerateSecretString', how, [
    'ExcludeCharacters',
    'GenerateStringKey',
    'PasswordLength',
    'SecretStringTemplate',
  ]);
  const template = JSON.parse(String(how.SecretStringTemplate)) as Record<string, string>;
  const password = makePassword(
    Number(how.PasswordLength ?? DEFAULT_PASSWORD_LENGTH),
    String(how.ExcludeCharacters ?? ''),
  );
  return JSON.stringify({ ...template, [String(how.GenerateStringKey)]: password });
}

function makePassword(length: number, excluded: string): string {
  const alphabet: string[] = [];
  for (let code = FIRST_CHARACTER; code <= LAST_CHARACTER; code += 1) {
    const character = String.fromCharCode(code);
    if (!excluded.includes(character)) alphabet.push(character);
  }
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)] ?? '').join('');
}
