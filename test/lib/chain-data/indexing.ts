import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** The functions of the index draw their calls where the stage file bounds them; the rest of them: functions.system.test.ts. */
export function testIndexing(): void {
  const production = new SynthesisedStage('example-production');

  testAtLength(
    'what asks nodes for the index draws its calls from what all processes may send, where the stage file bounds them',
    () => {
      const draws = 'dynamodb:UpdateItem on ResponseCacheAnswers';
      for (const prefix of ['IndexingFollow', 'IndexingFill', 'SnapshotsService']) {
        expect(variedStage('most').permissions(prefix)).toContain(draws);
        expect(production.permissions(prefix)).not.toContain(draws);
        const { Environment } = variedStage('most').properties('AWS::Lambda::Function', prefix);
        expect(Environment).toMatchObject({ Variables: { CACHE_TABLE: expect.anything() } });
      }
    },
  );
}
