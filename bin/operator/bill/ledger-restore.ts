import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { followHeads } from '../../../lambdas/settlement/follow-heads.ts';
import { type RestoredRecord, restoreRecords } from '../../../lambdas/settlement/restore-records.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Command } from '../context/command.ts';
import { renderTable } from '../context/text-table.ts';

/** Records that are listed; all are counted. */
const MAX_LISTED = 1_000;
const EXIT_FAILED = 1;

export const ledgerRestore: Command = {
  name: 'ledger restore',
  summary: 'put the records back that signed heads name and a restored ledger lacks',
  positionals: [],
  flags: {
    'dry-run': { type: 'boolean', summary: 'say what would be put back, and write nothing' },
    all: { type: 'boolean', summary: 'look at all heads of 40 days, also those that the ledger knows' },
  },
  async run({ store, clock, openBucket }, args, notices) {
    if (openBucket === undefined)
      throw new InputError('this gateway is of an older version and signs no heads: deploy it first');
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
