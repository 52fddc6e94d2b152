import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LaneLeaf, laneLeafText, parseLaneLeaf } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { parseReceiptText, toSignedReceipt } from '../../../lambdas/shared/bill/receipt.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import type { DataClient } from '../../typescript/src/client.ts';
import {
  type Bill,
  lanesName,
  type Seen,
  type SettlementRow,
  type StoredReceipt,
  statedRecords,
} from './bill.ts';

const SETTLEMENTS = 'settlements.json';
const LANES = 'lanes';
const HEADERS = 'headers.txt';
const SEEN = 'seen.json';
const RECEIPTS = 'receipts';
/** `<hour>.<time in milliseconds>.<page>.json` */
const RECEIPT_FILE = /^(\d{4}-\d{2}-\d{2}T\d{2})\.\d{1,15}\.\d{1,6}\.json$/;
/** Status of a response while no receipt can be signed. */
const UNSIGNED = 503;
const MAX_RECEIPTS = 100_000;
const HOUR_MS = 3_600_000;

/** What a folder has of a bill. */
type StoredBill = Pick<Bill, 'settlements' | 'lanes' | 'headers' | 'receipts' | 'seen'>;

/**
 * Keeps what the API says of the key's account: all settlements anew, the lanes of those whose lanes are not kept yet
 * (the gateway has them for 40 days), and receipts of this hour and the one before. An error says that the
 * folder has records of another account; then nothing of it was changed.
 * @returns numbers of settlements, of new files with lanes, and of receipts; of these undefined if the gateway signs none now
 */
export async function fetchBill(
  client: Pick<DataClient, 'rows'>,
  folder: string,
  nowMs: number,
): Promise<{
  readonly settlements: number;
  readonly lanes: number;
  readonly receipts: number | undefined;
}> {
  await mkdir(join(folder, LANES), { recursive: true });
  await mkdir(join(folder, RECEIPTS), { recursive: true });
  const settlements: SettlementRow[] = [];
  for await (const row of client.rows('listAccountSettlements', { order: 'asc', limit: 100 }))
    settlements.push(row);
  await refuseOtherAccount(folder, settlements);
  let lanes = 0;
  for (const row of settlements) {
    const file = join(folder, LANES, `${lanesName(row)}.json`);
    if ((await readText(file)) !== undefined) continue;
    const { hour, revision } = row;
    const data: object[] = [];
    for await (const lane of client.rows('listSettlementLanes', { hour, revision })) data.push(lane);
    if (data.length === 0) continue;
    await writeWhole(file, { data });
    lanes += 1;
  }
  await writeWhole(join(folder, SETTLEMENTS), { data: settlements });
  const receipts = await fetchReceipts(client, join(folder, RECEIPTS), nowMs).catch((error: unknown) => {
    if ((error as { readonly status: number }).status === UNSIGNED) return undefined;
    throw error;
  });
  return { settlements: settlements.length, lanes, receipts };
}

/** A folder is of one account: what is fetched of another would take the place of the records that are kept. */
async function refuseOtherAccount(folder: string, settlements: readonly SettlementRow[]): Promise<void> {
  const kept = await keptAccount(folder);
  const given = accountOf(settlements);
  if (kept === undefined || kept === given) return;
  const gave = given === undefined ? 'no records' : `those of account ${given}`;
  throw new Error(`${folder} has records of account ${kept}, and the gateway gave ${gave}`);
}

/** Account of the records that are kept; undefined: there are none, or their list is damaged, and is fetched anew. */
async function keptAccount(folder: string): Promise<string | undefined> {
  const text = await readText(join(folder, SETTLEMENTS));
  try {
    return accountOf(rowsOf<SettlementRow>(SETTLEMENTS, text) ?? []);
  } catch {
    return undefined;
  }
}

function accountOf(settlements: readonly SettlementRow[]): string | undefined {
  return statedRecords({ settlements })[0]?.account;
}

/** A receipt of an hour without lanes says nothing, and is not kept. */
async function fetchReceipts(
  client: Pick<DataClient, 'rows'>,
  folder: string,
  nowMs: number,
): Promise<number> {
  let saved = 0;
  for (const hour of [hourOf(nowMs - HOUR_MS), hourOf(nowMs)]) {
    let page = 0;
    for await (const row of client.rows('listAccountReceipts', { hour })) {
      const receipt = parseReceiptText(row.receipt);
      if (receipt?.hour !== hour) throw new Error(`the gateway gave no receipt of hour ${hour}`);
      page += 1;
      if (receipt.lanes.length === 0) continue;
      await writeWhole(join(folder, `${hour}.${nowMs}.${page}.json`), row);
      saved += 1;
    }
  }
  return saved;
}

async function readReceiptFiles(folder: string): Promise<StoredReceipt[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Error(`${folder} cannot be read: ${error.message}`);
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  if (files.length > MAX_RECEIPTS) throw new Error(`${folder} has more than ${MAX_RECEIPTS} receipts`);
  const receipts: StoredReceipt[] = [];
  for (const file of files) {
    const [, hour] = RECEIPT_FILE.exec(file) ?? [];
    if (hour === undefined) throw new Error(`${file} is not named as a receipt is`);
    receipts.push({
      hour,
      signed: toSignedReceipt(parsed(file, (await readText(join(folder, file))) ?? '')),
    });
  }
  return receipts;
}

/** Reads what is kept. An error names the file that is not as the API answers it. */
export async function readFolder(folder: string): Promise<StoredBill> {
  const settlements = rowsOf<SettlementRow>(SETTLEMENTS, await readText(join(folder, SETTLEMENTS)));
  if (settlements === undefined) throw new Error(`${join(folder, SETTLEMENTS)} is missing`);
  const lanes = new Map<string, readonly LaneLeaf[]>();
  for (const row of settlements) {
    const name = lanesName(row);
    if (!/^[\dT-]{13}\.\d{1,9}$/.test(name)) throw new Error(`${SETTLEMENTS} has a row without an hour`);
    if (typeof row.statement !== 'string') throw new Error(`${SETTLEMENTS} has a row without a statement`);
    const file = `${name}.json`;
    const leaves = rowsOf<LaneRow>(file, await readText(join(folder, LANES, file)));
    if (leaves !== undefined && leaves.length > 0)
      lanes.set(
        name,
        leaves.map((leaf) => toLeaf(file, leaf)),
      );
  }
  const headers = ((await readText(join(folder, HEADERS))) ?? '').split('\n').map((line) => line.trim());
  return {
    settlements,
    lanes,
    headers: headers.filter((line) => line !== ''),
    receipts: await readReceiptFiles(join(folder, RECEIPTS)),
    seen: (parsed(SEEN, (await readText(join(folder, SEEN))) ?? '{}') ?? {}) as Seen,
  };
}

/** Keeps what the next check has to find again. */
export async function keepSeen(folder: string, seen: Seen): Promise<void> {
  await writeWhole(join(folder, SEEN), seen);
}

/** A lane as the API answers it. */
interface LaneRow extends Omit<LaneLeaf, 'total'> {
  readonly total_cu: number;
}

function toLeaf(file: string, { shard, lane, n, total_cu, usage }: LaneRow): LaneLeaf {
  const leaf = parseLaneLeaf(laneLeafText({ shard, lane, n, total: total_cu, usage }));
  if (leaf === undefined) throw new Error(`${file} has a row that is no lane`);
  return leaf;
}

function rowsOf<T extends object>(file: string, text: string | undefined): readonly T[] | undefined {
  if (text === undefined) return undefined;
  const rows = (parsed(file, text) as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null))
    throw new Error(`${file} has no list "data" of rows`);
  return rows as T[];
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is no JSON`);
  }
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
}

/** Writes beside and puts in place at once, so that a command that is broken off leaves no half file. */
async function writeWhole(file: string, value: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(value, null, 1)}\n`);
  await rename(`${file}.new`, file);
}
