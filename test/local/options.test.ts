import { parseOptions } from '../../local/options.ts';

test.each([
  [['--port', '9000', '--site-port', '9000'], '--port and --site-port are both 9000'],
  [['--site-port', '8080'], '--port and --site-port are both 8080'],
])('%j: one port cannot have two servers', (commandLine, message) => {
  expect(() => parseOptions(commandLine)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => parseOptions(commandLine)).toThrow(message);
});

test.each([
  [
    ['--port', '0', '--site-port', '0'],
    [0, 0],
  ],
  [
    ['--port', '9000'],
    [9000, undefined],
  ],
  [
    ['--port', '9000', '--site-port', '9001'],
    [9000, 9001],
  ],
])('%j: any free ports, and those that differ, are taken', (commandLine, ports) => {
  const options = parseOptions(commandLine);
  if (options === 'help') throw new Error('no help was asked for');
  expect([options.port, options.sitePort]).toEqual(ports);
});

test.each([
  [[], undefined],
  [['--rebuild', 'x'], { order: 'rebuild', chain: 'x' }],
  [['--resume', 'x'], { order: 'resume', chain: 'x' }],
])('%j: what is to be done with an index', (commandLine, index) => {
  expect(parseOptions(commandLine)).toMatchObject({ index });
});

test('an index cannot go on and be made anew', () => {
  expect(() => parseOptions(['--rebuild', 'x', '--resume', 'x'])).toThrow(
    '--rebuild and --resume exclude each other',
  );
});
