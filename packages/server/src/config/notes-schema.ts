import { z } from "zod";
import type { SourceNotes, TableNotes } from "../catalog/ports.js";
import { CATALOG_NOTE_LENGTH_MAX } from "../catalog/limits.js";
import { unknownKey } from "./unknown-key.js";

const note = z
  .string({ error: "must be a text" })
  .max(
    CATALOG_NOTE_LENGTH_MAX,
    `must not be longer than ${String(CATALOG_NOTE_LENGTH_MAX)} characters`,
  );

/** Notes about a table in the tools file. */
interface NotedTable {
  readonly description?: string;
  readonly columns?: Readonly<Record<string, string>>;
  readonly questions?: readonly string[];
}

const tableSchema: z.ZodType<NotedTable> = z.strictObject(
  {
    description: note.exactOptional(),
    columns: z.record(z.string(), note, { error: "must map columns to texts" }).exactOptional(),
    questions: z.array(note, { error: "must be a list of questions" }).exactOptional(),
  },
  { error: unknownKey(["description", "columns", "questions"]) },
);

/** Keys of a data source in the tools file that say what its tables hold. */
export const notesShape: {
  readonly description: z.ZodExactOptional<z.ZodString>;
  readonly tables: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodType<NotedTable>>>;
} = {
  description: note.exactOptional(),
  tables: z
    .record(z.string(), tableSchema, { error: "must map tables to what is said of them" })
    .exactOptional(),
};

/** An entry of `data_sources` with {@link notesShape}. */
export interface NotedSource {
  readonly name: string;
  readonly description?: string;
  readonly tables?: Readonly<Record<string, NotedTable>>;
}

/** Notes by owners, by data source. Names of tables and columns are in lower case. */
export function notesOf(sources: readonly NotedSource[]): ReadonlyMap<string, SourceNotes> {
  return new Map(
    sources.flatMap(({ name, description, tables = {} }) => {
      const noted = Object.entries(tables).map(
        ([table, said]) => [table.toLowerCase(), tableNotes(said)] as const,
      );
      if (description === undefined && noted.length === 0) return [];
      const said = {
        ...(description === undefined ? {} : { description }),
        tables: new Map(noted),
      };
      return [[name, said] as const];
    }),
  );
}

function tableNotes({ description, columns = {}, questions = [] }: NotedTable): TableNotes {
  const named = Object.entries(columns).map(([name, text]) => [name.toLowerCase(), text] as const);
  return {
    ...(description === undefined ? {} : { description }),
    columns: new Map(named),
    questions,
  };
}
