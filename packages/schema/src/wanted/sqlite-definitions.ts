import { isSign, isWord, type Token } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";
import { refusedFor, SKIPPED, type Verdict } from "./verdict.js";

const SHELL = "sqlite3 FILE .schema writes the definitions alone";
const ROWS = refusedFor(`Rows are no part of a schema: ${SHELL}.`);
const VIRTUAL = refusedFor(
  `This is how .dump writes a virtual table, as a row of SQLite's own catalog: ${SHELL}.`,
);
const REASONS: ReadonlyMap<string, Verdict> = new Map([
  ["INSERT", ROWS],
  ["REPLACE", ROWS],
  ["UPDATE", ROWS],
  ["DELETE", ROWS],
  ["SELECT", refusedFor("A schema needs no query.")],
  ["WITH", refusedFor("A schema needs no query.")],
  [
    "DROP",
    refusedFor("What is not in a wanted schema is dropped, so nothing needs to be: leave it out."),
  ],
  ["ALTER", refusedFor("Write the definition as it is to be, with what this would alter.")],
  ["ROLLBACK", refusedFor("It ends a dump that has failed: write it anew.")],
  ["ATTACH", refusedFor("A schema is that of one database.")],
]);

/** Decides what to do with a SQLite statement. */
export function judgeSqlite(text: string, tokens: readonly Token[]): Verdict {
  const reader = new TokenReader(tokens);
  const verb = reader.next().text.toUpperCase();
  switch (verb) {
    case "PRAGMA":
    case "BEGIN":
    case "COMMIT":
    case "END":
    case "ANALYZE":
      return SKIPPED;
    case "CREATE":
      return judgeCreate(text, reader);
    case "INSERT":
    case "DELETE":
      return judgeRows(reader);
    default:
      return REASONS.get(verb) ?? refusedFor("This defines nothing.");
  }
}

/** Decides what to do with a command of the sqlite3 program. */
export function judgeSqliteCommand(): Verdict {
  return refusedFor(
    "Commands of the sqlite3 program are not run: write the definitions themselves.",
  );
}

function judgeCreate(text: string, reader: TokenReader): Verdict {
  if (isWord(reader.peek(), "TEMP", "TEMPORARY")) {
    return refusedFor("A temporary object is gone with its session, and no part of a schema.");
  }
  if (!reader.takeWords("TABLE")) return { is: "definition", sql: text };
  reader.takeWords("IF", "NOT", "EXISTS");
  if (isOwnTable(lastName(reader))) return SKIPPED;
  if (isSign(reader.peek(), "(")) return { is: "definition", sql: text };
  return refusedFor("CREATE TABLE … AS runs a query: write the columns that the table has.");
}

/** Skips writes to SQLite's own tables: AUTOINCREMENT's counters and ANALYZE's statistics. */
function judgeRows(reader: TokenReader): Verdict {
  reader.takeOneOf("INTO", "FROM");
  const table = lastName(reader);
  if (/^sqlite_(schema|master)$/i.test(table)) return VIRTUAL;
  return isOwnTable(table) ? SKIPPED : ROWS;
}

/** Whether SQLite creates the table itself and allows nobody else to. */
function isOwnTable(name: string): boolean {
  return /^sqlite_(sequence|stat\d)$/i.test(name);
}

/** The last part of the next qualified name. */
function lastName(reader: TokenReader): string {
  let name = reader.next();
  while (reader.takeSign(".")) name = reader.next();
  return name.type === "string" ? name.text.slice(1, -1) : name.value;
}
