import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template } from '../template/template.ts';

const MAX_REQUEST_BYTES = 64 * 1024;
const SIGNS = 'SIGN_VERIFY';

/** Files of private keys by ARN, as PEM. They are read for each request, so that a key can be taken away, or replaced. */
export type LocalKeys = Map<string, string>;

/**
 * Opens the keys of a template that sign: those that an earlier run made are read from the folder, the others are made.
 * Only their owner may read them.
 */
export async function openKeys(template: Template, resolve: Resolver, folder: string): Promise<LocalKeys> {
  const keys = new Map<string, string>();
  const resources = resourcesOfType(template, 'AWS::KMS::Key');
  for (const { logicalId, properties } of resources) {
    if (properties.KeyUsage !== SIGNS) continue;
    const arn = String(resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }));
    keys.set(arn, await openKey(folder, `${logicalId}.pem`));
  }
  return keys;
}

/** The file of a key, which is made if absent. */
async function openKey(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  if ((await readKey(file)) !== undefined) return file;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, String(privateKey.export({ format: 'pem', type: 'pkcs8' })), { mode: 0o600 });
  return file;
}

/** A private key as PEM; undefined if it is absent. */
async function readKey(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Serves keys that sign by the JSON 1.1 protocol of KMS. `keys` may be filled later. */
export function startKmsEndpoint(keys: LocalKeys, accessKeyId: string): Promise<LocalServer> {
  return startJsonEndpoint({
    maxRequestBytes: MAX_REQUEST_BYTES,
    contentType: 'application/x-amz-json-1.1',
    accessKeyId,
    respond: async ({ target, input: { KeyId, Message, MessageType, SigningAlgorithm } }) => {
      const file = keys.get(String(KeyId));
      const pem = file === undefined ? undefined : await readKey(file);
      if (pem === undefined) throw new ServiceError('NotFoundException', `there is no key ${KeyId}`);
      if (target === 'TrentService.GetPublicKey') {
        const key = createPublicKey(pem).export({ format: 'der', type: 'spki' });
        return JSON.stringify({ KeyId, PublicKey: key.toString('base64'), KeySpec: 'ECC_NIST_P256' });
      }
      if (target !== 'TrentService.Sign' || MessageType !== 'RAW' || SigningAlgorithm !== 'ECDSA_SHA_256')
        throw new ServiceError('UnsupportedOperationException', `${target} is not supported locally`);
      const message = Buffer.from(String(Message), 'base64');
      const signature = sign('sha256', message, createPrivateKey(pem));
      return JSON.stringify({ KeyId, Signature: signature.toString('base64'), SigningAlgorithm });
    },
  });
}
