import { type Clause, type Contract, clauseDigest, clausesOf } from './contract.ts';

/** Longest text of a change that is shown whole. */
const MAX_SHOWN_CHARACTERS = 60;

/** The page of clauses, in Markdown: what each says and costs, what breaks it, and what shows that. */
export function generateRules(contract: Contract, seen: Readonly<Record<string, string>>): string {
  const clauses = clausesOf(contract);
  const count = clauses.filter((clause) => isSeen(clause, seen)).length;
  return [
    '# Rules: what each clause says, and what shows it\n',
    `Made from \`api/contract.yaml\` by \`npm run generate\`. \`npm run conformance\` asks a running gateway for the clauses that a
client can see. \`npm run rules\` breaks each clause in the way of its row, in a copy of the project, and runs the
tests of the row alone: they must fail by an assertion. \`seen\` says which did, as the row stands: ${count} of
${clauses.length}. \`npm run rules -- --changed\` takes the rows whose files changed. A gateway serves words, examples and
prices as [\`/v1/contract.json\`](status.md#descriptions-for-machines).\n`,
    '## Order of checks of one request\n',
    `${contract.order.map((check, index) => `${index + 1}. ${check}`).join('\n')}\n`,
    ...contract.sections.map(
      ({ title, clauses: own }) =>
        `## ${title}\n\n| id | clause | example | price | broken by | shown by | seen |\n${'| --- '.repeat(7)}|\n${own
          .map((clause) => rowOf(clause, isSeen(clause, seen)))
          .join('\n')}\n`,
    ),
  ].join('\n');
}

function isSeen(clause: Clause, seen: Readonly<Record<string, string>>): boolean {
  return seen[clause.id] === clauseDigest(clause);
}

function rowOf(clause: Clause, seen: boolean): string {
  const { id, words, example, price, checks = [], tests = [], unseen } = clause;
  const shown = [
    ...tests.map((test) => test.replace(/^(test\/.+\.test\.ts): /, '`$1`: ')),
    ...(checks.length === 0 ? [] : [`checks ${checks.map((check) => `\`${check}\``).join(', ')}`]),
    ...(unseen === undefined ? [] : [`no client: ${unseen}`]),
  ];
  const cells = [`\`${id}\``, words, example, price, brokenBy(clause), shown.join('; ') || 'its check'];
  return `| ${[...cells, seen ? 'red' : ''].map(cell).join(' | ')} |`;
}

function brokenBy(clause: Clause): string {
  if (clause.kind === 'response') return `a response: ${clause.alteration}`;
  if (clause.kind === 'mutant') return `the mutant \`${clause.mutant}\``;
  return `\`${clause.in}\` in \`${clause.file}\`: \`${short(clause.text)}\` -> \`${short(clause.to)}\``;
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line || 'nothing';
}

/** Text in a cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
