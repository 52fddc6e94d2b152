import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type ParsedSource, parseSource } from './source-tree.ts';

/** Exceptions from a rule, each with its name. They can only become fewer. */
export const EXCEPTIONS = ['smallFiles', 'testedExports', 'longFunctions', 'avoidedWords'] as const;
/** Of each row of the budget. */
export const COLUMNS = [
  'tokens',
  'constants',
  'lines',
  'words',
  'snapshotLines',
  'files',
  ...EXCEPTIONS,
] as const;
export type Column = (typeof COLUMNS)[number];
export type Figures = Readonly<Record<Column, number>>;

/** Of one file: the figures, and the exceptions by name. */
export interface MeasuredFile {
  readonly file: string;
  readonly figures: Figures;
  readonly named: readonly string[];
}

const CODE = /\.[cm]?[jt]s$/;
const LINES = /\.(?:sql|css|json|ya?ml|html|sol)$/;
const TESTS = 'test/';
/** What a compiler or npm writes, and this budget, which is not part of what it bounds. */
const NOT_BY_HAND = /^(?:package-lock\.json|test\/budget\.json|local\/demo-chain\/artifacts\/.*)$/;
const GENERATOR = 'api/generate.ts';
const GENERATED = /^ +'([\w./-]+\.(?:ts|md))':/gm;
/** Below it a file with one importer is part of that. */
const SMALL_FILE_LINES = 40;
/** Exports for other programs: Lambda, jest, the bundler in place of packages, and those of customers. */
const OUTWARD =
  /^lambdas\/.*#handler$|^lambdas\/shared\/.*#(?:defaultProvider|NodeHttpHandler|streamCollector|constants)$|^clients\/typescript\/src\/(?:client|errors|proof\/verify-proof)\.ts#|^jest\.config\.ts#/;
/** Words that say of a program what people do, or hide who acts. */
const AVOIDED = /\b(?:told|heard|given|goes on|brings on|is none|next to no)\b/gi;

/** Measures every file of the working tree that people write, each once. */
export function measureProject(): readonly MeasuredFile[] {
  const generated = new Set(generatedFiles());
  const texts = new Map(
    execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
      .split('\n')
      .filter((file) => file !== '' && existsSync(file))
      .map((file) => [file, readFileSync(file, 'utf8')]),
  );
  const sources = new Map(
    [...texts].filter(([file]) => CODE.test(file)).map(([file, text]) => [file, parseSource(file, text)]),
  );
  const uses = usesOf(sources);
  return [...texts]
    .filter(([file]) => !generated.has(file) && !NOT_BY_HAND.test(file))
    .map(([file, text]) => measure(file, text, sources.get(file), uses.get(file)));
}

/** What the generator writes, and checks with `--check`. */
export function generatedFiles(): readonly string[] {
  return [...readFileSync(GENERATOR, 'utf8').matchAll(GENERATED)].map(([, file = '']) => file);
}

/** Importers of each file and the names that they import; those of tests do not count. */
type Uses = ReadonlyMap<string, { readonly importers: Set<string>; readonly names: Set<string> }>;

function usesOf(sources: ReadonlyMap<string, ParsedSource>): Uses {
  const uses = new Map<string, { importers: Set<string>; names: Set<string> }>();
  for (const [importer, { imports }] of sources) {
    if (importer.startsWith(TESTS)) continue;
    for (const [imported, names] of imports) {
      // Scripts of a page import what was compiled from TypeScript.
      const file = sources.has(imported) ? imported : imported.replace(/\.js$/, '.ts');
      const used = uses.get(file) ?? { importers: new Set(), names: new Set() };
      uses.set(file, used);
      used.importers.add(importer);
      for (const name of names) used.names.add(name);
    }
  }
  return uses;
}

function measure(
  file: string,
  text: string,
  source: ParsedSource | undefined,
  used: ReturnType<Uses['get']>,
): MeasuredFile {
  const isTest = file.startsWith(TESTS);
  const lines = text.split('\n').length - 1;
  const isSmall = !isTest && source !== undefined && lines < SMALL_FILE_LINES && used?.importers.size === 1;
  const exported = isTest || source === undefined ? [] : source.exports;
  const unused = exported.filter(
    (name) => !used?.names.has(name) && !used?.names.has('*') && !OUTWARD.test(`${file}#${name}`),
  );
  const long = isTest ? [] : (source?.longFunctions ?? []);
  const isProse = file.endsWith('.md');
  const avoided = (source?.comments ?? (isProse || file.endsWith('.sql') ? text : '')).match(AVOIDED) ?? [];
  return {
    file,
    figures: {
      tokens: source?.tokens ?? 0,
      constants: source?.constants ?? 0,
      lines: LINES.test(file) ? lines : 0,
      words: isProse ? text.split(/\s+/).filter(Boolean).length : 0,
      snapshotLines: file.endsWith('.snap') ? lines : 0,
      files: 1,
      smallFiles: Number(isSmall),
      testedExports: unused.length,
      longFunctions: long.length,
      avoidedWords: avoided.length,
    },
    named: [
      ...(isSmall ? [`smallFiles: ${file} has ${lines} lines and one importer`] : []),
      ...unused.map((name) => `testedExports: ${file} exports ${name}, which only tests import`),
      ...long.map((name) => `longFunctions: ${file} ${name}`),
      ...avoided.map((word) => `avoidedWords: ${file} "${word}"`),
    ],
  };
}
