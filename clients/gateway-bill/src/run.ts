import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../../typescript/src/client.ts';
import { fetchBill, keepSeen, readFolder } from './bill-folder.ts';
import { type BillReport, checkBill } from './check-bill.ts';
import { openHeads, readPublished, readWithdrawals } from './read-heads.ts';

const USAGE = `gateway-bill fetch FOLDER --url GATEWAY      keeps settlements, lanes and receipts; the API key is in GATEWAY_KEY
gateway-bill verify FOLDER --account ACCOUNT --heads GATEWAY_OR_FOLDER --key FILE [--from NUMBER]
                                             checks them, and what FOLDER/headers.txt has: X-CU-Lane and X-CU-Billed, a line for each response`;
/** Exit code of a command that checked nothing. */
const NOT_CHECKED = 2;
/** What a bill proves in which every check passed, and what none can. */
const PROVED = [
  'Proved: the operator billed the sum of lanes that it committed to, and can change no lane, record or settled hour without two signed statements that contradict each other.',
  'Not proved: that each request was made, the time within an hour, and that others see the same heads.',
];
const OPTIONS = {
  url: { type: 'string' },
  account: { type: 'string' },
  heads: { type: 'string' },
  key: { type: 'string' },
  from: { type: 'string' },
} as const;
const HELP = { help: { type: 'boolean', short: 'h' } } as const;

type Values = { readonly [Name in keyof typeof OPTIONS]?: string | undefined };
type Print = (line: string) => void;

/**
 * Runs a command.
 * @returns the exit code: 0 if all is well, 2 if nothing could be checked, else the code of the first check that failed
 */
export async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  print: Print,
): Promise<number> {
  try {
    const parsed = parse(args);
    if (parsed === 'help') {
      print(USAGE);
      return 0;
    }
    const { command, folder, values } = parsed;
    if (command === 'verify') return await verify(folder, values, print);
    const apiKey = environment.GATEWAY_KEY ?? '';
    if (apiKey === '') throw new Error('GATEWAY_KEY is not set');
    const fetched = await fetchBill(
      createClient({ baseUrl: needed(values, 'url'), apiKey }),
      folder,
      Date.now(),
    );
    const receipts =
      fetched.receipts === undefined
        ? 'no receipts, which cannot be signed now'
        : `${fetched.receipts} receipts`;
    print(
      `${fetched.settlements} settlements are kept in ${folder}, with the lanes of ${fetched.lanes} more, and ${receipts}.`,
    );
    return 0;
  } catch (error) {
    print(error instanceof Error ? `Nothing was checked: ${error.message}` : String(error));
    return NOT_CHECKED;
  }
}

function parse(args: readonly string[]) {
  const options = { ...OPTIONS, ...HELP };
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help === true) return 'help';
  const [command, folder, ...others] = positionals;
  if ((command !== 'verify' && command !== 'fetch') || folder === undefined || others.length > 0)
    throw new Error(`this is no command. There are:\n${USAGE}`);
  return { command, folder, values };
}

function needed(values: Values, name: keyof Values): string {
  const value = values[name];
  if (value === undefined || value === '') throw new Error(`--${name} is needed`);
  return value;
}

async function verify(folder: string, values: Values, print: Print): Promise<number> {
  const account = needed(values, 'account');
  const keyFile = needed(values, 'key');
  const first = values.from ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(first)) throw new Error('--from is the number of a head');
  const bill = await readFolder(folder);
  const keys = (await readFile(keyFile, 'utf8')).split(/\s+/).filter((key) => key !== '');
  // With none, each head would be one of another's key: a failure of the operator, where nothing was checked.
  if (keys.length === 0) throw new Error(`${keyFile} has no key`);
  const read = openHeads(needed(values, 'heads'), print);
  const published = await readPublished(read, bill.settlements, Number(first));
  const withdrawals = await readWithdrawals(read, bill.receipts, keys);
  const report = checkBill({ account, keys, ...bill, ...published, withdrawals });
  const failed = report.checks.find(({ failure }) => failure !== undefined);
  printReport(report, account, print);
  if (failed !== undefined) return failed.code;
  const { head, record = bill.seen.record } = report.newest;
  await keepSeen(folder, { head, record });
  return 0;
}

function printReport(
  { checks, notes, newest, records, billedUnits }: BillReport,
  account: string,
  print: Print,
) {
  for (const { code, says, failure } of checks)
    print(failure === undefined ? `ok      ${says}` : `FAILED  ${says} But ${failure}. (exit code ${code})`);
  for (const note of notes) print(`note    ${note}`);
  print(`${records} records of ${account} bill ${billedUnits} units.`);
  if (checks.every(({ failure }) => failure === undefined)) for (const line of PROVED) print(line);
  if (newest.head !== undefined)
    print(`Newest head: ${newest.head.number}, ${newest.head.hash}. Compare it with another customer's.`);
}
