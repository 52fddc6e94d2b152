type ArgumentType = 'string' | 'integer' | 'boolean' | 'array';

/** JSON Schema of one argument of a tool, as far as tools use it. */
export interface ArgumentSchema {
  readonly type: ArgumentType | readonly ArgumentType[];
  /** Empty where the instructions say it of all tools. */
  readonly description: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: object;
}

/** A tool that only reads, as an agent sees it. */
export interface Tool {
  /** Operation of the Data API, or method of JSON-RPC: the name in usage, too. */
  readonly name: string;
  /** Set of tools that it belongs to. */
  readonly toolset: string;
  readonly title: string;
  /** With its weight in compute units. */
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, ArgumentSchema>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
  /** What `structuredContent` has of a response: the value of a method, or an object with data and what goes with them. */
  readonly output: 'result' | 'data';
}

/** Arguments of a call, once they fit the schema of its tool. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The argument of every tool that belongs to a chain. */
export const CHAIN_ARGUMENT: ArgumentSchema = {
  type: 'string',
  description: '',
  maxLength: 63,
};
