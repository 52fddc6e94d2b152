/** Prints what of a change nobody should have to look for: a larger budget, and tests that are run no more (`.ci/run`). */
import { movedOrMarked } from './moved-tests.ts';
import { changedTests, git, vanished } from './promises.ts';

const BUDGET_FILE = 'test/budget.json';
const BASE = 'HEAD~1';

function budgetAt(commit: string): Readonly<Record<string, number>> {
  return JSON.parse(git(['show', `${commit}:${BUDGET_FILE}`])).sum;
}

/** Figures of the budget's sum that differ. */
function changedSum(): string[] {
  const before = budgetAt(BASE);
  return Object.entries(budgetAt('HEAD'))
    .filter(([column, figure]) => figure !== before[column])
    .map(([column, figure]) => `budget: ${column} ${before[column]} -> ${figure}`);
}

function hasBase(): boolean {
  try {
    return git(['ls-tree', '--name-only', BASE, BUDGET_FILE]) !== '';
  } catch {
    return false;
  }
}

if (hasBase()) {
  const tests = changedTests(BASE, 'HEAD');
  const lines = [
    ...changedSum(),
    ...movedOrMarked(tests),
    ...vanished(tests).map(({ title }) => `gone: ${title}`),
  ];
  for (const line of lines) console.log(line);
} else console.log(`changes: ${BASE} has no ${BUDGET_FILE} to compare with`);
