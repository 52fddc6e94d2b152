import fc from 'fast-check';
import { layOut } from '../../docs/site/assets/request-samples.ts';
import { escapeHtml, html } from '../../docs/site/html.ts';
import { renderInline, renderPageMarkdown, sectionOf } from '../../docs/site/markdown.ts';

describe('html', () => {
  test('escapes texts, whatever they are, and no piece of HTML twice', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { text: once } = html`<p title="${text}">${text}</p>`;
        expect(once).toBe(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`);
        expect(escapeHtml(text)).not.toMatch(/[<>"']/);
        expect(html`${html`<b>${text}</b>`}`.text).toBe(`<b>${escapeHtml(text)}</b>`);
      }),
    );
  });
});

describe('Markdown', () => {
  test('keeps all text and lets no HTML through', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '<', '&', '`', '*', '[', ']', '(', ')', ' ') }),
        (text) => {
          const { text: rendered } = renderInline(text);
          expect(rendered.replace(/<\/?(?:code|strong|em|a|br)\b[^>]*>/g, '')).not.toMatch(/[<>]/);
        },
      ),
    );
  });

  test('renders paragraphs, lists, tables and links', () => {
    expect(renderPageMarkdown('One\ntwo `a < b`.').text).toBe('<p>One\ntwo <code>a &lt; b</code>.</p>\n');
    expect(renderPageMarkdown('- one\n- **two**').text).toBe(
      '<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul>\n',
    );
    expect(renderPageMarkdown('| a | |\n| --- | --- |\n| `x\\|y` | z |').text).toContain(
      '<tr><td><code>x|y</code></td><td>z</td></tr>',
    );
    expect(renderPageMarkdown('<b>no</b>\n\n![x](y) [go](javascript:x)').text).toBe(
      '<p>&lt;b&gt;no&lt;/b&gt;</p>\n<p>x go</p>\n',
    );
    expect(renderInline('[keys](keys.md)').text).toBe('<a href="keys.html">keys</a>');
    expect(renderInline('see [it](json-rpc.md) and [that](adr/001.md)').text).toBe(
      'see <a href="json-rpc.html">it</a> and that',
    );
  });

  test('finds a section, or says which one is missing', () => {
    expect(sectionOf('# T\n\n## A\n\none\n\n## B\n\ntwo\n', 'A')).toBe('one');
    expect(() => sectionOf('# T\n', 'A')).toThrow('there is no section "A"');
  });
});

test('JSON is laid out without changing it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(layOut(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
