import { randomBytes } from 'node:crypto';
import { renewIssuer } from '../../../lambdas/seal/renew-issuer.ts';
import { sealHead } from '../../../lambdas/seal/seal-head.ts';
import { followHeads, type RestoredRecord, restoreRecords } from '../../../lambdas/settlement/heads.ts';
import {
  LATEST_CERTIFICATE,
  parseCertificate,
  toSignedCertificate,
} from '../../../lambdas/shared/bill/certificate.ts';
import { LATEST_HEAD, parseSignedHead } from '../../../lambdas/shared/bill/head.ts';
import { parseObject } from '../../../lambdas/shared/bill/signed-text.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type Command, switchFlag } from '../context/command.ts';
import { renderTable } from '../context/text-table.ts';

const MAX_CERTIFICATE = 4_096;
/** Records that are listed; all are counted. */
const MAX_LISTED = 1_000;
const EXIT_FAILED = 1;

export const seal: Command = {
  name: 'seal',
  summary:
    'sign a head of what is settled now, and make the key of receipts of the day, as the hourly run does',
  positionals: [],
  flags: {
    'new-key': switchFlag(
      'make another key of receipts, and withdraw those before: one is lost, or was seen by others',
    ),
  },
  example: 'seal',
  async run({ store, clock, openBucket, openSigner, writeIssuer }, args, notices) {
    const heads = await openBucket('heads');
    const signer = await openSigner();
    const { head, records } = await sealHead({
      store,
      clock,
      pause: sleep,
      telemetry: notices,
      heads,
      evidence: await openBucket('evidence'),
      signer,
      randomBytes: (count) => randomBytes(count),
    });
    const made = await renewIssuer({ clock, heads, signer, writeIssuer }, args['new-key'] === true);
    const lines = [
      head === undefined
        ? 'Nothing was to be sealed, and this hour has its head.'
        : `Head ${head.number} has ${records} records. Its root is ${head.root}.`,
      ...(made === undefined ? [] : [`Receipts of ${made.day} have key ${made.revision}.`]),
    ];
    return { json: { head: head ?? null, records, issuer: made ?? null }, text: lines.join('\n') };
  },
};

export const billKeys: Command = {
  name: 'bill keys',
  summary: 'print the public keys that customers check bills with, one a line, as gateway-bill reads them',
  positionals: [],
  example: 'bill keys',
  async run({ openBucket, openSigner }) {
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

export const ledgerRestore: Command = {
  name: 'ledger restore',
  summary: 'put back records that signed heads name and the ledger lacks',
  positionals: [],
  flags: {
    'dry-run': switchFlag('say what would be put back, and write nothing'),
    all: switchFlag('look at all heads of 40 days, also those that the ledger knows'),
  },
  example: 'ledger restore --dry-run',
  async run({ store, clock, openBucket }, args, notices) {
    const isTrial = args['dry-run'] === true;
    const sealed = { heads: await openBucket('heads'), evidence: await openBucket('evidence') };
    const books = { store, clock, pause: sleep, telemetry: notices, sealed };
    const counts = { restored: 0, failed: 0 };
    const listed: RestoredRecord[] = [];
    for await (const record of restoreRecords(books, { isTrial, all: args.all === true })) {
      counts[record.failure === undefined ? 'restored' : 'failed'] += 1;
      if (listed.length < MAX_LISTED) listed.push(record);
    }
    const lacking = isTrial ? undefined : await followHeads(books);
    const rows = listed.map(({ head, account, number, failure }) => [
      String(head),
      account,
      String(number),
      failure ?? (isTrial ? 'can be put back' : 'put back'),
    ]);
    const records = listed.map(({ head, account, number, hash, failure }) => {
      return { head, account, number, hash, failure: failure ?? null };
    });
    return {
      json: { ...counts, dry_run: isTrial, accounts_behind: lacking?.size ?? null, records },
      text:
        rows.length === 0
          ? 'The ledger has all records that heads name.'
          : `${renderTable(['head', 'account', 'record', ''], rows)}\n\n${counts.restored} records ${
              isTrial ? 'can be' : 'are'
            } put back, ${counts.failed} cannot.`,
      exitCode: counts.failed === 0 ? 0 : EXIT_FAILED,
    };
  },
};
