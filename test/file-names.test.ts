import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Calls and rows of tests that start a database, an emulator or a gateway, synthesise a stage, or follow from one. */
const STARTERS =
  /\b(?:startMigratedDatabase|startSeededChain|startTestDatabase|startGateway|copyGateway|startDynoxide|shareDynamoDbLocal|EMULATORS|SynthesisedStage|stagesOf|synthesisedOnce|synthesisedTogether)\b/;

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts'));

test('a test that starts a database, an emulator or a gateway, or synthesises a stage, is named *.system.test.ts or *.deep.test.ts', () => {
  const unit = files.filter(
    (file) => !/\.(?:system|deep)\.test\.ts$/.test(file) && file !== 'test/file-names.test.ts',
  );
  expect(unit.length).toBeGreaterThan(100);
  expect(unit.filter((file) => STARTERS.test(readFileSync(file, 'utf8')))).toEqual([]);
});
