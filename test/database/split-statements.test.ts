import fc from 'fast-check';
import { scanSql, splitStatements, UnterminatedSqlError } from '../../lambdas/migrate/scan-sql.ts';

describe('splitStatements', () => {
  test.each<[string, string, string[]]>([
    ['nothing', ' ;; \n -- x\n', []],
    ['one without an end', 'SELECT 1', ['SELECT 1']],
    ['two', 'SELECT 1; SELECT 2;', ['SELECT 1', 'SELECT 2']],
    ['a string', "SELECT ';--/*'; SELECT 'it''s;'", ["SELECT ';--/*'", "SELECT 'it''s;'"]],
    ['a string with escapes', "SELECT E'\\';' ; SELECT 2", ["SELECT E'\\';'", 'SELECT 2']],
    ['a backslash that escapes nothing', "SELECT '\\'; SELECT 2", ["SELECT '\\'", 'SELECT 2']],
    ['a name that ends in e before a string', "SELECT date'\\'; SELECT 2", ["SELECT date'\\'", 'SELECT 2']],
    ['a string after a sign', "SELECT ('\\'); SELECT 2", ["SELECT ('\\')", 'SELECT 2']],
    ['a quoted name', 'SELECT ";" FROM "a"";"', ['SELECT ";" FROM "a"";"']],
    ['a comment', 'SELECT 1 -- ; \n+ 2; SELECT/*;*/3', ['SELECT 1  \n+ 2', 'SELECT 3']],
    ['a comment in a comment', 'SELECT /* /* ; */ ; */ 1', ['SELECT   1']],
    ['a dollar quote', 'DO $$ BEGIN; END $$; SELECT 2', ['DO $$ BEGIN; END $$', 'SELECT 2']],
    [
      'a dollar quote within one',
      'DO $a$ x; $$ ; $b$ ; $$ $a$; SELECT 2',
      ['DO $a$ x; $$ ; $b$ ; $$ $a$', 'SELECT 2'],
    ],
    [
      'a dollar within a name',
      'SELECT a$b$; SELECT $1; SELECT c$b$',
      ['SELECT a$b$', 'SELECT $1', 'SELECT c$b$'],
    ],
  ])('%s', (_name, script, statements) => {
    expect(splitStatements(script)).toEqual(statements);
  });

  test.each(["SELECT '", 'SELECT "a', 'SELECT /* /* */', 'DO $$ $a$', "SELECT E'\\'"])(
    'no end: %s',
    (script) => {
      expect(() => splitStatements(script)).toThrow(UnterminatedSqlError);
    },
  );

  const piece = fc.constantFrom(
    ...[
      "'a;''b'",
      "E'\\';'",
      '"x;"',
      '$$;$$',
      '$t$ $$ ; $t$',
      '/* ; /* ; */ */',
      '-- ;\n',
      ' ',
      'a',
      '1',
      '::',
      'e',
    ],
  );

  test('whatever stands between them, as many as there are semicolons outside of text', () => {
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 8 }), { minLength: 1, maxLength: 6 }), (bodies) => {
        const script = bodies.map((body) => `SELECT ${body.join(' ')} `).join(';');
        expect(splitStatements(script)).toHaveLength(bodies.length);
      }),
    );
  });

  test('no character is lost before comments are left out', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.constant(';')), { maxLength: 20 }), (pieces) => {
        const script = pieces.join(' ');
        expect([...scanSql(script)].map(({ text }) => text).join('')).toBe(script);
      }),
    );
  });
});
