import type { Rule } from '../rules-table.ts';
import { BY_HAND } from './by-hand.ts';

/** A change of one file that breaks a rule. */
export interface Alteration {
  readonly file: string;
  /** What was done, in a few words. */
  readonly what: string;
  /** The file's text with the change. */
  readonly text: string;
}

/**
 * What breaks a rule: the change that is written down for it, else the first of the names that hold it, changed by what it is. A
 * number becomes one more, a text another one, a function fails, a member has another name.
 * @param read text of a file of the project
 * @returns undefined if nothing of it can be changed so
 */
export function alterationOf(rule: Rule, read: (file: string) => string): Alteration | undefined {
  const hand = BY_HAND[rule.clause];
  if (hand !== undefined) {
    const text = read(hand.file);
    if (!text.includes(hand.from)) throw new Error(`${hand.file} has no ${hand.from}`);
    return {
      file: hand.file,
      what: `${hand.from} -> ${hand.to}`,
      text: text.replaceAll(hand.from, () => hand.to),
    };
  }
  for (const { name, file } of rule.holders) {
    if (name === undefined || !file.endsWith('.ts')) continue;
    const text = read(file);
    const altered =
      alterNumber(text, name) ??
      alterWeight(text, rule.clause) ??
      alterError(text, name) ??
      alterFunction(text, name) ??
      alterText(text, name) ??
      alterMember(text, name);
    if (altered !== undefined) return { file, ...altered };
  }
  return undefined;
}

type Altered = Omit<Alteration, 'file'> | undefined;

function alterNumber(text: string, name: string): Altered {
  const found = new RegExp(`(?<start>\\bconst ${name}\\b[^=\\n]*= )(?<digits>[0-9][0-9_]*)`).exec(text);
  const { start = '', digits = '' } = found?.groups ?? {};
  if (found === null) return undefined;
  const more = String(Number(digits.replaceAll('_', '')) + 1);
  return { what: `${name}: ${digits} -> ${more}`, text: text.replace(found[0], start + more) };
}

/** A clause such as "`eth_call`: 20 CU": the method costs one more. */
function alterWeight(text: string, clause: string): Altered {
  const { method = '', weight = '' } = /^`(?<method>\w+)\*?`: (?<weight>\d+) CU$/.exec(clause)?.groups ?? {};
  const [, constant = method] = new RegExp(`\\bconst (\\w+) = '${method}'`).exec(text) ?? [];
  const found = new RegExp(`(?:'${method}'|: ${constant}),[^{}]*?\\bcu: ${weight}\\b`).exec(text);
  if (method === '' || found === null) return undefined;
  const more = found[0].replace(/\d+$/, String(Number(weight) + 1));
  return { what: `${method}: one CU more`, text: text.replace(found[0], () => more) };
}

/** An entry of a catalogue of errors has another message. */
function alterError(text: string, name: string): Altered {
  const found = new RegExp(`\\b${name}: \\{[^}]*?message:\\s*'`).exec(text);
  return found === null
    ? undefined
    : { what: `the message of ${name}`, text: text.replace(found[0], () => `${found[0]}altered `) };
}

function alterFunction(text: string, name: string): Altered {
  const found = new RegExp(
    `\\bfunction\\*? ${name}\\b[^]*?\\)(?:: [^{]*?(?:\\{[^{}]*\\}[^{]*?)?)? \\{\\n`,
  ).exec(text);
  if (found === null) return undefined;
  return {
    what: `${name} fails`,
    text: text.replace(found[0], () => `${found[0]}throw new Error('altered');\n`),
  };
}

function alterText(text: string, name: string): Altered {
  const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``].filter((one) => text.includes(one));
  if (quoted.length === 0) return undefined;
  const altered = quoted.reduce((sum, one) => sum.replaceAll(one, `'${name}_altered'`), text);
  return { what: `${name} is ${name}_altered`, text: altered };
}

function alterMember(text: string, name: string): Altered {
  const found = new RegExp(`(?<=[{,\\s])${name}(?=:)`, 'g');
  if (!found.test(text)) return undefined;
  return { what: `the member ${name} is ${name}_altered`, text: text.replaceAll(found, `${name}_altered`) };
}
