import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import {
  LATEST_CERTIFICATE,
  parseCertificate,
  toSignedCertificate,
} from '../../../lambdas/shared/bill/certificate.ts';
import { LATEST_HEAD, parseSignedHead } from '../../../lambdas/shared/bill/head.ts';
import { parseObject } from '../../../lambdas/shared/bill/signed-text.ts';
import type { Command } from '../context/command.ts';

const MAX_CERTIFICATE = 4_096;

export const billKeys: Command = {
  name: 'bill keys',
  summary: 'print the public keys that customers check bills with, one a line, as gateway-bill reads them',
  positionals: [],
  async run({ openBucket, openSigner }) {
    if (openBucket === undefined || openSigner === undefined)
      throw new InputError('this gateway is of an older version and signs nothing: deploy it first');
    const [bucket, signer] = [await openBucket('heads'), await openSigner()];
    const [current, head, latest] = await Promise.all([
      signer.publicKey(),
      bucket.get(LATEST_HEAD),
      bucket.get(LATEST_CERTIFICATE),
    ]);
    // After a change of keys, the newest head is still signed with the old one for up to an hour.
    const signedWith = head && parseSignedHead(head.toString('utf8'))?.key;
    const keys = [...new Set([current, ...(signedWith === undefined ? [] : [signedWith])])];
    const signed = latest && toSignedCertificate(parseObject(latest.toString('utf8'), MAX_CERTIFICATE));
    const receipts = (signed && parseCertificate(signed.certificate)) ?? null;
    return { json: { keys, receipts }, text: keys.join('\n') };
  },
};
