import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Bill, SettlementRow, StoredReceipt } from '../../clients/gateway-bill/src/bill.ts';
import { fetchBill } from '../../clients/gateway-bill/src/bill-folder.ts';
import { checkBill } from '../../clients/gateway-bill/src/check-bill.ts';
import { openHeads, readPublished, readWithdrawals } from '../../clients/gateway-bill/src/read-heads.ts';
import { run } from '../../clients/gateway-bill/src/run.ts';
import { renewIssuer } from '../../lambdas/seal/renew-issuer.ts';
import { certificateText } from '../../lambdas/shared/bill/certificate.ts';
import {
  headHash,
  headLeavesKey,
  headText,
  LATEST_HEAD,
  NO_HEAD,
  priceListsKey,
} from '../../lambdas/shared/bill/head.ts';
import { type LaneLeaf, laneLeafText, parseLaneLeaf } from '../../lambdas/shared/bill/lane-leaf.ts';
import { inclusionProof, treeRoot } from '../../lambdas/shared/bill/merkle-tree.ts';
import { FIRST_PRICE_LIST } from '../../lambdas/shared/bill/price-list.ts';
import { HEADS_PATH, PART_BYTES } from '../../lambdas/shared/bill/published-path.ts';
import { type Receipt, receiptText, toSignedReceipt } from '../../lambdas/shared/bill/receipt.ts';
import { publishedObject } from '../../lambdas/status/published-heads.ts';
import { isAtLength, repetitions } from '../support/at-length.ts';
import { listen, type TestServer } from '../support/listen.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { type BilledWorld, billedWorld, keepBucket } from './billed-world.ts';

/** Exit codes, by what they are for. */
const SIGNATURE = 10;
const HEADS = 11;
const STATEMENT = 12;
const CHAIN = 13;
const PLACE = 14;
const ROOT = 15;
const SUM = 16;
const REVISION = 17;
const TOLD = 18;
const RECEIPTS = 19;
const ORDER = 20;
const USAGE = 21;
const PRICES = 22;

let world: BilledWorld;
let bill: Bill;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bill-'));
  world = await billedWorld(folder);
  bill = world.bill;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Codes of the checks that fail for a bill that is changed so. */
const failing = (changed: Partial<Bill>) =>
  checkBill({ ...bill, ...changed }).checks.flatMap(({ code, failure }) =>
    failure === undefined ? [] : [code],
  );
const failureOf = (changed: Partial<Bill>) =>
  checkBill({ ...bill, ...changed }).checks.find(({ failure }) => failure !== undefined)?.failure;
/** Settlements of which one is changed, the one with a number. */
const withRow = (number: number, change: (row: SettlementRow) => Partial<SettlementRow>) =>
  bill.settlements.map((row) => (numberOf(row) === number ? { ...row, ...change(row) } : row));
const numberOf = ({ statement }: SettlementRow) => JSON.parse(String(statement)).number;

/** The sentences of the checks, as a page for customers shows them. */
const shownIn = (page: string) =>
  readFileSync(page, 'utf8')
    .match(/^(?:const GOOD_OUTPUT = `)?ok {6}.*$/gm)
    ?.map((line) => line.replace(/^.*`/, ''));

/** A gateway that shows these objects to anybody; the first requests get `statuses`. */
function startShowing(heads: MemoryObjects, statuses: number[] = []) {
  return startAnswering(async (response, _count, { url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://gateway.test');
    const early = statuses.shift();
    if (early !== undefined || !pathname.startsWith(`${HEADS_PATH}/`)) {
      response.writeHead(early ?? 404).end();
      return;
    }
    const { statusCode, headers, body } = await publishedObject(
      { heads, log: () => {} },
      {
        httpMethod: 'GET',
        pathParameters: { proxy: pathname.slice(HEADS_PATH.length + 1) },
        queryStringParameters: Object.fromEntries(searchParams),
        requestContext: { requestId: 'r' } as Parameters<typeof publishedObject>[1]['requestContext'],
      },
    );
    const bytes = Buffer.from(body, statusCode === 200 ? 'base64' : 'utf8');
    response.writeHead(statusCode, { ...headers, 'content-length': bytes.length }).end(bytes);
  });
}

const silent = () => {};
const neverWait = () => Promise.reject(new Error('waited'));

const started: TestServer[] = [];
afterEach(() => Promise.all(started.splice(0).map((server) => server.close())));

/** Address of a gateway that answers each request, counted from 1, in a way of its own, as long as a test runs. */
async function startAnswering(
  answer: (response: ServerResponse, count: number, request: IncomingMessage) => void,
): Promise<string> {
  let count = 0;
  const server = await listen((request, response) => {
    count += 1;
    answer(response, count, request);
  });
  started.push(server);
  return server.url;
}

/** A step that comes past each place of a byte. */
const BIT_STEP = isAtLength ? 1 : 5;

/** A text with each of its bits changed, one after the other; in a quick run with each fifth. */
function* flipped(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'latin1');
  for (let bit = 0; bit < 8 * bytes.length; bit += BIT_STEP) {
    const other = Buffer.from(bytes);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield other.toString('latin1');
  }
}

test('the bill of settlement and seal passes every check, and says what to remember', () => {
  const { checks, notes, newest, records, billedUnits } = checkBill(bill);
  expect(checks.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(checks.map(({ code }) => code)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]);
  expect([records, billedUnits, notes]).toEqual([3, 5, []]);
  expect(newest).toMatchObject({ head: { number: 3 }, record: { number: 3 } });
  expect(failing({ seen: newest })).toEqual([]);
});

describe('with any one bit changed', () => {
  test('of a statement, the tool says that it is none, is not listed, not chained or not below its head', () => {
    let changes = 0;
    for (const row of bill.settlements)
      for (const statement of flipped(String(row.statement))) {
        const codes = failing({
          settlements: withRow(numberOf(row), () => ({ statement })),
          headers: [],
          receipts: [],
          heads: bill.heads.slice(-1),
        });
        if (!codes.some((code) => [STATEMENT, CHAIN, PLACE].includes(code)))
          throw new Error(`not noticed: ${statement}, ${codes}`);
        changes += 1;
      }
    expect(changes).toBeGreaterThan(repetitions(8_000));
  });

  test('of a lane, it is no lane any more, or not the one that its record states', () => {
    for (const [name, leaves] of bill.lanes)
      for (const [place, leaf] of leaves.entries())
        for (const text of flipped(laneLeafText(leaf))) {
          const other = parseLaneLeaf(text);
          if (other === undefined) continue;
          const lanes = new Map(bill.lanes).set(name, leaves.with(place, other));
          expect([text, failing({ lanes, receipts: [] }).includes(ROOT)]).toEqual([text, true]);
        }
  });

  test('of a head, its signature is wrong, its key unknown, or it cannot be read', () => {
    for (const [place, head] of bill.heads.entries())
      for (const text of flipped(head)) {
        const [first] = failing({ heads: bill.heads.with(place, text), headers: [], receipts: [] });
        if (first !== SIGNATURE) throw new Error(`not noticed: ${text}, ${first}`);
      }
  });

  test('of a proof, its record is not below the head', () => {
    let changes = 0;
    for (const [hash, place] of bill.places) {
      const others = place.proof.flatMap((one, step) =>
        [...flipped(Buffer.from(one, 'hex').toString('latin1'))].map((bytes) => ({
          ...place,
          proof: place.proof.with(step, Buffer.from(bytes, 'latin1').toString('hex')),
        })),
      );
      const wrong = [
        { ...place, index: place.index ^ 1 },
        { ...place, size: 2 * place.size },
        { ...place, head: place.head + 1 },
        { ...place, proof: [...place.proof, '00'.repeat(32)] },
      ];
      for (const other of [...others, ...wrong]) {
        expect(failing({ places: new Map(bill.places).set(hash, other), receipts: [] })).toEqual([PLACE]);
        changes += 1;
      }
    }
    expect(changes).toBeGreaterThan(repetitions(500));
  });
});

test('a place in a tree of another size than its head has is none, although it leads to the root', async () => {
  const leaves = [...bill.places.keys(), '00'.repeat(32)].map((hash) => Buffer.from(hash, 'hex'));
  const root = treeRoot(leaves).toString('hex');
  const signer = memorySigner();
  const sealed_at = '2026-11-20T12:00:00.000Z';
  const head = headText({ number: 1, previous: NO_HEAD, root, count: 4, sealed_at });
  const signed = JSON.stringify({ head, signature: await signer.sign(head), key: signer.key });
  const placesOf = (sizeOfFirst: number) =>
    new Map(
      [...bill.places.keys()].map((hash, index) => {
        const proof = inclusionProof(leaves, index).map((one) => one.toString('hex'));
        return [hash, { head: 1, index, size: index === 0 ? sizeOfFirst : 4, proof }];
      }),
    );
  const changed = { heads: [signed], keys: [signer.key], receipts: [] };
  expect(failing({ ...changed, places: placesOf(4) })).toEqual([]);
  expect(failing({ ...changed, places: placesOf(3) })).toEqual([PLACE]);
});

describe('a bill', () => {
  test('of another account is named as one', () => {
    expect(failureOf({ account: 'bob' })).toMatch(/is one of account acme$/);
    expect(failing({ account: 'bob' })).toEqual([STATEMENT, RECEIPTS]);
  });

  test('with amounts that its statement does not have', () => {
    expect(failing({ settlements: withRow(1, () => ({ billing_units: 3 })) })).toEqual([STATEMENT]);
  });

  test.each([1, 2])('without record %i', (number) => {
    const settlements = bill.settlements.filter((row) => numberOf(row) !== number);
    expect(failing({ settlements, headers: [] })).toContain(CHAIN);
    expect(failureOf({ settlements, headers: [] })).toBe(`record ${number} was left out`);
  });

  test('without its newest record, which was seen before', () => {
    const seen = checkBill(bill).newest;
    const settlements = bill.settlements.filter((row) => numberOf(row) !== 3);
    expect(failing({ settlements, seen, headers: [] })).toEqual([CHAIN]);
    expect(failing({ seen: { record: { number: 2, hash: '0'.repeat(64) } } })).toEqual([CHAIN]);
  });

  test('with a record below no head, long after it was settled', () => {
    expect(failing({ places: new Map() })).toEqual([PLACE]);
  });

  test('with a record that waits for its head is a note', () => {
    const places = new Map([...bill.places].filter(([, { head }]) => head === 1));
    const { checks, notes } = checkBill({ ...bill, places, heads: bill.heads.slice(0, 1) });
    expect(checks.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(notes).toEqual(['Record 3 waits for its head: it can still be changed.']);
  });

  test('with a lane left out, or one too many', () => {
    const [[name, leaves] = ['', []]] = bill.lanes;
    const [first] = leaves;
    const lanes = new Map(bill.lanes);
    expect(failing({ lanes: lanes.set(name, leaves.slice(1)), headers: [] })).toEqual(
      expect.arrayContaining([ROOT, SUM]),
    );
    const twice = first === undefined ? [] : [...leaves, first];
    expect(failing({ lanes: lanes.set(name, twice) })).toEqual(expect.arrayContaining([ROOT, SUM]));
  });

  test('with a revision that lowers a lane', () => {
    const name = [...bill.lanes.keys()].find((one) => one.endsWith('.2')) ?? '';
    const lowered = (leaf: LaneLeaf) => (leaf.lane === 'lane-b' ? { ...leaf, total: leaf.total - 1 } : leaf);
    const lanes = new Map(bill.lanes).set(name, (bill.lanes.get(name) ?? []).map(lowered));
    expect(failing({ lanes })).toEqual([ROOT, SUM, REVISION, TOLD]);
  });

  test('whose lanes are not given says so', () => {
    const { checks, notes } = checkBill({ ...bill, lanes: new Map() });
    expect(checks.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(notes).toHaveLength(4);
  });
});

describe('heads', () => {
  test('of a key that was not given', () => {
    expect(failing({ keys: [memorySigner().key] })).toEqual([SIGNATURE, RECEIPTS]);
  });

  test('before which the bucket was lost is noted, and must name the last one that was seen', () => {
    const [first, second, third] = bill.heads;
    const head = { ...JSON.parse(JSON.parse(String(third)).head), lost: 2 };
    const text = headText(head);
    const heads = [JSON.stringify({ ...JSON.parse(String(third)), head: text })];
    const outcome = (seen: Bill['seen'], given = heads) => {
      const { checks, notes } = checkBill({ ...bill, heads: given, seen });
      return { failure: checks.find(({ code }) => code === HEADS)?.failure, notes };
    };
    const seenAs = (one: string | undefined, number: number) => ({
      head: { number, hash: headHash(JSON.parse(String(one)).head) },
    });
    expect(outcome(seenAs(second, 2)).failure).toBeUndefined();
    expect(outcome(seenAs(first, 1)).failure).toBeUndefined();
    expect(outcome(seenAs(first, 2)).failure).toContain('head 3 does not name head 2');
    expect(outcome({}, [String(first), ...heads]).failure).toBeUndefined();
    expect(outcome({}).notes).toContain(
      'Head 3 says that the heads before it were lost: they cannot be shown any more.',
    );
  });

  test('of which one is missing, or which are fewer than were seen, or another one', () => {
    expect(failing({ heads: bill.heads.toSpliced(1, 1) })).toEqual([HEADS, PLACE]);
    const { head } = checkBill(bill).newest;
    expect(failing({ heads: bill.heads.slice(0, 2), seen: { head } })).toEqual([HEADS]);
    expect(failing({ seen: { head: { number: 2, hash: '0'.repeat(64) } } })).toEqual([HEADS]);
  });

  test('of another world have neither the key nor the records', async () => {
    const other = await billedWorld(join(folder, 'other'));
    expect(failing({ heads: other.bill.heads })).toEqual([SIGNATURE, PLACE]);
    const read = async (key: string) => (await other.published.get(key))?.toString();
    expect(failing({ ...(await readPublished(read, bill.settlements)), keys: other.bill.keys })).toEqual([
      PLACE,
      RECEIPTS,
    ]);
  });

  test('from a later one on leave older records unproved, and say so', async () => {
    const read = async (key: string) => (await world.published.get(key))?.toString();
    const { checks, notes } = checkBill({ ...bill, ...(await readPublished(read, bill.settlements, 2)) });
    expect(checks.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(notes).toEqual([1, 2].map((number) => `Record ${number} is older than the heads that were read.`));
  });
});

describe('usage', () => {
  test('of a record is the one that it states', () => {
    expect(failing({ settlements: withRow(2, ({ usage }) => ({ usage: `${usage} ` })) })).toEqual([USAGE]);
    expect(failing({ settlements: withRow(2, () => ({ usage: undefined as unknown as string })) })).toEqual([
      USAGE,
    ]);
  });

  test('is billed at its price, by the list of its hour and by no other', () => {
    const dearer = {
      ...FIRST_PRICE_LIST,
      from: '2026-11-20T09',
      prices: { ...FIRST_PRICE_LIST.prices, eth_blockNumber: 2 },
    };
    expect(failureOf({ prices: [FIRST_PRICE_LIST, dearer] })).toBe(
      'of record 2, 2000 calls of eth_blockNumber on example_mainnet, 0 of them cached, are 2000 CU, and by the price list 4000',
    );
    expect(failing({ prices: [FIRST_PRICE_LIST, { ...dearer, from: '2026-11-20T10' }] })).toEqual([]);
    expect(failing({ prices: [dearer] })).toEqual([USAGE]);
  });
});

describe('price lists', () => {
  test('that a head names are shown, and as it names them', () => {
    const [first] = [...bill.priceTexts];
    const [hash, text] = first ?? ['', ''];
    expect(bill.priceTexts.size).toBe(1);
    expect(failing({ priceTexts: new Map() })).toEqual([PRICES]);
    expect(
      failing({ priceTexts: new Map([[hash, text.replace('"eth_call":20', '"eth_call":21')]]) }),
    ).toEqual([PRICES]);
    expect(failing({ priceTexts: new Map([[hash, `${text}\n`]]) })).toEqual([PRICES]);
  });
});

describe('headers', () => {
  const HOUR = '2026-11-20T08';

  test.each([
    ['contradict each other', [`${HOUR}/lane-b;n=1;total=1234`, `${HOUR}/lane-b;n=1;total=1235`]],
    ['fall', [`${HOUR}/lane-z;n=1;total=9`, `${HOUR}/lane-z;n=2;total=9`]],
    ['have less than is billed for as many charges', [`${HOUR}/lane-b;n=1;total=1200`]],
    ['have less than is billed for fewer charges', [`${HOUR}/lane-b;n=2;total=1200`]],
    ['are none', ['n=1;total=1200']],
  ])('that %s', (_, headers) => {
    expect(failing({ headers })).toEqual([TOLD]);
  });

  test.each([
    [
      'a lane that a killed process did not store',
      `${HOUR}/lane-z;n=2;total=90`,
      'to have 90 CU, and 0 were billed: 90 CU',
    ],
    [
      'a lane that lost its last charges',
      `${HOUR}/lane-b;n=3;total=1300`,
      'to have 1300 CU, and 1234 were billed: 66 CU',
    ],
  ])('of %s are an under-charge, and no failure', (_, header, words) => {
    expect(failing({ headers: [header] })).toEqual([]);
    expect(checkBill({ ...bill, headers: [header] }).notes.join()).toContain(`${words} in your favour.`);
  });

  const OPEN = '2026-11-20T10';
  const told = (...lines: readonly string[]) => {
    const headers = lines.map((line) => `${OPEN}/lane-a;${line}`);
    const { checks, notes } = checkBill({ ...bill, headers });
    return { failure: checks.find(({ code }) => code === TOLD)?.failure, notes: notes.join(' ') };
  };

  test('of neighbours prove exactly what was billed', () => {
    expect(told('n=1;total=20 20', 'n=2;total=40 20', 'n=3;total=60 20').failure).toBeUndefined();
    expect(told('n=1;total=20 20', 'n=2;total=40 20', 'n=3;total=4000 20').failure).toBe(
      `request 3 of lane ${OPEN}/lane-a was billed 20 CU, and its lane rose by 3960`,
    );
    expect(told('n=1;total=21 20').failure).toContain('request 1 of lane');
    expect(told('n=4;total=80', 'n=5;total=99 20').failure).toContain('rose by 19');
    expect(told('n=4;total=80 20', 'n=4;total=80 21').failure).toContain('20 CU billed, and 21');
  });

  test.each([
    ['at least 1 CU each', 66, undefined],
    ['less than 1 CU each', 65, 'the other 6 are no 5 CU'],
    ['the dearest request each', 60 + 6 * 20_000, undefined],
    ['more than the dearest request', 61 + 6 * 20_000, 'the other 6 are no 120001 CU'],
  ])('leave out six charges, of %s', (_, total, failure) => {
    const outcome = told('n=1;total=20 20', 'n=2;total=40 20', `n=9;total=${total} 20`);
    if (failure === undefined)
      expect(outcome).toEqual({ notes: expect.stringContaining('6 charges without a header'), failure });
    else expect(outcome.failure).toContain(failure);
  });

  test('without what was billed are told of all the same, and are held to the bounds', () => {
    expect(told('n=1;total=20', 'n=2;total=40')).toEqual({
      failure: undefined,
      notes: expect.not.stringContaining('without a header'),
    });
    expect(told('n=1;total=20', 'n=2;total=20021').failure).toContain('the other 1 are no 20001 CU');
  });

  test('leave out charges that the record has', () => {
    const lane = `${HOUR}/lane-a`;
    const { notes } = checkBill({ ...bill, headers: [`${lane};n=2;total=1710 1010`] });
    expect(notes.join()).toContain('1 charges without a header');
    expect(failing({ headers: [`${lane};n=1;total=700 699`] })).toEqual([TOLD]);
  });

  test('of an hour without a record are a note', () => {
    const { notes } = checkBill({ ...bill, headers: ['2026-11-20T10/lane-a;n=1;total=1'] });
    expect(notes).toEqual([
      '1 headers and lanes of receipts are of hours without a record, or whose lanes are missing.',
    ]);
  });
});

describe('receipts', () => {
  const HOUR = '2026-11-20T08';
  const [DAY, NEXT_DAY, LATER] = ['2026-11-20', '2026-11-21', '2026-11-22'];
  /** Signs receipts as the gateway does, also wrong ones. */
  const issuerOf = async (day: string, revision = 1, signer = world.signer) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const certificate = certificateText({ day, revision, key });
    const signature = await signer.sign(certificate);
    return (receipt: Partial<Receipt>, hour = HOUR): StoredReceipt => {
      const text = receiptText({
        account: 'acme',
        hour,
        told_at: `${DAY}T08:59:00.000Z`,
        lanes: [],
        ...receipt,
      });
      const signedText = sign(null, Buffer.from(text), privateKey).toString('base64');
      const signed = { certificate, signature, key: signer.key };
      return { hour, signed: { receipt: text, signature: signedText, certificate: signed } };
    };
  };
  const lane = (n: number, total: number, name = 'lane-b') => ({ shard: 0, lane: name, n, total });
  const outcome = (...receipts: readonly StoredReceipt[]) => {
    const { checks, notes } = checkBill({ ...bill, receipts });
    const [failed] = checks.filter(({ failure }) => failure !== undefined);
    return { code: failed?.code, failure: failed?.failure, notes };
  };

  test('with any one bit changed cannot be read, or are not signed', () => {
    let changes = 0;
    for (const { hour, signed } of bill.receipts.slice(0, 1))
      for (const text of flipped(JSON.stringify(signed))) {
        let other: unknown;
        try {
          other = JSON.parse(text);
        } catch {
          continue;
        }
        const receipts = [{ hour, signed: toSignedReceipt(other) }];
        const codes = failing({ receipts });
        // A key of an object that is not read may have any name.
        if (JSON.stringify(receipts[0]?.signed) === JSON.stringify(signed)) continue;
        if (codes[0] !== RECEIPTS) throw new Error(`not noticed: ${text}, ${codes}`);
        changes += 1;
      }
    expect(changes).toBeGreaterThan(repetitions(2_000));
  });

  test.each([
    ['of another account', { account: 'bob' }, /is one of account bob$/],
    [
      'before its certificate',
      { told_at: '2026-11-19T23:59:59.999Z' },
      /is signed with the key of 2026-11-20/,
    ],
    [
      'after its certificate',
      { told_at: '2026-11-22T00:00:00.000Z' },
      /is signed with the key of 2026-11-20/,
    ],
    ['with a lane twice', { lanes: [lane(1, 1), lane(1, 1)] }, /has a lane twice$/],
  ])('%s prove nothing', async (_, receipt, words) => {
    const issuer = await issuerOf(DAY);
    expect(outcome(issuer(receipt))).toMatchObject({ code: RECEIPTS, failure: expect.stringMatching(words) });
  });

  test('of another hour than it was asked for are found out', async () => {
    const issuer = await issuerOf(DAY);
    const kept = { ...issuer({ lanes: [lane(1, 1_234)] }), hour: '2026-11-20T09' };
    expect(outcome(kept).failure).toMatch(/is kept as one of hour 2026-11-20T09$/);
  });

  test('of a key without a certificate, or of another root, prove nothing', async () => {
    const other = await issuerOf(DAY, 1, memorySigner());
    expect(outcome(other({})).failure).toMatch(/is certified with a key that --key does not have$/);
    const forged = { ...memorySigner(), key: world.signer.key };
    expect(outcome((await issuerOf(DAY, 1, forged))({})).failure).toMatch(
      /^the certificate of .* has a wrong/,
    );
  });

  test('of another lane, or above what was billed, are an under-charge, and no failure', async () => {
    const issuer = await issuerOf(DAY);
    const told = issuer({ lanes: [lane(2, 1_300), lane(1, 9, 'lane-z')] });
    expect(outcome(told)).toEqual({
      code: undefined,
      failure: undefined,
      notes: [
        `Under-charge: lane ${HOUR}/lane-b was stated to have 1300 CU, and 1234 were billed: 66 CU in your favour.`,
        `Under-charge: lane ${HOUR}/lane-z was stated to have 9 CU, and 0 were billed: 9 CU in your favour.`,
      ],
    });
  });

  test('with what came after the record are in no record yet', async () => {
    const issuer = await issuerOf(DAY);
    const { code, notes } = outcome(issuer({ told_at: `${DAY}T20:00:00.000Z`, lanes: [lane(2, 1_300)] }));
    expect([code, notes]).toEqual([
      undefined,
      [expect.stringMatching(/has 66 CU that came after record \d: in no record yet\.$/)],
    ]);
  });

  test.each([
    ['as many charges with other CU', [lane(1, 1_200)]],
    ['fewer charges with more CU', [lane(2, 1_200)]],
  ])('contradict a record: %s', async (_, lanes) => {
    const issuer = await issuerOf(DAY);
    expect(outcome(issuer({ lanes })).code).toBe(TOLD);
  });

  test('contradict a header', async () => {
    const issuer = await issuerOf(DAY);
    const receipts = [issuer({ lanes: [lane(1, 700, 'lane-y')] })];
    expect(failing({ receipts, headers: [`${HOUR}/lane-y;n=1;total=701`] })).toEqual([TOLD]);
  });

  test('with an older state after a newer one contradict each other; within a minute it is the clocks', async () => {
    const issuer = await issuerOf(DAY);
    const at = (told_at: string, n: number, total: number) =>
      issuer({ told_at, lanes: [lane(n, total, 'lane-y')] });
    const [early, late] = [at(`${DAY}T08:10:00.000Z`, 3, 30), at(`${DAY}T08:11:00.000Z`, 2, 20)];
    expect(outcome(late, early)).toMatchObject({
      code: ORDER,
      failure: expect.stringContaining('lane-y with 20 CU'),
    });
    expect(outcome(at(`${DAY}T08:10:59.999Z`, 2, 20), early).code).toBeUndefined();
  });

  test('with an older state than a record before them contradict it', async () => {
    const issuer = await issuerOf(DAY);
    const late = issuer({ told_at: `${DAY}T20:00:00.000Z`, lanes: [lane(1, 700, 'lane-a')] });
    expect(outcome(late)).toMatchObject({ code: ORDER, failure: expect.stringContaining('had 1710') });
  });

  test('told while a settlement of minutes is reading agree with its record', async () => {
    const issuer = await issuerOf(DAY);
    const settledMs = Math.max(...bill.settlements.map(({ settled_at }) => Date.parse(settled_at)));
    const toldAfter = (minutes: number) => ({
      told_at: new Date(settledMs + minutes * 60_000).toISOString(),
      lanes: [lane(1, 700, 'lane-a')],
    });
    expect(outcome(issuer(toldAfter(2))).code).toBeUndefined();
    // Its head was signed ten minutes after it, by a clock that may be a minute off.
    expect(outcome(issuer(toldAfter(12))).code).toBe(ORDER);
  });

  test.each([
    [DAY, 2, 1],
    [NEXT_DAY, 1, 1],
    [DAY, 1, 0],
    [LATER, 1, 0],
  ])('below a key that %s.%i withdraws are left out: %i', async (day, revision, count) => {
    const issuer = await issuerOf(DAY);
    const withdrawals = [{ day, revision, key: '', withdraws: true as const }];
    const receipts = [issuer({ lanes: [lane(1, 1_200)] })];
    const { notes } = checkBill({ ...bill, receipts, withdrawals });
    expect(failing({ receipts, withdrawals })).toEqual(count === 1 ? [] : [TOLD]);
    expect(notes.filter((note) => note.includes('withdrawn later'))).toHaveLength(count);
  });

  test('of keys that the gateway withdrew are found by its published certificates', async () => {
    const other = await billedWorld(join(folder, 'withdrawn'));
    const clock = { now: () => Date.parse('2026-11-21T10:00:00Z') };
    const { published: heads, signer } = other;
    await renewIssuer({ clock, heads, signer, writeIssuer: async () => {} }, true);
    const read = async (key: string) => (await heads.get(key))?.toString();
    const { receipts, keys } = other.bill;
    const withdrawals = await readWithdrawals(read, receipts, keys);
    expect(withdrawals).toMatchObject([{ day: NEXT_DAY, revision: 1 }]);
    expect(await readWithdrawals(read, receipts, [])).toEqual([]);
    const { notes } = checkBill({ ...other.bill, withdrawals });
    expect(notes[0]).toBe('2 receipts are signed with a key that was withdrawn later: they were left out.');
  });
});

describe('the command', () => {
  const key = () => join(folder, 'key.txt');
  const verify = async (...more: readonly string[]) => {
    const lines: string[] = [];
    const args = ['verify', folder, '--account', 'acme', '--heads', join(folder, 'bucket'), '--key', key()];
    const code = await run([...args, ...more], {}, (line) => lines.push(line));
    return { code, text: lines.join('\n') };
  };
  beforeAll(async () => {
    writeFileSync(key(), `${bill.keys.join('\n')}\n`);
    writeFileSync(join(folder, 'headers.txt'), `${bill.headers.join('\r\n')}\n`);
    await keepBucket(world, join(folder, 'bucket'));
  });

  test('says one sentence for each check, remembers the head, and finds it again', async () => {
    const { code, text } = await verify();
    expect([code, text.match(/^ok {6}.*$/gm)]).toEqual([0, shownIn('docs/status.md')]);
    expect(text).toContain('3 records of acme bill 5 units.');
    const { head } = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'));
    expect(text).toContain(`Newest head: 3, ${head.hash}.`);
    expect((await verify()).code).toBe(0);
  });

  test('is helped with, whatever else is said', async () => {
    for (const args of [['--help'], ['-h'], ['verify', folder, '--help'], ['fetch', '--help']]) {
      const lines: string[] = [];
      expect(await run(args, {}, (line) => lines.push(line))).toBe(0);
      expect(lines.join('\n')).toMatch(/^gateway-bill fetch FOLDER .*\ngateway-bill verify FOLDER /s);
    }
  });

  test('reads heads from the gateway', async () => {
    const gateway = await startShowing(world.published);
    expect((await verify('--heads', `${gateway}/`)).code).toBe(0);
    expect(await verify('--heads', `${gateway}/other`)).toMatchObject({ code: 2 });
  });

  test.each([
    ['is gone', undefined, 'head 2 of the list cannot be read', SIGNATURE],
    ['is another one', (heads: readonly string[]) => heads[0], 'head 1 comes after head 1', HEADS],
  ])('tells of a head that %s at the gateway', async (_what, changed, says, exit) => {
    const gateway = await startShowing(world.published);
    const right = String(bill.heads[1]);
    world.published.forge('heads/2.json', changed?.(bill.heads));
    try {
      const { code, text } = await verify('--heads', gateway);
      expect([code, text]).toEqual([exit, expect.stringContaining(says)]);
    } finally {
      world.published.forge('heads/2.json', right);
    }
  });

  test('asks a gateway again that says that it was asked too much, and reads all parts of a long object', async () => {
    const objects = new MemoryObjects();
    const leaves = Array.from({ length: 2 ** 16 }, (_, place) => place.toString(16).padStart(64, '0'));
    const root = '0a'.repeat(32);
    await objects.put(headLeavesKey(root), `${leaves.join('\n')}\n`);
    await objects.put(priceListsKey(root), 'a'.repeat(PART_BYTES));
    const gateway = await startShowing(objects, [429, 503]);
    const waits: number[] = [];
    const pause = async (ms: number) => {
      waits.push(ms);
    };
    const read = openHeads(gateway, silent, pause);
    expect((await read(headLeavesKey(root)))?.trimEnd().split('\n')).toEqual(leaves);
    expect(waits).toEqual([5_000, 5_000]);
    // Ends where a part does.
    expect((await read(priceListsKey(root)))?.length).toBe(PART_BYTES);
    expect(await read(headLeavesKey('0b'.repeat(32)))).toBeUndefined();
  });

  test('gives a gateway up that says so for longer than it counts requests', async () => {
    const gateway = await startShowing(
      world.published,
      Array.from({ length: 100 }, () => 429),
    );
    let waitedMs = 0;
    const pause = async (ms: number) => {
      waitedMs += ms;
    };
    await expect(openHeads(gateway, silent, pause)(LATEST_HEAD)).rejects.toThrow(
      'cannot be read: status 429',
    );
    expect(waitedMs).toBe(360_000);
  });

  test('reads a body without a length, asks for none that is compressed, and refuses one that is', async () => {
    const texts: string[] = [];
    const gateway = await startAnswering((response, _count, { url = '', headers }) => {
      texts.push(String(headers['accept-encoding']));
      if (url.includes('latest')) response.write('a');
      else response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(url.includes('latest') ? 'b' : gzipSync('c'));
    });
    const read = openHeads(gateway, silent, neverWait);
    expect(await read(LATEST_HEAD)).toBe('ab');
    await expect(read(headLeavesKey('0a'.repeat(32)))).rejects.toThrow(
      'cannot be read: content-encoding gzip',
    );
    expect(texts).toEqual(['identity', 'identity']);
  });

  test('reads no more of a body than a part may have, whatever the gateway says of its length', async () => {
    const gateway = await startAnswering((response) => {
      // Ends only when its reader goes.
      const chunk = 'a'.repeat(PART_BYTES / 8);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    await expect(openHeads(gateway, silent, neverWait)(LATEST_HEAD)).rejects.toThrow(
      `more than ${PART_BYTES} bytes`,
    );
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['breaks a connection', (response) => response.socket?.destroy()],
    ['breaks off a body', (response) => response.write('a', () => response.socket?.destroy())],
    ['answers 502', (response) => response.writeHead(502).end()],
    ['answers 504', (response) => response.writeHead(504).end()],
  ])('asks a gateway that %s three times more, and not if it never gave anything', async (_what, fail) => {
    let failures = 3;
    const gateway = await startAnswering((response, count) => {
      if (count === 1 || failures === 0) response.end('right');
      else {
        failures -= 1;
        fail(response);
      }
    });
    let waits = 0;
    const lines: string[] = [];
    const pause = async () => {
      waits += 1;
    };
    const read = openHeads(gateway, (line) => lines.push(line), pause);
    await read(LATEST_HEAD);
    expect([await read(LATEST_HEAD), waits]).toEqual(['right', 3]);
    expect(lines).toEqual([expect.stringMatching(/^The gateway is asked again every 5 s: /)]);
    failures = 4;
    await expect(read(LATEST_HEAD)).rejects.toThrow('cannot be read');
    expect(waits).toBe(6);
    failures = 1;
    await expect(openHeads(gateway, silent, pause)(LATEST_HEAD)).rejects.toThrow('cannot be read');
    expect(waits).toBe(6);
  });

  test('waits for two hours in all, and then ends', async () => {
    const gateway = await startAnswering((response, count) => {
      // One object after each fifty looks.
      if (count % 50 === 0) response.end('right');
      else response.writeHead(429).end();
    });
    let waitedMs = 0;
    const read = openHeads(gateway, silent, async (ms) => {
      waitedMs += ms;
    });
    const readMany = async () => {
      for (let object = 0; object < 100; object += 1) await read(LATEST_HEAD);
    };
    await expect(readMany()).rejects.toThrow('cannot be read: status 429, after 1440 waits');
    expect(waitedMs).toBe(2 * 3_600_000);
  });

  test('ends with the code of the first check that fails, and remembers nothing of it', async () => {
    const settlements = join(folder, 'settlements.json');
    const [right, seen] = [
      readFileSync(settlements, 'utf8'),
      readFileSync(join(folder, 'seen.json'), 'utf8'),
    ];
    writeFileSync(settlements, JSON.stringify({ data: bill.settlements.slice(1) }));
    const { code, text } = await verify();
    writeFileSync(settlements, right);
    expect([code, text.match(/^FAILED.*$/gm)]).toEqual([CHAIN, [expect.stringContaining('(exit code 13)')]]);
    expect(readFileSync(join(folder, 'seen.json'), 'utf8')).toBe(seen);
  });

  test('fetches nothing into a folder that has the bill of another account', async () => {
    const settlements = join(folder, 'settlements.json');
    const right = readFileSync(settlements, 'utf8');
    const [row] = bill.settlements;
    const record = { ...row, statement: row?.statement?.replace('"account":"acme"', '"account":"bob"') };
    for (const [rows, gave] of [
      [[record], 'those of account bob'],
      [[], 'no records'],
    ] as const) {
      const client = {
        async *rows(operation: string) {
          if (operation === 'listAccountSettlements') yield* rows;
        },
      } as Parameters<typeof fetchBill>[0];
      await expect(fetchBill(client, folder, 0)).rejects.toThrow(
        `${folder} has records of account acme, and the gateway gave ${gave}`,
      );
    }
    expect(readFileSync(settlements, 'utf8')).toBe(right);
  });

  test('names a list of settlements whose rows state nothing at all', async () => {
    const settlements = join(folder, 'settlements.json');
    const right = readFileSync(settlements, 'utf8');
    const rows = bill.settlements.map(({ statement: _, ...row }) => row);
    writeFileSync(settlements, JSON.stringify({ data: rows }));
    const told = await verify();
    writeFileSync(settlements, right);
    expect(told).toEqual({
      code: 2,
      text: 'Nothing was checked: settlements.json has a row without a statement',
    });
  });

  test.each([
    [['--heads', join('no', 'such', 'folder')], /there is no head/],
    [['--key', join('no', 'such', 'file')], /ENOENT/],
    [['--key', '/dev/null'], /^Nothing was checked: \/dev\/null has no key$/],
    [['--from', '0'], /--from is the number of a head/],
    [['--heads', 'http://127.0.0.1:1/heads'], /cannot be read/],
    [['--unknown', 'x'], /Unknown option/],
  ])('that cannot read what it needs says so: %j', async (more, words) => {
    expect(await verify(...more)).toEqual({ code: 2, text: expect.stringMatching(words) });
  });
});
