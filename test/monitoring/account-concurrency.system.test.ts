import { synthesisedOnce } from '../support/synthesised-once.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

/** What the account may run at a time, and what the stage runs of it. */
const QUOTA = 1_000;
const OF_STAGE = 60;
/** Requests of a minute, and those that fail while Lambda refuses to run a function. */
const REQUESTS = 1_000;
const REFUSED = 200;
/** Before another function takes its share, while it does, and after it was given a bound. */
const SOUND_MINUTES = 30;
const BUSY_MINUTES = 30;
const AFTER_MINUTES = 40;
const SECTIONS = /^(accountconcurrency|throttledruns|failingrequests)\b/;

/** The account with a function of another stack that runs so many at a time. */
function playedAccount() {
  const account = { quotaOf: () => QUOTA };
  const played = new PlayedAlarms(synthesisedOnce('local').folder, SECTIONS, undefined, account);
  const metric = (section: string, wanted: string) => {
    const found = played.metricsOf(section).find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`${section} does not look at ${wanted}`);
    return found;
  };
  const claimed = metric('accountconcurrency', 'ClaimedAccountConcurrency');
  const running = metric('accountconcurrency', 'ConcurrentExecutions');
  const throttles = played
    .metricsOf('throttledruns')
    .find(({ dimensions }) => dimensions.FunctionName?.includes('FunctionsData'));
  if (throttles === undefined) throw new Error('throttledruns does not look at the Data API');
  const [count, failed] = ['Count', '5XXError'].map((wanted) => metric('failingrequests', wanted)) as [
    ReturnType<typeof metric>,
    ReturnType<typeof metric>,
  ];
  const play = (minutes: number, ofOther: number) =>
    played.play(minutes, (emit: Emit) => {
      const wanted = ofOther + OF_STAGE;
      const refused = wanted > QUOTA ? REFUSED : 0;
      emit(claimed, [Math.min(QUOTA, wanted)]);
      emit(running, [Math.min(QUOTA, wanted)]);
      emit(count, [REQUESTS]);
      if (refused > 0) emit(throttles, [refused]);
      emit(failed, [refused]);
    });
  return { played, play };
}

test('a function that uses up the account is told, with what it does to the stage, and its bound ends both', () => {
  const { played, play } = playedAccount();
  play(SOUND_MINUTES, 500);
  expect(played.told).toEqual([]);

  play(BUSY_MINUTES, 2_000);
  const told = played.told.map(({ minute, severity, name, state }) => [
    minute - SOUND_MINUTES,
    severity,
    name,
    state,
  ]);
  expect(told).toEqual([
    [1, 'ticket', 'throttledruns', 'ALARM'],
    [6, 'page', 'failingrequests', 'ALARM'],
    [11, 'ticket', 'accountconcurrency', 'ALARM'],
  ]);

  // put-function-concurrency, as the runbook has it.
  play(AFTER_MINUTES, 100);
  expect(played.on()).toEqual([]);
  const ended = played.told.filter(({ state }) => state === 'OK').map(({ name }) => name);
  expect(ended.sort()).toEqual(['accountconcurrency', 'failingrequests', 'throttledruns']);
});

test('an account that is nearly full is told before it refuses anything', () => {
  const { played, play } = playedAccount();
  play(BUSY_MINUTES, 860);
  expect(played.told.map(({ severity, name }) => `${severity} ${name}`)).toEqual([
    'ticket accountconcurrency',
  ]);
});
