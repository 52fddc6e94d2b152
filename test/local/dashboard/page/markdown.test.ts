import fc from 'fast-check';
import { type Block, parseMarkdown } from '../../../../local/dashboard/page/markdown.ts';

const text = (content: string) => ({ kind: 'text', text: content });

test('headings, paragraphs, lists, strong text and code', () => {
  const source = '## Is it **healthy**?\nIt `is`\nindeed.\n\n- one\n- two **three**\n\n#no heading';
  expect(parseMarkdown(source)).toEqual([
    { kind: 'heading', level: 2, spans: [text('Is it '), { kind: 'strong', text: 'healthy' }, text('?')] },
    { kind: 'paragraph', spans: [text('It '), { kind: 'code', text: 'is' }, text(' indeed.')] },
    { kind: 'list', items: [[text('one')], [text('two '), { kind: 'strong', text: 'three' }]] },
    { kind: 'paragraph', spans: [text('#no heading')] },
  ]);
});

test('markup of other kinds stays text', () => {
  const source = '<b onclick="x()">a</b> [link](javascript:x)';
  expect(parseMarkdown(source)).toEqual([{ kind: 'paragraph', spans: [text(source)] }]);
});

test('no letter is lost', () => {
  const letters = (blocks: readonly Block[]) =>
    blocks
      .flatMap((block) => (block.kind === 'list' ? block.items.flat() : block.spans))
      .map((span) => span.text)
      .join('')
      .replaceAll(/[^a-z]/g, '');
  const pieces = fc.array(fc.constantFrom('a', 'b', 'z', '**', '`', '\n', '\n\n', '# ', '- ', ' '));
  fc.assert(
    fc.property(pieces, (parts) => {
      const source = parts.join('');
      expect(letters(parseMarkdown(source))).toBe(source.replaceAll(/[^a-z]/g, ''));
    }),
  );
});
