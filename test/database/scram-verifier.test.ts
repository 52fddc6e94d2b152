import { scramVerifier } from '../../lambdas/migrate/login-roles.ts';

test('is what PostgreSQL makes of the password', () => {
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(scramVerifier('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

test('differs each time', () => {
  expect(scramVerifier('pencil')).not.toBe(scramVerifier('pencil'));
});

test.each(['', 'é', 'a\nb'])('is of printable ASCII only: %j', (password) => {
  expect(() => scramVerifier(password)).toThrow(TypeError);
});
