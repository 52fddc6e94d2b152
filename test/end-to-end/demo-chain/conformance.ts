import { clausesOf, readContract } from '../../../api/contract.ts';
import { ALTERATIONS } from '../../conformance/alterations/all.ts';
import { RecordedTransport } from '../../conformance/altered-transport.ts';
import { type AskedClause, checkClause, type Outcome } from '../../conformance/clause.ts';
import { idsOf } from '../../conformance/outcomes.ts';
import { Probe } from '../../conformance/probe.ts';
import { CLAUSES } from '../../conformance/run-conformance.ts';
import { overHttp, type Transport } from '../../conformance/transport.ts';
import { openAccount } from '../operator/account.ts';
import { type RunningGateway, runScript } from '../running-gateway.ts';

/** All clauses are checked within this, also where the bucket of the key must fill up again. */
const RUN_WITHIN_MS = 120_000;
/** Ways to be wrong that are tried. */
const MIN_ALTERATIONS = 200;
/** Clauses that a client cannot bring about on a gateway that is well, and on a chain without gaps. */
const UNSEEN = [
  'data.404',
  'data.balances.default',
  ...clausesOf(readContract()).flatMap(({ id, unseen }) => (unseen === undefined ? [] : [id])),
];

/** Tests that a run on the demo chain is what the specification says. */
export function testConformance(running: () => RunningGateway): void {
  test(
    'what npm start serves holds to every clause that can be seen',
    async () => {
      const gateway = running();
      const result = await runScript(
        'conformance',
        ['--url', gateway.baseUrl, '--key', (await openAccount(gateway)).apiKey],
        { timeoutMs: RUN_WITHIN_MS },
      );
      expect(idsOf(result, 'differs')).toEqual([]);
      expect(idsOf(result, 'skipped').sort()).toEqual([...UNSEEN].sort());
      expect(result.stdout).toContain(`${CLAUSES.length - UNSEEN.length} hold, 0 differ`);
      expect(result.code).toBe(0);
    },
    RUN_WITHIN_MS + 60_000,
  );
}

/** Tests that the clauses would notice if a run were something else. */
export function testAlterations(running: () => RunningGateway): void {
  test(
    'whatever is altered on the way is noticed, or said to be unseen',
    async () => {
      const gateway = running();
      const { apiKey: key } = await openAccount(gateway);
      const recorded = new RecordedTransport(overHttp(gateway.baseUrl));
      const outcomeOf = (clause: AskedClause, transport: Transport) =>
        checkClause(clause, new Probe({ transport, key, chain: 'example_mainnet' }));
      const unaltered = new Map<string, Outcome>();
      for (const clause of CLAUSES) {
        recorded.clause = clause.id;
        unaltered.set(clause.id, await outcomeOf(clause, recorded));
      }
      expect([...unaltered].filter(([, { kind }]) => kind === 'differs')).toEqual([]);
      for (const clause of CLAUSES)
        expect([clause.id, await outcomeOf(clause, recorded.altered(clause.id, {}))]).toEqual([
          clause.id,
          unaltered.get(clause.id),
        ]);
      const missed: unknown[] = [];
      for (const { name, shownBy, ...alteration } of ALTERATIONS) {
        const clause = CLAUSES.find(({ id }) => id === shownBy);
        if (clause === undefined) throw new Error(`${name}: there is no clause ${shownBy}`);
        const outcome = await outcomeOf(clause, recorded.altered(shownBy, alteration));
        const expected = unaltered.get(shownBy)?.kind === 'skipped' ? 'skipped' : 'differs';
        if (outcome.kind !== expected) missed.push({ name, shownBy, outcome });
      }
      expect(missed).toEqual([]);
      expect(ALTERATIONS.length).toBeGreaterThanOrEqual(MIN_ALTERATIONS);
    },
    RUN_WITHIN_MS + 120_000,
  );
}
