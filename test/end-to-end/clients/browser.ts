import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Names under which systems install Chromium. */
const COMMANDS = ['chromium', 'chromium-browser'];
/** What a page needs, and nothing that talks to other hosts by itself. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The browser that this machine has, found as a shell would find it; undefined: none. */
export function chromiumPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).concat('/usr/bin');
  return folders.flatMap((folder) => COMMANDS.map((command) => join(folder, command))).find(existsSync);
}

/** `test` where there is a browser; elsewhere `test.skip`, with the reason printed. */
export function testInBrowser(): typeof test {
  if (chromiumPath() !== undefined) return test;
  process.stderr.write('pages are not tested: no browser is found; the Debian package "chromium" has it\n');
  return test.skip;
}

/** Starts a browser with an empty profile, which is removed when it is closed. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('no browser: install the Debian package "chromium"');
  return chromium.launch({ executablePath, args: FLAGS });
}
