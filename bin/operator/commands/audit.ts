import { auditAccounts, type InvariantReport } from '../../../lambdas/audit/audit.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type Command, switchFlag } from '../context/command.ts';
import { formatCount, renderTable } from '../context/text-table.ts';

const ACCOUNTS_AT_ONCE = 16;
const EXIT_VIOLATED = 1;

export const audit: Command = {
  name: 'audit',
  summary: 'check the books of all accounts; exit code 1 if an invariant is violated',
  positionals: [],
  flags: { all: switchFlag('compare and work out again all that was ever settled') },
  example: 'audit --all',
  async run({ store, clock, groupCommitCu }, args, notices) {
    const books = { store, clock, pause: sleep, telemetry: notices };
    const pace = { accountsAtOnce: ACCOUNTS_AT_ONCE, outOfTime: () => false };
    const { accounts, invariants } = await auditAccounts(books, undefined, pace, {
      all: args.all === true,
    });
    const violated = invariants.some(({ violationCount }) => violationCount > 0);
    return {
      json: {
        accounts,
        ok: !violated,
        invariants: invariants.map(invariantJson),
        group_commit_cu: groupCommitCu,
      },
      text: [invariantTable(invariants), ...violationTables(invariants), lossBound(groupCommitCu)].join(
        '\n\n',
      ),
      exitCode: violated ? EXIT_VIOLATED : 0,
    };
  },
};

/** What no audit can see: charges that never came to a table. */
function lossBound(groupCommitCu: number): string {
  return `A process that is killed loses the charges of the requests that it is working on${
    groupCommitCu === 0 ? '' : `, and at most ${formatCount(groupCommitCu)} CU that it holds back`
  }.`;
}

function invariantTable(invariants: readonly InvariantReport[]): string {
  const rows = invariants.map(({ invariant, checked, figures, violationCount }) => [
    violationCount === 0 ? 'ok' : 'VIOLATED',
    invariant,
    String(checked),
    String(violationCount),
    Object.entries(figures)
      .map(([name, value]) => `${name} ${formatCount(value)}`)
      .join(', '),
  ]);
  return renderTable(['', 'invariant', 'accounts', 'violations', 'figures'], rows);
}

function violationTables(invariants: readonly InvariantReport[]): string[] {
  const rows = invariants.flatMap(({ invariant, violations }) =>
    violations.map(({ account, detail }) => [account, invariant, detail]),
  );
  if (rows.length === 0) return [];
  const unnamed = invariants.filter(({ violationCount, violations }) => violationCount > violations.length);
  const notes = unnamed.map(
    ({ invariant, violationCount, violations }) =>
      `${invariant}: the first ${violations.length} of ${formatCount(violationCount)} are named.`,
  );
  return [renderTable(['account', 'violated', 'detail'], rows), ...notes];
}

function invariantJson({ invariant, checked, figures, violationCount, violations }: InvariantReport) {
  return {
    invariant,
    ok: violationCount === 0,
    checked,
    figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, jsonAmount(value)])),
    violation_count: violationCount,
    violations,
  };
}

/** Sums over all accounts can pass 2^53; such a sum is a decimal string. */
function jsonAmount(value: bigint): number | string {
  const amount = Number(value);
  return Number.isSafeInteger(amount) ? amount : value.toString();
}
