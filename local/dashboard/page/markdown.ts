import { Marked } from 'marked';
import { escapeHtml } from '../../../docs/site/html.ts';

const MARKED = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link: ({ raw }) => escapeHtml(raw),
    image: ({ raw }) => escapeHtml(raw),
    heading({ depth, tokens }) {
      const name = depth <= 2 ? 'h2' : 'h3';
      return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
    },
  },
});

/** The HTML of the Markdown of a text widget. HTML, links and pictures in it stay text. */
export function renderMarkdown(markdown: string): string {
  return MARKED.parse(markdown, { async: false });
}
