import { type Column, kindsOf } from './column.ts';
import { type ExportEnd, type FileWriter, LINE_ENDS, type TextFormat } from './format.ts';
import { renderRows } from './render-rows.ts';

interface TextFile {
  readonly format: TextFormat;
  /** Columns of the list as its description has them. */
  readonly columns: readonly Column[];
  /** Whether rows come as JSON. @default as records */
  readonly isJson?: boolean;
  /** Whether the last line tells of the file. @default true */
  readonly hasTrailer?: boolean;
}

/**
 * A file of lines. Without a last line that tells of it, CSV without rows has the names of its fields all the same: an empty file is
 * an error to what reads tables.
 */
export function textFile({ format, columns, isJson = false, hasTrailer = true }: TextFile): FileWriter {
  const kinds = kindsOf(columns);
  let isNamed = false;
  return {
    rows(names, packs) {
      const text = renderRows(format, { names, packs, kinds, isJson }, !isNamed);
      isNamed ||= names.length > 0;
      return text;
    },
    end(end) {
      if (hasTrailer) return renderEnd(format, end);
      return format === 'csv' && !isNamed ? columns.map(({ name }) => name).join(',') + LINE_ENDS.csv : '';
    },
  };
}

/** The last line: an object `end` where each line is JSON, a comment in CSV. */
function renderEnd(format: TextFormat, end: ExportEnd): string {
  const line = format === 'ndjson' ? JSON.stringify({ end }) : `# ${JSON.stringify(end)}`;
  return line + LINE_ENDS[format];
}
