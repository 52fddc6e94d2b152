import { codeBlock } from '../code.ts';
import { BASE_URL_PLACEHOLDER } from '../facts.ts';
import { type Html, html } from '../html.ts';
import type { SitePage } from '../page.ts';
import { code, section, table } from '../parts.ts';

/** What the tool says of a bill in which nothing is wrong. */
const GOOD_OUTPUT = `ok      Every head is signed with a key of --key.
ok      Each head names the one before it, and the last one that was seen is there.
ok      Every record is a statement to this account, and the list says what it states.
ok      Each record names the one before it: none was left out or changed.
ok      Every record is below a signed head.
ok      The lanes of each record are those that it states.
ok      Lanes add up to records, and records to billing units of 1,000 CU, rounded down.
ok      No later revision of an hour lowers a lane.
ok      The bill agrees with the lanes that responses and receipts stated.
ok      Every receipt is to this account, and signed with a key that was certified for its day.
ok      No receipt has a lane below an earlier receipt, or a record that was sealed before it.
ok      Each record bills the price of its usage, by the public price lists.
ok      No price list was changed, and none began before it was put.
2 records of demo bill 1 units.
Proved: the operator billed the sum of lanes that it committed to, and can change no lane, record or settled hour without two signed statements that contradict each other.
Not proved: that each request was made, the time within an hour, and that others see the same heads.
Newest head: 2, 532586d473739b419d28d55a303100e0e24faeab42c94b2580c6bdaed10d0b79. Compare it with another customer's.`;

/** What it says of one from which a record was taken. */
const BAD_OUTPUT = `FAILED  Each record names the one before it: none was left out or changed. But record 1 was left out. (exit code 13)`;

/** What the pieces of a bill are, in words of people who pay one. */
const PIECES: readonly (readonly [string, string])[] = [
  ['compute unit, CU', 'What a call costs, by the public table of prices. 1,000 make a billing unit.'],
  ['lane', 'A running total: what one process of the gateway has charged to you in one hour. It only rises.'],
  [
    'record',
    'One settled hour: the sum of its lanes. It names the record before it, so none can be taken out.',
  ],
  ['head', 'Once an hour, a signed and public statement over all new records. It names the head before it.'],
  [
    'receipt',
    'On request, a signed statement of what your lanes had come to at a time: what you can show to others.',
  ],
];

/** What each failure means for the payer. */
const FAILURES: readonly (readonly [string, string])[] = [
  [
    '10, 11',
    'The public statements are not those of your gateway, or were rewritten. Compare the newest head with another customer.',
  ],
  [
    '12, 13, 14',
    'A record is not what it was when it was settled, or one is missing. Ask your operator for all records, with this output.',
  ],
  [
    '15, 16, 17',
    'The sums do not follow from the running totals. Do not pay the difference before it is explained.',
  ],
  ['18, 20', 'The bill differs from what responses or receipts stated. Keep them: they are your evidence.'],
  [
    '19',
    'A receipt is not of your gateway, not of your account or not of its day. It proves nothing; fetch it again.',
  ],
  ['2', 'Nothing was checked: a file or an address could not be read. The line says which.'],
];

/** How a customer checks its bill, and what that proves. It is written for payers, too. */
export function billPage(): SitePage {
  return {
    file: 'bill.html',
    title: 'Check your bill',
    group: 'Reference',
    summary: 'A program on your machine checks that nothing was raised, left out or rewritten.',
    sections: [
      { id: 'pieces', title: 'What a bill is made of' },
      { id: 'check', title: 'Check it' },
      { id: 'failures', title: 'If a check fails' },
      { id: 'proof', title: 'What it proves' },
    ],
    body: html`${section('pieces', 'What a bill is made of', pieces())}
${section('check', 'Check it', check())}
${section('failures', 'If a check fails', failures())}
${section('proof', 'What it proves', proof())}`,
  };
}

function pieces(): Html {
  const rows = PIECES.map(([name, meaning]) => [html`${name}`, html`${meaning}`]);
  return html`<p>You need not believe your bill: you have a copy of each of its pieces, and they confirm each other.</p>
${table(['Piece', 'What it is'], rows)}`;
}

function check(): Html {
  return html`<p>Your operator gives you the tool <code>gateway-bill</code> and its public key. Let a person with an API
key of the account run the first command every hour, or at least once in 40 days: it keeps records, lanes and receipts in a folder. Everybody
with the folder can run the second; it needs no API key.</p>
${codeBlock('Commands', `export GATEWAY_KEY=rgw_...\nnpx gateway-bill fetch bill --url ${BASE_URL_PLACEHOLDER}\nnpx gateway-bill verify bill --account ACCOUNT --heads ${BASE_URL_PLACEHOLDER} --key key.txt`)}
${codeBlock('Output', GOOD_OUTPUT)}
<p>Your invoice has to add up to the units of the last lines. A line that begins with <code>note</code> is not a failure: most often it is an
under-charge, where the gateway lost a total before it was stored, with the amount in your favour.</p>`;
}

function failures(): Html {
  const rows = FAILURES.map(([codes, meaning]) => [code(codes), html`${meaning}`]);
  return html`<p>The line says which statement is wrong, and the exit code is that of the first one.</p>
${codeBlock('Output', BAD_OUTPUT)}
${table(['Exit code', 'What it means'], rows)}`;
}

function proof(): Html {
  return html`<p>It proves that you are billed the sum of the running totals that your operator has committed to, and that none of them, and no record,
was raised, lowered or dropped later without two signed statements that contradict each other.</p>
<p>It does not prove that a request was made, that its price was the right one beyond the public table, the time within an hour, or that others see
the same heads as you: compare number and hash of the newest head with another customer.</p>`;
}
