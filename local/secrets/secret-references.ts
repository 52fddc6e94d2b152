import type { Resolver } from '../template/intrinsics.ts';
import type { LocalSecrets } from './secrets.ts';

const REFERENCE = /\{\{resolve:secretsmanager:([^{}]+):SecretString:([^:{}]+)::\}\}/g;

/**
 * Resolves references to fields of secrets as well, which CloudFormation does after all intrinsics.
 * @throws Error for a secret or a field that there is not
 */
export function withSecrets(resolve: Resolver, secrets: LocalSecrets): Resolver {
  const put = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replaceAll(REFERENCE, (_, arn: string, field: string) => fieldOf(secrets, arn, field));
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, put(member)]));
  };
  return (value) => put(resolve(value));
}

function fieldOf(secrets: LocalSecrets, arn: string, field: string): string {
  const secret = secrets.get(arn);
  const fields = secret === undefined ? {} : (JSON.parse(secret) as Record<string, unknown>);
  if (fields[field] === undefined)
    throw new Error(`the template refers to an unknown secret: ${arn} ${field}`);
  return String(fields[field]);
}
