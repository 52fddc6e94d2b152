/** A piece of a line of text. */
export interface Span {
  readonly kind: 'text' | 'strong' | 'code';
  readonly text: string;
}

/** A block of a text widget. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly Span[])[] };

const SPAN = /\*\*(.+?)\*\*|`(.+?)`/g;

/** Reads the Markdown of text widgets: headings, paragraphs, lists, strong text and code. Anything else stays text. */
export function parseMarkdown(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .flatMap(parseBlock);
}

function parseBlock(block: string): Block[] {
  const [first = '', ...rest] = block.split('\n');
  const heading = /^(#{1,6}) +(.*)$/.exec(first);
  if (heading !== null) {
    const [, marks = '', text = ''] = heading;
    const level = marks.length;
    return [{ kind: 'heading', level, spans: parseSpans(text) }, ...parseMarkdown(rest.join('\n'))];
  }
  const items = block.split('\n').map((line) => /^[-*] +(.*)$/.exec(line)?.[1]);
  if (items.every((item) => item !== undefined)) return [{ kind: 'list', items: items.map(parseSpans) }];
  return [{ kind: 'paragraph', spans: parseSpans(block.replaceAll('\n', ' ')) }];
}

function parseSpans(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(SPAN)) {
    const [all, strong, code] = match;
    if (match.index > end) spans.push({ kind: 'text', text: text.slice(end, match.index) });
    spans.push(strong === undefined ? { kind: 'code', text: code ?? '' } : { kind: 'strong', text: strong });
    end = match.index + all.length;
  }
  if (end < text.length) spans.push({ kind: 'text', text: text.slice(end) });
  return spans;
}
