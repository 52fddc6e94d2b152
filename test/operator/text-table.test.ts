import { renderTable } from '../../bin/operator/context/text-table.ts';

test('a table of any number of rows can be rendered', () => {
  const rows = Array.from({ length: 300_000 }, (_, number) => [String(number)]);
  expect(renderTable(['number'], rows)).toHaveLength('NUMBER'.length + rows.length * 7);
});
