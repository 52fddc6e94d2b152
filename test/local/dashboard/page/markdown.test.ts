import fc from 'fast-check';
import { renderMarkdown } from '../../../../local/dashboard/page/format.ts';

test('headings, paragraphs, lists, strong text and code', () => {
  const source = '## Is it **healthy**?\nIt `is`\nindeed.\n\n- one\n- two **three**\n\n#no heading';
  expect(renderMarkdown(source).replaceAll(/>\n(?=<|$)/g, '>')).toBe(
    '<h2>Is it <strong>healthy</strong>?</h2><p>It <code>is</code>\nindeed.</p>' +
      '<ul><li>one</li><li>two <strong>three</strong></li></ul><p>#no heading</p>',
  );
});

test('HTML, links and pictures stay text', () => {
  expect(renderMarkdown('<b onclick="x()">a</b> [link](javascript:x) ![p](q)')).toBe(
    '<p>&lt;b onclick=&quot;x()&quot;&gt;a&lt;/b&gt; [link](javascript:x) ![p](q)</p>\n',
  );
});

test('no letter is lost', () => {
  const pieces = fc.array(fc.constantFrom('a', 'b', 'z', '**', '`', '\n', '\n\n', '# ', '- ', ' '));
  fc.assert(
    fc.property(pieces, (parts) => {
      const source = parts.join('');
      const text = renderMarkdown(source).replaceAll(/<[^>]+>/g, '');
      expect(text.replaceAll(/[^a-z]/g, '')).toBe(source.replaceAll(/[^a-z]/g, ''));
    }),
  );
});
