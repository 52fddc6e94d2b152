import { emitted, minuteOf, stagesOfManyChains } from './many-chains.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

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

test('a second of fifty chains that emits nothing is told for itself, within ten minutes as the first', () => {
  const { played, minute } = playedOf('fifty', 50);
  played.play(20, minute('there', [3]));
  played.play(20, minute('there', [3, 41]));
  expect(played.told.map((one) => `${one.minute - SOUND_MINUTES}: ${one.severity} ${one.name}`)).toEqual([
    '7: ticket chainbehind chain_3',
    '27: ticket chainbehind chain_41',
  ]);
});

test('figures that are missing for up to four minutes, as around a deployment, send nothing', () => {
  const { played, minute } = playedOf('ten', 10);
  for (let gap = 1; gap <= 4; gap += 1) {
    played.play(gap, minute('there', [...Array(10).keys()]));
    played.play(2, minute('there'));
  }
  expect(played.told).toEqual([]);
});

test('chains that are added send nothing while they catch up; one that never begins is a page after 75 minutes', () => {
  const { played } = playedOf('ten', 10);
  played.deploy(assemblies.fifty.folder);
  const added = minuteOf(played, 50);
  const [far, never, silent] = ['chain_12', 41, 42] as const;
  const catching = (isFar: boolean, without: readonly number[]) => (emit: Emit) => {
    added('there', [never, ...without])(emit);
    if (isFar) emitted(emit, { IndexerLagBlocks: 9_000, IndexedHeadAge: 9_000 }, { Chain: far });
  };
  // For half an hour far behind; a chain that has begun notifies as soon as ever.
  played.play(30, catching(true, []));
  expect(played.told).toEqual([]);
  expect(played.on()).toEqual(expect.arrayContaining([`chainbehind ${far}`, 'chainbehind chain_41']));
  played.play(30, catching(false, [silent]));
  played.play(30, catching(false, [silent]));
  expect(played.told.map((one) => `${one.minute - SOUND_MINUTES}: ${one.severity} ${one.name}`)).toEqual([
    '37: ticket chainbehind chain_42',
    '76: page notbegun',
  ]);
});

test('a chain that stays behind once the database is back is told', () => {
  const { played, minute } = playedOf('ten', 10);
  played.play(LOST_MINUTES, minute('lost'));
  played.play(AFTER_MINUTES, minute('there', [7]));
  const told = played.told.map(({ name }) => name).filter((name) => name.startsWith('chainbehind'));
  expect(told).toEqual(['chainbehind chain_7']);
});
