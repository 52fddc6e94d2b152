import { metricKey } from '../../../local/dashboard/metric-series.ts';
import { MetricStore, RESOLUTION_MS } from '../../../local/dashboard/metric-store.ts';

const RETENTION_MS = 4 * 60 * 60_000;

const METRIC = { namespace: 'N', name: 'A', dimensions: {} };
const START = 1_800_000_000_000;

function storeAt() {
  const clock = { atMs: START, now: () => clock.atMs };
  const store = new MetricStore(clock);
  const record = (value: number, atMs = clock.atMs) => store.record({ ...METRIC, value, atMs });
  const sum = (fromMs: number, toMs: number) => store.between(metricKey(METRIC), fromMs, toMs).sum;
  return { clock, store, record, sum };
}

test('values count for the span in which they are', () => {
  const { record, sum } = storeAt();
  record(1, START - 1);
  record(2, START);
  record(4, START + RESOLUTION_MS - 1);
  record(8, START + RESOLUTION_MS);
  expect(sum(START, START + RESOLUTION_MS)).toBe(6);
  expect(sum(START - RESOLUTION_MS, START + 2 * RESOLUTION_MS)).toBe(15);
  expect(sum(START, START)).toBe(0);
});

test('dimensions tell metrics apart, their order does not', () => {
  const { store } = storeAt();
  const key = metricKey({ ...METRIC, dimensions: { B: '2', A: '1' } });
  store.record({ ...METRIC, dimensions: { A: '1', B: '2' }, value: 5, atMs: START });
  store.record({ ...METRIC, value: 7, atMs: START });
  expect(store.between(key, START, START + RESOLUTION_MS).sum).toBe(5);
});

test('what is too old or ahead of the clock is not kept, and what gets too old is dropped', () => {
  const { clock, record, store } = storeAt();
  record(1, START - RETENTION_MS);
  record(1, START + 2 * 60_000);
  const ever = store.between(metricKey(METRIC), START - 2 * RETENTION_MS, START + RETENTION_MS);
  expect(ever.count).toBe(0);
  for (let step = 0; step < (2 * RETENTION_MS) / RESOLUTION_MS; step += 1) {
    record(1);
    clock.atMs += RESOLUTION_MS;
  }
  const all = store.between(metricKey(METRIC), START, clock.atMs).count;
  expect(all).toBe(RETENTION_MS / RESOLUTION_MS);
});

test('the number of metrics is bounded, which can be seen', () => {
  const { store } = storeAt();
  for (let index = 0; index < 1_000; index += 1)
    store.record({ ...METRIC, name: `M${index}`, value: 1, atMs: START });
  expect(store.isFull).toBe(false);
  store.record({ ...METRIC, name: 'one more', value: 1, atMs: START });
  expect(store.isFull).toBe(true);
  expect(store.between(metricKey({ ...METRIC, name: 'one more' }), START, START + RESOLUTION_MS).count).toBe(
    0,
  );
});
