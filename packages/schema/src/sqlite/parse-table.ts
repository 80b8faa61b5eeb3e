import { isSign, isWord, type Token, tokensOf } from "../sql/sql-tokens.js";
import { splitByComma, TokenReader } from "../sql/token-reader.js";
import { spell } from "./expression.js";

/** A column definition of CREATE TABLE. */
export interface ParsedColumn {
  readonly name: string;
  readonly type: string;
  notNull?: { readonly name?: string; readonly conflict?: string };
  default?: string;
  collation?: string;
  generated?: { readonly expression: string; readonly storage: string };
}

/** A column or table constraint. */
export type ParsedConstraint =
  | (Named & {
      readonly kind: "primary" | "unique";
      readonly columns: readonly ParsedPart[];
      readonly conflict?: string;
      readonly isAutoincrement?: boolean;
    })
  | (Named & {
      readonly kind: "check";
      readonly expression: string;
      readonly conflict?: string;
      /** For a column constraint: the name of its column. */
      readonly statedAt?: string;
    })
  | (Named & {
      readonly kind: "foreign";
      readonly columns: readonly string[];
      readonly table: string;
      readonly targets: readonly string[];
      readonly onDelete?: string;
      readonly onUpdate?: string;
      readonly match?: string;
      readonly deferrable?: string;
    });

interface Named {
  readonly name?: string;
}

/** A column or expression in a key or an index. */
export interface ParsedPart {
  /** The column's name; absent for an expression. */
  readonly column?: string;
  readonly expression: string;
  readonly collation?: string;
  readonly isDescending: boolean;
}

/** A parsed CREATE TABLE statement. */
export interface ParsedTable {
  readonly columns: readonly ParsedColumn[];
  readonly constraints: readonly ParsedConstraint[];
  readonly isStrict: boolean;
  readonly isWithoutRowid: boolean;
}

/** Parses a CREATE TABLE statement that SQLite has accepted. */
export function parseTable(sql: string): ParsedTable {
  const reader = new TokenReader(tokensOf(sql));
  reader.until((token) => isSign(token, "("));
  const columns: ParsedColumn[] = [];
  const constraints: ParsedConstraint[] = [];
  for (const element of splitByComma(reader.parenthesized())) {
    const part = new TokenReader(element);
    if (!isWord(part.peek(), "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")) {
      columns.push(readColumn(part, constraints));
    }
    // SQLite allows omitting the comma between two table constraints.
    while (!part.isDone) readTableConstraint(part, constraints);
  }
  const options = reader.rest();
  return {
    columns,
    constraints,
    isStrict: options.some((token) => isWord(token, "STRICT")),
    isWithoutRowid: options.some((token) => isWord(token, "WITHOUT")),
  };
}

const COLUMN_CONSTRAINT = [
  ...["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE"],
  ...["REFERENCES", "GENERATED", "AS"],
];

function readColumn(reader: TokenReader, constraints: ParsedConstraint[]): ParsedColumn {
  const name = nameOf(reader.next());
  const type = spell(reader.until((token) => isWord(token, ...COLUMN_CONSTRAINT)));
  const column: ParsedColumn = { name, type };
  while (!reader.isDone) {
    const label = readLabel(reader);
    if (reader.takeWords("NOT", "NULL")) column.notNull = { ...label, ...readConflict(reader) };
    else if (reader.takeWords("NULL")) readConflict(reader);
    else if (reader.takeWords("DEFAULT")) column.default = readDefault(reader);
    else if (reader.takeWords("COLLATE")) column.collation = nameOf(reader.next());
    else if (reader.takeWords("GENERATED", "ALWAYS", "AS") || reader.takeWords("AS")) {
      column.generated = readGenerated(reader);
    } else constraints.push(readColumnConstraint(reader, name, label));
  }
  return column;
}

function readColumnConstraint(reader: TokenReader, name: string, label: Named): ParsedConstraint {
  if (reader.takeWords("CHECK")) return readCheck(reader, label, { statedAt: name });
  if (reader.takeWords("REFERENCES")) return readReference(reader, [name], label);
  const kind = reader.takeWords("PRIMARY", "KEY") ? "primary" : "unique";
  if (kind === "unique") reader.next();
  const isDescending = reader.takeOneOf("ASC", "DESC") === "DESC";
  const conflict = readConflict(reader);
  const isAutoincrement = reader.takeWords("AUTOINCREMENT");
  const columns = [{ column: name, expression: name, isDescending }];
  return { kind, columns, isAutoincrement, ...label, ...conflict };
}

function readTableConstraint(reader: TokenReader, constraints: ParsedConstraint[]): void {
  const label = readLabel(reader);
  if (reader.takeWords("CHECK")) constraints.push(readCheck(reader, label));
  else if (reader.takeWords("FOREIGN", "KEY")) {
    const columns = splitByComma(reader.parenthesized()).map(([name]) => nameOf(name));
    reader.takeWords("REFERENCES");
    constraints.push(readReference(reader, columns, label));
  } else {
    const kind = reader.takeWords("PRIMARY", "KEY") ? "primary" : "unique";
    if (kind === "unique") reader.next();
    const inside = reader.parenthesized();
    const isAutoincrement = inside.some((token) => isWord(token, "AUTOINCREMENT"));
    const columns = splitByComma(inside.filter((token) => !isWord(token, "AUTOINCREMENT"))).map(
      parsePart,
    );
    constraints.push({ kind, columns, isAutoincrement, ...label, ...readConflict(reader) });
  }
}

/** Parses a column or expression with its collation and sort order. */
export function parsePart(tokens: readonly Token[]): ParsedPart {
  const order = tokens.at(-1);
  const isOrdered = isWord(order, "ASC", "DESC");
  const ordered = isOrdered ? tokens.slice(0, -1) : tokens;
  const isCollated = isWord(ordered.at(-2), "COLLATE");
  const bare = isCollated ? ordered.slice(0, -2) : ordered;
  const [only] = bare;
  return {
    ...(bare.length === 1 && only !== undefined && only.type !== "number"
      ? { column: nameOf(only) }
      : {}),
    expression: spell(bare),
    ...(isCollated ? { collation: nameOf(ordered.at(-1)) } : {}),
    isDescending: isWord(order, "DESC"),
  };
}

function readLabel(reader: TokenReader): Named {
  return reader.takeWords("CONSTRAINT") ? { name: nameOf(reader.next()) } : {};
}

function readConflict(reader: TokenReader): { readonly conflict?: string } {
  if (!reader.takeWords("ON", "CONFLICT")) return {};
  const conflict = reader.next().text.toLowerCase();
  return conflict === "abort" ? {} : { conflict };
}

function readCheck(
  reader: TokenReader,
  label: Named,
  place: { readonly statedAt?: string } = {},
): ParsedConstraint {
  const expression = spell(reader.parenthesized());
  return { kind: "check", expression, ...place, ...label, ...readConflict(reader) };
}

function readDefault(reader: TokenReader): string {
  if (isSign(reader.peek(), "(")) return `(${spell(reader.parenthesized())})`;
  const first = reader.next();
  if (!isSign(first, "-") && !isSign(first, "+")) return spellDefault(first);
  return `${first.text}${reader.next().text}`;
}

/** SQLite treats a default that is a quoted name as a string. */
function spellDefault(token: Token): string {
  if (token.type === "name") return `'${token.value.replaceAll("'", "''")}'`;
  return token.type === "word" ? token.text.toUpperCase() : token.text;
}

function readGenerated(reader: TokenReader): {
  readonly expression: string;
  readonly storage: string;
} {
  const expression = spell(reader.parenthesized());
  const storage = reader.takeOneOf("STORED", "VIRTUAL")?.toLowerCase() ?? "virtual";
  return { expression, storage };
}

function readReference(
  reader: TokenReader,
  columns: readonly string[],
  label: Named,
): ParsedConstraint {
  const table = nameOf(reader.next());
  const targets = splitByComma(reader.parenthesized()).map(([name]) => nameOf(name));
  const rules: { onDelete?: string; onUpdate?: string; match?: string; deferrable?: string } = {};
  for (;;) {
    if (reader.takeWords("ON", "DELETE")) Object.assign(rules, action("onDelete", reader));
    else if (reader.takeWords("ON", "UPDATE")) Object.assign(rules, action("onUpdate", reader));
    else if (reader.takeWords("MATCH")) rules.match = reader.next().text.toLowerCase();
    else if (reader.takeWords("NOT", "DEFERRABLE")) readInitially(reader);
    else if (reader.takeWords("DEFERRABLE")) {
      // In SQLite, DEFERRABLE has an effect only with INITIALLY DEFERRED.
      if (readInitially(reader) === "DEFERRED") rules.deferrable = "deferred";
    } else break;
  }
  if (rules.match === "simple") delete rules.match;
  return { kind: "foreign", columns, table, targets, ...label, ...rules };
}

function readInitially(reader: TokenReader): string | undefined {
  return reader.takeWords("INITIALLY") ? reader.takeOneOf("DEFERRED", "IMMEDIATE") : undefined;
}

function action(rule: "onDelete" | "onUpdate", reader: TokenReader): object {
  const first = reader.next().text.toLowerCase();
  const what =
    first === "set" || first === "no" ? `${first} ${reader.next().text.toLowerCase()}` : first;
  return what === "no action" ? {} : { [rule]: what };
}

export function nameOf(token: Token | undefined): string {
  if (token === undefined) return "";
  return token.type === "string" ? token.text.slice(1, -1).replaceAll("''", "'") : token.value;
}
