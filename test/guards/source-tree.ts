import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Characters of a literal that count as one token. */
const LITERAL_CHARACTERS = 20;
const MAX_FUNCTION_LINES = 60;
const LAYER = { name: 'gateway-access', file: 'lambdas/access/index.ts' };
const ARITHMETIC = /^[\s\d_.n()+*/-]*(?:[A-Z]\w*[\s\d_.n()+*/-]*)*$/;

/** What is counted of one file of TypeScript or JavaScript. */
export interface ParsedSource {
  /** Leaves of the tree; comments are none. */
  readonly tokens: number;
  /** Constants of the module whose value is written as a number. */
  readonly constants: number;
  /** Functions of more lines than a screen has, by name or line. */
  readonly longFunctions: readonly string[];
  readonly comments: string;
  readonly exports: readonly string[];
  /** Names by the file that they are imported from; `*` for all of them. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
}

/** Parses a file, by its path in the project, and counts in one walk over its tree. */
export function parseSource(file: string, text: string): ParsedSource {
  const source = parse(file, text);
  const imports = new Map<string, string[]>();
  const longFunctions: string[] = [];
  const comments: string[] = [];
  let tokens = 0;
  let commentsUntil = -1;
  const visit = (node: ts.Node): void => {
    if (node.pos !== commentsUntil) {
      commentsUntil = node.pos;
      comments.push(text.slice(node.pos, node.getStart(source)));
    }
    const imported = importOf(node);
    if (imported !== undefined) {
      const from = imported.from === LAYER.name ? LAYER.file : join(dirname(file), imported.from);
      imports.set(from, [...(imports.get(from) ?? []), ...imported.names]);
    }
    if (ts.isFunctionLike(node) && linesOf(node, source) > MAX_FUNCTION_LINES)
      longFunctions.push(nameOf(node, source));
    let isLeaf = true;
    ts.forEachChild(node, (child) => {
      isLeaf = false;
      visit(child);
    });
    if (isLeaf) tokens += tokensOf(node);
  };
  visit(source);
  const constants = source.statements.reduce((sum, statement) => sum + numbersOf(statement, source), 0);
  return {
    tokens,
    constants,
    longFunctions,
    comments: comments.join('\n'),
    exports: source.statements.flatMap(exportsOf),
    imports,
  };
}

/** The tree of a file. */
export function parse(file: string, text: string): ts.SourceFile {
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  return ts.createSourceFile(file, text, options);
}

function tokensOf(leaf: ts.Node): number {
  const isLong = ts.isLiteralExpression(leaf) || ts.isTemplateLiteralToken(leaf);
  return isLong ? Math.max(1, Math.ceil((leaf.end - leaf.pos) / LITERAL_CHARACTERS)) : 1;
}

function linesOf(node: ts.Node, source: ts.SourceFile): number {
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  return lineAt(node.end) - lineAt(node.getStart(source)) + 1;
}

function nameOf(node: ts.SignatureDeclaration, source: ts.SourceFile): string {
  const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  return node.name === undefined ? `line ${line}` : node.name.getText(source);
}

/** Declarations of a statement like `const A_MS = 5 * B_MS`. */
function numbersOf(statement: ts.Statement, source: ts.SourceFile): number {
  if (!ts.isVariableStatement(statement)) return 0;
  return statement.declarationList.declarations.filter(({ initializer }) => {
    const value = initializer?.getText(source) ?? '';
    return /\d/.test(value) && ARITHMETIC.test(value);
  }).length;
}

function exportsOf(statement: ts.Statement): readonly string[] {
  if (ts.isExportAssignment(statement)) return ['default'];
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement;
    return exportClause !== undefined && ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name.text)
      : [];
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return ['default'];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => bound(name));
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.text];
}

function bound(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : bound(element.name)));
}

interface Imported {
  readonly from: string;
  readonly names: readonly string[];
}

function importOf(node: ts.Node): Imported | undefined {
  if (ts.isImportDeclaration(node)) return relative(node.moduleSpecifier, namesOf(node.importClause));
  if (ts.isExportDeclaration(node)) {
    const { exportClause, moduleSpecifier } = node;
    const isNamed = exportClause !== undefined && ts.isNamedExports(exportClause);
    return relative(moduleSpecifier, isNamed ? exportClause.elements.map(original) : ['*']);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return relative(node.argument.literal, ['*']);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return relative(node.arguments[0], ['*']);
  return undefined;
}

function relative(specifier: ts.Node | undefined, names: readonly string[]): Imported | undefined {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return undefined;
  const { text } = specifier;
  return text.startsWith('.') || text === LAYER.name ? { from: text, names } : undefined;
}

function namesOf(clause: ts.ImportClause | undefined): readonly string[] {
  if (clause === undefined) return [];
  const { name, namedBindings } = clause;
  const named =
    namedBindings === undefined
      ? []
      : ts.isNamespaceImport(namedBindings)
        ? ['*']
        : namedBindings.elements.map(original);
  return name === undefined ? named : ['default', ...named];
}

function original({ propertyName, name }: ts.ImportSpecifier | ts.ExportSpecifier): string {
  return (propertyName ?? name).text;
}
