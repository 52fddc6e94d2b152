import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Clause } from '../../../api/contract.ts';
import { type NamedTest, namedTest } from '../named-tests.ts';
import { applyChange } from './alter.ts';
import type { ScratchCopy, Verdict } from './scratch-copy.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const SIMULATE = join('test', 'simulation', 'command', 'simulate.ts');
/** The test that alters the responses of a gateway in each way that is written down. */
const ALTERED_RESPONSES: NamedTest = {
  file: 'test/end-to-end/demo-chain.system.test.ts',
  title: 'whatever is altered on the way is noticed, or said to be unseen',
};

/** How dear what shows a clause is: 0 without processes, 2 with whole gateways. */
export function dearness(clause: Clause): number {
  if (clause.kind === 'mutant') return 1;
  return clause.kind === 'response' ? 2 : Math.min(...(clause.tests ?? []).map(dearnessOf));
}

function dearnessOf(test: string): number {
  const { file } = namedTest(test);
  return file.startsWith('test/end-to-end/') ? 2 : Number(file.includes('.system.'));
}

/** Breaks clauses in a copy of the project, one at a time. */
export class Judge {
  readonly #copy: ScratchCopy;
  readonly #quick: boolean;
  #responses: Verdict | undefined;

  /** `quick`: leaves out tests with whole gateways. */
  constructor(copy: ScratchCopy, quick: boolean) {
    this.#copy = copy;
    this.#quick = quick;
  }

  /** What becomes of a clause that is broken: of its cheapest tests, and where they stay green of the others. */
  judge(clause: Clause, timeoutMs: number): Verdict {
    if (clause.kind === 'response') return this.#ofResponses(timeoutMs);
    if (clause.kind === 'mutant') return ofMutant(clause.mutant, timeoutMs);
    const altered = applyChange(clause);
    const tests = clause.tests ?? [];
    const cheapest = dearness(clause);
    const first = tests.filter((test) => dearnessOf(test) === cheapest);
    const others = tests.filter((test) => dearnessOf(test) > cheapest);
    const verdict = this.#copy.tests(first.map(namedTest), altered, timeoutMs);
    const isOver = verdict === 'red' || others.length === 0 || this.#quick;
    return isOver ? verdict : this.#copy.tests(others.map(namedTest), altered, timeoutMs);
  }

  /** One run serves for all: that test passes only if each alteration is noticed by its clause. */
  #ofResponses(timeoutMs: number): Verdict {
    const passed = (verdict: Verdict): Verdict =>
      verdict === 'green' ? 'red' : verdict === 'red' ? 'green' : verdict;
    this.#responses ??= passed(this.#copy.tests([ALTERED_RESPONSES], undefined, timeoutMs));
    return this.#responses;
  }
}

function ofMutant(name: string, timeoutMs: number): Verdict {
  const { status, signal } = spawnSync(process.execPath, [SIMULATE, '--mutant', name], {
    cwd: PROJECT,
    stdio: 'ignore',
    timeout: timeoutMs,
  });
  if (signal !== null) return 'late';
  return status === 0 ? 'red' : 'green';
}
