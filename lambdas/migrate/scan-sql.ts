/** What a stretch of SQL is: its own words, or text in which nothing else has a meaning. */
type SqlPartKind = 'code' | 'comment' | 'quoted';

/** A stretch of SQL text; the parts of a text follow one another without a gap. */
interface SqlPart {
  readonly kind: SqlPartKind;
  readonly text: string;
}

/** SQL ends within a comment, a string, or a quoted name. */
export class UnterminatedSqlError extends Error {
  override readonly name = 'UnterminatedSqlError';
}

const IDENTIFIER_CHARACTER = /[\w$\u0080-\uffff]/;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/**
 * Tells the code of PostgreSQL's SQL from its comments (which nest), strings (also `E'...'` and `$tag$...$tag$`) and
 * quoted names.
 * @throws {UnterminatedSqlError}
 */
export function* scanSql(sql: string): Generator<SqlPart, void> {
  let codeStart = 0;
  let place = 0;
  while (place < sql.length) {
    const opaque = opaquePartAt(sql, place);
    if (opaque === undefined) {
      place += 1;
      continue;
    }
    if (place > codeStart) yield { kind: 'code', text: sql.slice(codeStart, place) };
    yield { kind: opaque.kind, text: sql.slice(place, opaque.end) };
    place = opaque.end;
    codeStart = place;
  }
  if (place > codeStart) yield { kind: 'code', text: sql.slice(codeStart) };
}

/**
 * The statements of a script, without the semicolons between them and without comments, which only people read. Bodies
 * of functions have to be strings: those of `BEGIN ATOMIC` would be cut apart.
 * @throws {UnterminatedSqlError}
 */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const { kind, text } of scanSql(script)) {
    if (kind === 'comment') {
      // What a comment parts stays parted.
      statement += ' ';
      continue;
    }
    if (kind === 'quoted') {
      statement += text;
      continue;
    }
    const [first = '', ...others] = text.split(';');
    statement += first;
    for (const other of others) {
      statements.push(statement);
      statement = other;
    }
  }
  statements.push(statement);
  return statements.map((one) => one.trim()).filter((one) => one !== '');
}

function opaquePartAt(sql: string, place: number): { kind: SqlPartKind; end: number } | undefined {
  switch (sql[place]) {
    case '-':
      return sql[place + 1] === '-' ? { kind: 'comment', end: endOfLine(sql, place) } : undefined;
    case '/':
      return sql[place + 1] === '*' ? { kind: 'comment', end: endOfBlockComment(sql, place) } : undefined;
    case "'":
      return { kind: 'quoted', end: endOfQuotes(sql, place, "'", hasEscapes(sql, place)) };
    case '"':
      return { kind: 'quoted', end: endOfQuotes(sql, place, '"', false) };
    case '$':
      return dollarQuoteAt(sql, place);
    default:
      return undefined;
  }
}

function endOfLine(sql: string, place: number): number {
  const newline = sql.indexOf('\n', place);
  return newline === -1 ? sql.length : newline;
}

function endOfBlockComment(sql: string, start: number): number {
  let depth = 0;
  for (let place = start; place < sql.length; place += 1) {
    const pair = sql.slice(place, place + 2);
    if (pair !== '/*' && pair !== '*/') continue;
    depth += pair === '/*' ? 1 : -1;
    place += 1;
    if (depth === 0) return place + 1;
  }
  throw new UnterminatedSqlError('a comment has no end');
}

/** Whether the string that opens here is an `E'...'`, in which a backslash escapes. */
function hasEscapes(sql: string, quote: number): boolean {
  const prefix = sql[quote - 1];
  return (prefix === 'e' || prefix === 'E') && !IDENTIFIER_CHARACTER.test(sql[quote - 2] ?? ' ');
}

function endOfQuotes(sql: string, start: number, quote: string, escapes: boolean): number {
  for (let place = start + 1; place < sql.length; place += 1) {
    if (escapes && sql[place] === '\\') place += 1;
    else if (sql[place] === quote) {
      if (sql[place + 1] !== quote) return place + 1;
      place += 1;
    }
  }
  throw new UnterminatedSqlError(quote === '"' ? 'a quoted name has no end' : 'a string has no end');
}

function dollarQuoteAt(sql: string, place: number): { kind: SqlPartKind; end: number } | undefined {
  // A dollar sign within a name opens nothing.
  if (place > 0 && IDENTIFIER_CHARACTER.test(sql[place - 1] ?? '')) return undefined;
  DOLLAR_QUOTE.lastIndex = place;
  const tag = DOLLAR_QUOTE.exec(sql)?.[0];
  if (tag === undefined) return undefined;
  const close = sql.indexOf(tag, place + tag.length);
  if (close === -1) throw new UnterminatedSqlError(`a string has no end (${tag})`);
  return { kind: 'quoted', end: close + tag.length };
}
