import { scanSql } from './scan-sql.ts';

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
