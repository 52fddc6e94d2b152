import { minuteOf, stagesOfManyChains } from './many-chains.ts';
import { PlayedAlarms } from './played-alarms.ts';

/** Before it is lost, while it is lost, and after: no alarm looks back for longer than the first of them. */
const SOUND_MINUTES = 40;
const LOST_MINUTES = 60;
const AFTER_MINUTES = 40;

const assemblies = stagesOfManyChains();

function playedOf(name: keyof typeof assemblies, chains: number) {
  const played = new PlayedAlarms(assemblies[name].folder);
  const minute = minuteOf(played, chains);
  played.play(SOUND_MINUTES, minute('there'));
  expect(played.told).toEqual([]);
  return { played, minute };
}

test.each([
  ['ten', 10],
  ['fifty', 50],
] as const)('a stage of %s chains sends one page for a lost database', (name, chains) => {
  const { played, minute } = playedOf(name, chains);
  played.play(LOST_MINUTES, minute('lost'));
  expect(played.told).toEqual([
    { minute: SOUND_MINUTES + 3, severity: 'page', name: 'databaselost', state: 'ALARM' },
  ]);
  // All the rest is on as well, and on the dashboard.
  expect(played.on().filter((one) => one.startsWith('chainbehind'))).toHaveLength(2 * chains);
  expect(played.on().length).toBeGreaterThan(2 * chains);
  played.play(AFTER_MINUTES, minute('there'));
  expect(played.told.slice(1).map(({ severity, name: of, state }) => `${severity} ${of} ${state}`)).toEqual([
    'page databaselost OK',
    // What the failed slots have left stays until an operator empties the queues.
    'ticket failedindexing ALARM',
    'ticket failedrollups ALARM',
  ]);
});

test('a chain that stands still is told once, beside nine that do not', () => {
  const { played, minute } = playedOf('ten', 10);
  played.play(LOST_MINUTES, minute('there', [3]));
  expect(played.told.map(({ severity, name }) => `${severity} ${name}`)).toEqual([
    'ticket chainbehind chain_3',
  ]);
});

test('a second of fifty chains that emits nothing is told for itself, within twenty minutes as the first', () => {
  const { played, minute } = playedOf('fifty', 50);
  played.play(20, minute('there', [3]));
  played.play(20, minute('there', [3, 41]));
  expect(played.told.map(({ severity, name }) => `${severity} ${name}`)).toEqual([
    'ticket chainbehind chain_3',
    'ticket chainbehind chain_41',
  ]);
});

test('a chain that stays behind once the database is back is told', () => {
  const { played, minute } = playedOf('ten', 10);
  played.play(LOST_MINUTES, minute('lost'));
  played.play(AFTER_MINUTES, minute('there', [7]));
  const told = played.told.map(({ name }) => name).filter((name) => name.startsWith('chainbehind'));
  expect(told).toEqual(['chainbehind chain_7']);
});
