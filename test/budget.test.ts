/** The project does not become larger unseen: what each folder has is within its row of test/budget.json. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Budget, judge, type Row, rewritten } from './guards/budget.ts';
import { COLUMNS, type Figures, generatedFiles, type MeasuredFile } from './guards/measure-project.ts';
import { parseSource } from './guards/source-tree.ts';

const PROGRAM = join(import.meta.dirname, 'guards', 'budget.ts');

function figures(some: Partial<Figures>): Figures {
  return {
    ...(Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Record<string, number>),
    ...some,
  } as Figures;
}

function budgetOf(tokens: number, sum = tokens): Budget {
  const row: Row = { folders: ['lib/'], ...figures({ tokens }) };
  return { sum: figures({ tokens: sum }), rows: { lib: row } };
}

function measured(some: Partial<Figures>, named: readonly string[] = []): MeasuredFile[] {
  return [{ file: 'lib/a.ts', figures: figures(some), named }];
}

const changed = new Set(['lib/a.ts']);

test('the project is within its budget: `npm run budget -- --write` sets the rows that are not', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM], { encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toBe('');
});

test.each([
  [100, 100, []],
  [100, 102, []],
  [100, 103, ['lib.tokens: 100, lower the row from 103']],
  [101, 100, ['lib.tokens: 101, above 100']],
])('of %d tokens a row of %d says %j', (tokens, row, expected) => {
  expect(judge(budgetOf(row), measured({ tokens }), changed)).toEqual(expected);
});

test('a row that rises asks for the sum to be edited, or for another row that falls', () => {
  expect(judge(budgetOf(110, 100), measured({ tokens: 110 }), changed)).toEqual([
    'sum.tokens is 100, and the rows have 110',
  ]);
});

test('a new exception is named', () => {
  const name = 'longFunctions: lib/a.ts begin';
  expect(judge(budgetOf(0), measured({ longFunctions: 1 }, [name]), changed)).toEqual([
    'lib.longFunctions: 1, above 0',
    name,
  ]);
});

test('a rewritten row is within bounds, has no room for exceptions, and stays where it fits', () => {
  const files = measured({ tokens: 1_000, longFunctions: 60 });
  expect(rewritten(budgetOf(2_000), files).rows.lib).toMatchObject({ tokens: 1_010, longFunctions: 60 });
  expect(judge(rewritten(budgetOf(2_000), files), files, changed)).toEqual([]);
  expect(rewritten(budgetOf(1_015), files).sum.tokens).toBe(1_015);
});

test('a file that no row has is refused', () => {
  expect(() => judge(budgetOf(0), [{ file: 'new/a.ts', figures: figures({}), named: [] }], changed)).toThrow(
    'no row of test/budget.json has new/a.ts',
  );
});

describe('of a source are counted', () => {
  test('tokens without comments, and a long literal by its length', () => {
    const plain = parseSource('a.ts', 'f(1);').tokens;
    expect(parseSource('a.ts', '/** Says why. */\nf(1); // and more').tokens).toBe(plain);
    expect(parseSource('a.ts', `f('${'x'.repeat(98)}');`).tokens).toBe(plain + 4);
  });

  test('constants of the module that are numbers', () => {
    const text =
      "const A_MS = 5 * B_MS;\nconst C = 'x1';\nconst D = f(1);\nfunction g() { const e = 1; }\nconst F = -1n;";
    expect(parseSource('a.ts', text).constants).toBe(2);
  });

  test('names that are exported and imported, under the name that they have in their file', () => {
    const text = `import { a as b, type C } from './x.ts';
      import * as all from './y.ts';
      export { d } from '../z.ts';
      export const { e, f: [g] } = await import('./w.ts');
      export type H = import('./v.ts').H;
      export class I {}`;
    const { exports, imports } = parseSource('q/a.ts', text);
    expect(exports).toEqual(['d', 'e', 'g', 'H', 'I']);
    expect(Object.fromEntries(imports)).toEqual({
      'q/x.ts': ['a', 'C'],
      'q/y.ts': ['*'],
      'z.ts': ['d'],
      'q/w.ts': ['*'],
      'q/v.ts': ['*'],
    });
  });

  test('functions of more than 60 lines, and comments', () => {
    const text = `// It was told.\nfunction long() {\n${'  f();\n'.repeat(60)}}\nconst x = 1; /* heard */ const y = 2;`;
    const { longFunctions, comments } = parseSource('a.ts', text);
    expect(longFunctions).toEqual(['long']);
    expect(comments).toMatch(/told[\s\S]*heard/);
  });
});

test('what is not counted because it is generated is what the generator writes', () => {
  expect(generatedFiles()).toEqual([
    'lambdas/data/operations/operations.ts',
    'lambdas/data/export/list-columns.ts',
    'lambdas/status/account-parameters.ts',
    'lambdas/mcp/tools/data-tools.ts',
    'clients/typescript/src/description.ts',
    'clients/typescript/src/operation-paths.ts',
    'docs/data-api-reference.md',
    'docs/rules.md',
  ]);
});
