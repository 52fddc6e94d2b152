import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchBill, readFolder } from '../../clients/gateway-bill/src/bill-folder.ts';
import { checkBill } from '../../clients/gateway-bill/src/check-bill.ts';
import { readPublished } from '../../clients/gateway-bill/src/read-heads.ts';
import { renewIssuer } from '../../lambdas/seal/renew-issuer.ts';
import { sealHead } from '../../lambdas/seal/seal-head.ts';
import { hourLanes } from '../../lambdas/settlement/account-statement.ts';
import { openEvidence } from '../../lambdas/settlement/evidence.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { hourOf } from '../../lambdas/shared/runtime/hour.ts';
import { createIssuer } from '../../lambdas/status/issuer.ts';
import { MetadataReader } from '../../local/functions/metadata-reader.ts';
import { createPool, type FunctionPool } from '../../local/functions/pool.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { accountClient } from '../clients/account-client.ts';
import { variedStage } from '../lib/varied-stages.ts';
import { result } from '../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../nodes/scripted-node.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { ACCOUNT, eventOf, openReleaseStage, type ReleaseStage } from './release-stage.ts';

const HOUR_MS = 3_600_000;
const REQUESTS = 120;
const REQUESTS_AT_ONCE = 6;
const STORED_WITHIN_MS = 60_000;
const LOOK_INTERVAL_MS = 50;

interface Version {
  readonly pool: FunctionPool;
  readonly lanes: string[];
  billedCu: number;
}

let node: ScriptedNode;
let stage: ReleaseStage;
let folder: string;
const versions: Version[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'canary-bill-'));
  node = await startScriptedNode(result('"0x7a69"'));
  const template = loadTemplate(variedStage('least').folder);
  const resolver = createResolver(template, {
    parameters: Object.fromEntries(Object.keys(template.parameters).map((name) => [name, node.url])),
    attribute: createAttributes(template, 'http://127.0.0.1:1'),
  });
  stage = await openReleaseStage(template, resolver);
  for (const configuration of [stage.version('0'), stage.version('1')])
    versions.push({ pool: createPool(configuration, stage.services, () => {}, 0), lanes: [], billedCu: 0 });
}, 240_000);

afterAll(async () => {
  await Promise.all(versions.map(({ pool }) => pool.close()));
  await stage?.close();
  await node?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(version: Version, request: number): Promise<void> {
  const reply = await version.pool.invoke(eventOf(stage.apiKey, request));
  if (reply.kind !== 'reply') throw new Error(`the function did not answer: ${JSON.stringify(reply)}`);
  const body = reply.body.pipe(new MetadataReader());
  const [metadata] = await Promise.all([body.metadata, text(body)]);
  const { statusCode, headers } = metadata as {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
  };
  expect(statusCode).toBe(200);
  version.billedCu += Number(headers['X-CU-Billed']);
  if (headers['X-CU-Lane'] !== undefined) version.lanes.push(headers['X-CU-Lane']);
}

/** Lanes of an account are stored once their answers were sent. */
async function stored(hours: readonly string[], billedCu: number): Promise<void> {
  const deadline = Date.now() + STORED_WITHIN_MS;
  for (;;) {
    let cu = 0;
    for (const hour of hours)
      for await (const { total } of hourLanes(stage.store, { account: ACCOUNT, hour, fromShard: 0 }, 100))
        cu += Number(total);
    if (cu === billedCu) return;
    if (Date.now() > deadline) throw new Error(`${cu} of ${billedCu} CU were stored`);
    await sleep(LOOK_INTERVAL_MS);
  }
}

test('what an older and a newer release charge at the same time is one bill that its customer can check', async () => {
  const [older, newer] = versions as [Version, Version];
  const beganMs = Date.now();
  const left = Array.from({ length: REQUESTS }, (_, request) => request);
  const caller = async () => {
    for (let request = left.pop(); request !== undefined; request = left.pop())
      await call(request % 3 === 0 ? older : newer, request);
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, caller));
  expect([older.lanes.length, newer.lanes.length]).toEqual([REQUESTS / 3, (REQUESTS * 2) / 3]);
  const hours = [...new Set([hourOf(beganMs), hourOf(Date.now())])];
  const billedCu = older.billedCu + newer.billedCu;

  const { store } = stage;
  const clock = { time: Date.now(), now: () => clock.time };
  const [leaves, heads, signer] = [new MemoryObjects(), new MemoryObjects(), memorySigner()];
  let secret = '';
  const writeIssuer = async (issuer: string) => {
    secret = issuer;
  };
  await renewIssuer({ clock, heads, signer, writeIssuer });
  const issuer = createIssuer(async () => secret, clock);
  const client = accountClient({ store, leaves, issuer }, ACCOUNT, 100);
  await stored(hours, billedCu);
  await fetchBill(client, folder, clock.time);
  clock.time += 2 * HOUR_MS;
  const common = { store, clock, pause: async () => {}, telemetry: new RecordedTelemetry() };
  const { failure } = await settleAccount(
    openEvidence(common, { evidence: leaves, heads: leaves }, randomBytes),
    ACCOUNT,
    [],
  );
  expect(failure).toBeUndefined();
  await sealHead({ ...common, heads, evidence: leaves, signer, randomBytes });
  writeFileSync(join(folder, 'headers.txt'), [...older.lanes, ...newer.lanes].join('\n'));
  await fetchBill(client, folder, clock.time);

  const kept = await readFolder(folder);
  const published = await readPublished(async (key) => (await heads.get(key))?.toString(), kept.settlements);
  const bill = { ...kept, ...published, account: ACCOUNT, keys: [signer.key], withdrawals: [] };
  const { checks, notes } = checkBill(bill);
  expect([checks.filter((check) => check.failure !== undefined), notes]).toEqual([[], []]);
  expect(kept.settlements.reduce((cu, row) => cu + row.total_cu, 0)).toBe(billedCu);
  expect(kept.receipts.length).toBeGreaterThan(0);
  const charges = [...kept.lanes.values()].flat();
  expect(charges.reduce((sum, { n }) => sum + n, 0)).toBe(REQUESTS);
});
