import { AppError } from "@steward/kernel/errors.js";
import { SCHEMA_BYTES_MAX } from "../limits.js";
import { hintsIn } from "./definitions.js";
import type { PlacedHint } from "../changes/hint-effects.js";
import type { Dialect } from "../model/schema.js";
import { extensionStatement } from "./extension-versions.js";
import { judgePostgres, judgePsqlCommand, withoutData } from "./postgres-definitions.js";
import { rolesIn } from "./roles.js";
import { NATIVE_LANGUAGES, routineText } from "../sql/routine-text.js";
import { judgeSqlite, judgeSqliteCommand } from "./sqlite-definitions.js";
import { type Piece, piecesOf, shown } from "./statement-reader.js";
import type { Verdict } from "./verdict.js";

/** One file of a wanted schema. */
export interface SqlFile {
  /** The file's name, for messages. */
  readonly name: string;
  readonly sql: string;
}

/** A wanted schema as SQL: one text, or files in the order in which they are read. */
export type WantedSql = string | readonly SqlFile[];

/** A position in a wanted schema: `orders.sql, line 12`. */
export type Place = string;

/** A statement that is safe to run in a scratch database. */
export interface Definition {
  readonly sql: string;
  readonly place: Place;
}

/**
 * The content of a wanted schema. None of its statements reads or writes rows, or connects to
 * anything outside the database.
 */
export interface Definitions {
  readonly statements: readonly Definition[];
  /** Rename hints from comments. */
  readonly hints: readonly PlacedHint[];
  /** Roles named in the schema, each with its first position. */
  readonly roles: ReadonlyMap<string, Place>;
  /** Extensions without an explicit version. */
  readonly unversioned: ReadonlySet<string>;
  /** Extensions that are created, each with its position. */
  readonly extensions: ReadonlyMap<string, Place>;
  /** Functions in machine code. */
  readonly nativeFunctions: readonly Place[];
  /** Definitions of unmanaged objects, which must exist already and stay unchanged. */
  readonly unmanaged: readonly UnmanagedDefinition[];
}

/** The definition of an unmanaged object. */
export interface UnmanagedDefinition {
  /** `event trigger`. */
  readonly sort: string;
  readonly name: string;
  readonly place: Place;
}

/** How long parsing may block the event loop, in ms. */
const SLICE_MS = 10;

/**
 * Parses a wanted schema, hand-written or dumped by pg_dump or sqlite3. It may contain definitions
 * only: a statement that reads or writes rows, or connects to anything outside the database, is
 * refused. A long text is parsed in slices.
 * @throws AppError `INVALID_ARGUMENT`, naming the first refused statement and its line;
 * `LIMIT_EXCEEDED`.
 */
export async function readDefinitions(sql: WantedSql, dialect: Dialect): Promise<Definitions> {
  const files = typeof sql === "string" ? [{ name: "", sql }] : sql;
  refuseTooLarge(files);
  const read = new DefinitionsReader(dialect);
  let sliceEndsAt = performance.now() + SLICE_MS;
  for (const [index, file] of files.entries()) {
    read.beginFile(file.name, index);
    const pieces = piecesOf(file.sql, dialect);
    for (;;) {
      const next = atPlace(file.name, () => pieces.next());
      if (next.done === true) break;
      if (next.value !== undefined) read.add(next.value, file.name);
      if (performance.now() < sliceEndsAt) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceEndsAt = performance.now() + SLICE_MS;
    }
  }
  return read;
}

class DefinitionsReader implements Definitions {
  readonly statements: Definition[] = [];
  readonly hints: PlacedHint[] = [];
  readonly roles = new Map<string, Place>();
  readonly unversioned = new Set<string>();
  readonly extensions = new Map<string, Place>();
  readonly nativeFunctions: Place[] = [];
  readonly unmanaged: UnmanagedDefinition[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Settings made by one file do not apply to the next. */
  beginFile(name: string, index: number): void {
    if (index === 0 || this.#dialect === "sqlite") return;
    this.statements.push({ sql: "SET search_path = public", place: placeOf(name, 1) });
  }

  add(piece: Piece, file: string): void {
    const place = placeOf(file, piece.line);
    const verdict = this.#judge(piece);
    if (verdict.is !== "refused") this.#addHints(piece, place);
    if (verdict.is === "skipped") return;
    if (verdict.is === "refused") throw refusedAt(place, verdict.reason, piece.text);
    if (verdict.is === "unmanaged") {
      this.unmanaged.push({ sort: verdict.sort, name: verdict.name, place });
      return;
    }
    const isPostgres = this.#dialect === "postgres";
    const sql = isPostgres ? withoutData(verdict.sql, piece.tokens) : verdict.sql;
    this.statements.push({ sql, place });
    if (!isPostgres) return;
    this.#addExtension(piece, place);
    if (NATIVE_LANGUAGES.includes(routineText(sql)?.language ?? "")) {
      this.nativeFunctions.push(place);
    }
    for (const role of rolesIn(piece.tokens)) {
      if (!this.roles.has(role)) this.roles.set(role, place);
    }
  }

  #addHints({ tokens }: Piece, place: Place): void {
    try {
      this.hints.push(...hintsIn(tokens, this.#dialect).map((hint) => ({ ...hint, place })));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(error.code, `${place}: ${error.message}`);
    }
  }

  #addExtension({ tokens }: Piece, place: Place): void {
    const extension = extensionStatement(tokens);
    if (extension === undefined) return;
    if (extension.isCreated) this.extensions.set(extension.name, place);
    if (extension.saysVersion) this.unversioned.delete(extension.name);
    else if (extension.isCreated) this.unversioned.add(extension.name);
  }

  #judge({ is, text, tokens }: Piece): Verdict {
    if (this.#dialect === "postgres") {
      return is === "command" ? judgePsqlCommand(text) : judgePostgres(text, tokens);
    }
    return is === "command" ? judgeSqliteCommand() : judgeSqlite(text, tokens);
  }
}

function placeOf(file: string, line: number): Place {
  return file === "" ? `line ${String(line)}` : `${file}, line ${String(line)}`;
}

function refusedAt(place: Place, reason: string, text: string): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `${place}: a schema is made of definitions only. ${reason} The statement: ${shown(text)}`,
  );
}

/** Adds the file's name to an error that only names the line. */
function atPlace<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (file === "" || !(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${file}, ${error.message}`);
  }
}

function refuseTooLarge(files: readonly SqlFile[]): void {
  const bytes = files.reduce((sum, { sql }) => sum + Buffer.byteLength(sql), 0);
  if (bytes > SCHEMA_BYTES_MAX) {
    const most = String(SCHEMA_BYTES_MAX / 1024 / 1024);
    throw new AppError(
      "LIMIT_EXCEEDED",
      `A wanted schema has ${most} MiB at most, and this one has ${(bytes / 1024 / 1024).toFixed(1)} MiB: ` +
        "leave out rows and what else is no definition (pg_dump --schema-only, sqlite3 FILE .schema)",
    );
  }
  for (const { name, sql } of files) {
    if (!sql.includes("\0")) continue;
    throw new AppError("INVALID_ARGUMENT", `${name === "" ? "The schema" : name} holds a NUL`);
  }
}
