import { createPrivateKey, sign } from 'node:crypto';
import {
  type IssuerSecret,
  isGoodAt,
  parseCertificate,
  toSignedCertificate,
} from '../shared/bill/certificate.ts';
import { type Receipt, receiptText, type SignedReceipt } from '../shared/bill/receipt.ts';
import { parseObject } from '../shared/bill/signed-text.ts';
import type { Clock } from '../shared/runtime/clock.ts';

const MAX_SECRET = 8_192;

/** No key may sign now: the first hourly run has not made one, or none has for two days. */
export class NoReceiptKeyError extends Error {
  override readonly name = 'NoReceiptKeyError';
}

/** Signs receipts. */
export interface Issuer {
  readonly clock: Clock;
  /** Rejects with {@link NoReceiptKeyError} if no key may sign at this time. */
  sign(receipt: Receipt): Promise<SignedReceipt>;
}

/** Signs with the key of the day. @param readIssuer reads the secret that has it, as it was stored with its certificate */
export function createIssuer(readIssuer: () => Promise<string>, clock: Clock): Issuer {
  return {
    clock,
    async sign(receipt) {
      const { private_key, certificate: signed } = parseSecret(await readIssuer());
      const certificate = parseCertificate(signed.certificate);
      if (certificate === undefined || !isGoodAt(certificate, Date.parse(receipt.told_at)))
        throw new NoReceiptKeyError('the key of receipts has no certificate of this day');
      const text = receiptText(receipt);
      const key = createPrivateKey({
        key: Buffer.from(private_key, 'base64'),
        format: 'der',
        type: 'pkcs8',
      });
      const signature = sign(null, Buffer.from(text), key).toString('base64');
      return { receipt: text, signature, certificate: signed };
    },
  };
}

/** The secret as it was stored. Throws {@link NoReceiptKeyError} if it has no key yet. */
export function checkedIssuer(text: string): string {
  parseSecret(text);
  return text;
}

function parseSecret(text: string): IssuerSecret {
  const { private_key, certificate } = (parseObject(text, MAX_SECRET) ?? {}) as Partial<IssuerSecret>;
  const signed = toSignedCertificate(certificate);
  // A secret is made with its stack, and filled by the first hourly run.
  if (typeof private_key !== 'string' || signed === undefined)
    throw new NoReceiptKeyError('the key of receipts has not been made yet');
  return { private_key, certificate: signed };
}
