import type { AwsClientOptions } from './client-settings.ts';
import { connectSigned } from './signed-service.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';
const OK = 200;

/** A key that signs and never leaves KMS. Each method sends one request, once, and rejects with an Error without a response. */
export interface HeadSigner {
  /** Public key: SubjectPublicKeyInfo, DER, in base64. */
  publicKey(): Promise<string>;
  /** Signs a text: ECDSA with SHA-256, DER, in base64. */
  sign(text: string): Promise<string>;
}

/** A key of KMS, and how a client speaks to it. */
interface HeadSignerOptions extends AwsClientOptions {
  readonly keyArn: string;
}

/** Connects to a key of KMS. Opens no connection before its first use. */
type ConnectHeadSigner = (options: HeadSignerOptions) => HeadSigner;

export const connectHeadSigner: ConnectHeadSigner = ({ keyArn, ...options }) => {
  const send = connectSigned({
    ...options,
    service: 'kms',
    endpointVariable: 'AWS_ENDPOINT_URL_KMS',
    hostOf: (region) => `kms.${region}.amazonaws.com`,
  });
  const call = async (operation: string, input: object): Promise<Readonly<Record<string, unknown>>> => {
    const { statusCode, body } = await send({
      method: 'POST',
      path: '/',
      headers: { 'content-type': CONTENT_TYPE, 'x-amz-target': `TrentService.${operation}` },
      body: JSON.stringify({ KeyId: keyArn, ...input }),
    });
    if (statusCode !== OK) throw new Error(`KMS answered ${operation} with status ${statusCode}`);
    return JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  };
  return {
    async publicKey() {
      return String((await call('GetPublicKey', {})).PublicKey);
    },
    async sign(text) {
      const Message = Buffer.from(text).toString('base64');
      const input = { Message, MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' };
      return String((await call('Sign', input)).Signature);
    },
  };
};
