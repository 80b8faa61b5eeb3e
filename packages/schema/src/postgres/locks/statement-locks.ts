import type { LockMode, TableLock } from "../../scripts/locks.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { isSign, isWord, tokensOf } from "../../sql/sql-tokens.js";
import { TokenReader } from "../../sql/token-reader.js";
import { conversionOf } from "../types/conversions.js";
import { needsOf } from "../objects/dependency-order.js";
import { RelationNames } from "./relation-names.js";
import { columnType } from "../types/type-name.js";
import { isVolatile } from "./volatility.js";

type Work = TableLock["holdsWhile"];
/** The locks on the tables that an action names. */
type Taken = readonly TableLock[];

/**
 * The locks that a script's statements take, according to the chapter on each command (PostgreSQL,
 * "SQL Commands"). Statements must be passed in order, because a constraint that one statement has
 * validated lets a later one skip the scan.
 */
export class PostgresLocks {
  readonly #base: PostgresSchema;
  readonly #target: PostgresSchema;
  readonly #names: RelationNames;
  /** Validated CHECK constraints, each as table and name. */
  readonly #validated = new Set<string>();

  constructor(base: PostgresSchema, target: PostgresSchema) {
    this.#base = base;
    this.#target = target;
    this.#names = new RelationNames(base, target);
  }

  /** The locks of the next statement; none when it locks no table. */
  of(sql: string): Taken {
    const reader = new TokenReader(tokensOf(sql, "postgres"));
    const verb = reader.takeOneOf(
      "ALTER",
      "CREATE",
      "DROP",
      "COMMENT",
      "SELECT",
      "LOCK",
      "REFRESH",
      "DO",
    );
    switch (verb) {
      case "ALTER":
        return this.#alter(reader);
      case "CREATE":
        return this.#create(reader);
      case "DROP":
        return this.#drop(reader);
      case "COMMENT":
        return this.#comment(reader);
      case "DO":
        return this.#do(sql);
      case "LOCK":
        reader.takeWords("TABLE");
        // The following check scans the rows while the lock is held.
        return [exclusive(readName(reader), "scan")];
      case "SELECT":
        reader.until((token) => isWord(token, "FROM"));
        return reader.takeWords("FROM") ? [lock(readName(reader), "ACCESS SHARE", "scan")] : [];
      default:
        return [];
    }
  }

  /**
   * The names of a key's internal triggers are only known to a query, so the locks cover both
   * tables of the key.
   */
  #do(sql: string): Taken {
    const [, key] = /k\.conrelid = '(.*?)'::regclass/s.exec(sql) ?? [];
    const [, name] = /k\.conname = '(.*?)'/s.exec(sql) ?? [];
    if (key === undefined || name === undefined) return [];
    const table = readName(new TokenReader(tokensOf(key, "postgres")));
    const constraint = this.#names.partOf(table, name, "ForeignKey");
    return [table, ...this.#pointedAt(constraint)].map((each) => lock(each, "SHARE ROW EXCLUSIVE"));
  }

  #alter(reader: TokenReader): Taken {
    if (reader.takeWords("DOMAIN")) return this.#alterDomain(reader);
    if (reader.takeWords("TABLE") || reader.takeWords("FOREIGN", "TABLE")) {
      return this.#alterTable(readName(reader), reader);
    }
    if (reader.takeWords("MATERIALIZED", "VIEW") || reader.takeWords("VIEW")) {
      const name = readName(reader);
      return [exclusive(name, reader.takeWords("SET", "ACCESS", "METHOD") ? "rewrite" : "instant")];
    }
    if (reader.takeOneOf("TRIGGER", "POLICY", "RULE") === undefined) return [];
    return [exclusive(nameAfter(reader, "ON"))];
  }

  #alterTable(table: string, reader: TokenReader): Taken {
    if (reader.takeWords("ADD", "COLUMN")) {
      return [exclusive(table, this.#addition(table, reader.next().value))];
    }
    if (reader.takeWords("ADD", "CONSTRAINT")) {
      reader.next();
      return this.#addConstraint(table, reader);
    }
    if (reader.takeWords("VALIDATE", "CONSTRAINT")) {
      return this.#validate(table, reader.next().value);
    }
    if (reader.takeWords("DROP", "CONSTRAINT")) {
      const constraint = this.#names.partOf(table, reader.next().value, "ForeignKey");
      return [exclusive(table), ...this.#pointedAt(constraint).map((each) => exclusive(each))];
    }
    if (reader.takeWords("ALTER", "COLUMN")) {
      return [this.#alterColumn(table, reader.next().value, reader)];
    }
    if (reader.takeWords("SET", "LOGGED") || reader.takeWords("SET", "UNLOGGED")) {
      return [exclusive(table, "rewrite")];
    }
    if (reader.takeWords("SET", "ACCESS", "METHOD")) return [exclusive(table, "rewrite")];
    if (reader.takeWords("ATTACH", "PARTITION")) {
      const partition = exclusive(readName(reader), "scan");
      return [lock(table, "SHARE UPDATE EXCLUSIVE"), partition, ...this.#defaultOf(table, "scan")];
    }
    if (reader.takeWords("DETACH", "PARTITION")) {
      const partition = exclusive(readName(reader));
      return [exclusive(table), partition, ...this.#defaultOf(table, "instant")];
    }
    if (isTriggerSwitch(reader)) return [lock(table, "SHARE ROW EXCLUSIVE")];
    const isLight =
      (isWord(reader.peek(), "SET", "RESET") && isSign(reader.peek(1), "(")) ||
      reader.takeWords("CLUSTER", "ON") ||
      reader.takeWords("SET", "WITHOUT", "CLUSTER");
    return [isLight ? lock(table, "SHARE UPDATE EXCLUSIVE") : exclusive(table)];
  }

  /** What ADD COLUMN does with existing rows. */
  #addition(table: string, name: string): Work {
    const column = this.#names.partOf(table, name, "Column");
    if (column === undefined) return "rewrite";
    const { values } = column;
    const preset = values.default;
    const type = columnType(this.#target, values.type);
    const isWritten =
      values.identity !== undefined ||
      values.storage === "stored" ||
      type.isConstrained ||
      (preset !== undefined && isVolatile(preset));
    if (isWritten) return "rewrite";
    return values.notNull === true && preset === undefined ? "scan" : "instant";
  }

  #addConstraint(table: string, reader: TokenReader): Taken {
    const words = reader.rest();
    const using = words.findIndex((token) => isWord(token, "USING"));
    const isBuilt = isWord(words[using + 1], "INDEX");
    const isUnchecked = isWord(words.at(-2), "NOT") && isWord(words.at(-1), "VALID", "ENFORCED");
    const work = isUnchecked || isBuilt ? "instant" : "scan";
    if (!isWord(words[0], "FOREIGN")) return [exclusive(table, work)];
    const after = new TokenReader(words);
    const other = nameAfter(after, "REFERENCES");
    return [lock(table, "SHARE ROW EXCLUSIVE", work), lock(other, "SHARE ROW EXCLUSIVE")];
  }

  #validate(table: string, name: string): Taken {
    this.#validated.add(`${table} ${name}`);
    const constraint = this.#names.partOf(table, name, "ForeignKey");
    return [
      lock(table, "SHARE UPDATE EXCLUSIVE", "scan"),
      ...this.#pointedAt(constraint).map((each) => lock(each, "ROW SHARE", "scan")),
    ];
  }

  #alterColumn(table: string, name: string, reader: TokenReader): TableLock {
    if (reader.takeWords("TYPE")) return exclusive(table, this.#retyping(table, name));
    if (reader.takeWords("SET", "NOT", "NULL")) {
      const check = `_steward_not_null_${name}`.slice(0, 63);
      return exclusive(table, this.#validated.has(`${table} ${check}`) ? "instant" : "scan");
    }
    const isLight =
      reader.takeWords("SET", "STATISTICS") ||
      (isWord(reader.peek(), "SET", "RESET") && isSign(reader.peek(1), "("));
    return isLight ? lock(table, "SHARE UPDATE EXCLUSIVE") : exclusive(table);
  }

  #retyping(table: string, name: string): Work {
    const now = this.#names.partOf(table, name, "Column");
    const old = now === undefined ? undefined : this.#base.find(now.id);
    if (now === undefined || old?.kind !== "Column") return "rewrite";
    const [before, after] = [old.values.type, now.values.type];
    const isCollated = old.values.collation !== now.values.collation;
    if (before === after) return isCollated ? "scan" : "rewrite";
    const from = columnType(this.#base, before);
    const { isInPlace = false } = conversionOf(from, columnType(this.#target, after));
    if (!isInPlace) return "rewrite";
    // The column's indexes are rebuilt.
    return isCollated ? "scan" : "instant";
  }

  /** Scans every table with a column of the domain. */
  #alterDomain(reader: TokenReader): Taken {
    const domain = this.#names.domain(readName(reader));
    const words = reader.rest();
    const isUnchecked = isWord(words.at(-2), "NOT") && isWord(words.at(-1), "VALID");
    const isChecking =
      isWord(words[0], "ADD", "VALIDATE") || (isWord(words[0], "SET") && isWord(words[1], "NOT"));
    if (domain === undefined || !isChecking || isUnchecked) return [];
    const tables = this.#base
      .all("Column")
      .filter((column) => needsOf(column).includes(domain.id))
      .map(({ parent }) => this.#names.nameOf(parent));
    return [...new Set(tables)].map((table) => lock(table, "SHARE", "scan"));
  }

  #create(reader: TokenReader): Taken {
    reader.takeWords("OR", "REPLACE");
    const isUnique = reader.takeWords("UNIQUE");
    if (isUnique || isWord(reader.peek(), "INDEX")) return createIndex(reader);
    if (reader.takeWords("UNLOGGED") || isWord(reader.peek(), "TABLE", "FOREIGN")) {
      return this.#createTable(reader);
    }
    reader.takeWords("CONSTRAINT");
    const kind = reader.takeOneOf("TRIGGER", "POLICY", "RULE", "STATISTICS", "MATERIALIZED");
    switch (kind) {
      case "TRIGGER":
        return [lock(nameAfter(reader, "ON"), "SHARE ROW EXCLUSIVE")];
      case "POLICY":
        return [exclusive(nameAfter(reader, "ON"))];
      case "RULE":
        return [exclusive(nameAfter(reader, "TO"))];
      case "STATISTICS":
        return [lock(nameAfter(reader, "FROM"), "SHARE UPDATE EXCLUSIVE")];
      case "MATERIALIZED":
        reader.takeWords("VIEW");
        return [exclusive(readName(reader), "rewrite")];
      default:
        return [];
    }
  }

  #createTable(reader: TokenReader): Taken {
    reader.takeWords("FOREIGN");
    reader.takeWords("TABLE");
    const own = exclusive(readName(reader));
    if (reader.takeWords("PARTITION", "OF")) {
      const parent = readName(reader);
      return [own, exclusive(parent), ...this.#defaultOf(parent, "scan")];
    }
    reader.parenthesized();
    if (!reader.takeWords("INHERITS")) return [own];
    const parents = new TokenReader(reader.parenthesized());
    const locks = [own];
    while (!parents.isDone) {
      locks.push(lock(readName(parents), "SHARE UPDATE EXCLUSIVE"));
      parents.takeSign(",");
    }
    return locks;
  }

  /** Locks the default partition, which is scanned for rows that belong to the new partition. */
  #defaultOf(parent: string, work: Work): Taken {
    return this.#names
      .partitionsOf(parent)
      .filter(({ values }) => values.partitionBound?.toUpperCase() === "DEFAULT")
      .map(({ id }) => exclusive(this.#names.nameOf(id), work));
  }

  #drop(reader: TokenReader): Taken {
    const kind = reader.takeOneOf(
      "INDEX",
      "TABLE",
      "FOREIGN",
      "VIEW",
      "MATERIALIZED",
      "TRIGGER",
      "POLICY",
      "RULE",
    );
    switch (kind) {
      case "INDEX": {
        const isConcurrent = reader.takeWords("CONCURRENTLY");
        const table = this.#names.tableOfIndex(readName(reader));
        return table === undefined
          ? []
          : [isConcurrent ? lock(table, "SHARE UPDATE EXCLUSIVE") : exclusive(table)];
      }
      case "FOREIGN":
      case "MATERIALIZED":
        reader.next();
        return [exclusive(readName(reader))];
      case "TABLE":
        return this.#dropTable(readName(reader));
      case "VIEW":
        return [exclusive(readName(reader))];
      case undefined:
        return [];
      default:
        return [exclusive(nameAfter(reader, "ON"))];
    }
  }

  #dropTable(name: string): Taken {
    const table = this.#names.relation(name);
    const keys = table === undefined ? [] : this.#base.partsOf(table.id, "ForeignKey");
    const pointedAt = keys.flatMap((key) => this.#pointedAt(key));
    const partitions = this.#names.partitionsOf(name).map(({ id }) => this.#names.nameOf(id));
    return [name, ...new Set([...pointedAt, ...partitions])].map((each) => exclusive(each));
  }

  #comment(reader: TokenReader): Taken {
    reader.takeWords("ON");
    const kind = reader.takeOneOf("TABLE", "COLUMN", "CONSTRAINT", "TRIGGER", "POLICY", "RULE");
    if (kind === "TABLE") return [lock(readName(reader), "SHARE UPDATE EXCLUSIVE")];
    if (kind === "COLUMN") {
      const name = readName(reader);
      return [lock(name.slice(0, name.lastIndexOf(".")), "SHARE UPDATE EXCLUSIVE")];
    }
    if (kind === undefined) return [];
    reader.until((token) => isWord(token, "ON"));
    reader.next();
    if (isWord(reader.peek(), "DOMAIN")) return [];
    return [lock(readName(reader), "SHARE UPDATE EXCLUSIVE")];
  }

  #pointedAt(key: PostgresObject | undefined): readonly string[] {
    const target = key === undefined ? undefined : key.values.target?.ref;
    return target === undefined ? [] : [this.#names.nameOf(target)];
  }
}

function createIndex(reader: TokenReader): Taken {
  reader.takeWords("INDEX");
  const isConcurrent = reader.takeWords("CONCURRENTLY");
  reader.until((token) => isWord(token, "ON"));
  reader.next();
  reader.takeWords("ONLY");
  return [lock(readName(reader), isConcurrent ? "SHARE UPDATE EXCLUSIVE" : "SHARE", "scan")];
}

function isTriggerSwitch(reader: TokenReader): boolean {
  if (!isWord(reader.peek(), "ENABLE", "DISABLE")) return false;
  return [1, 2].some((ahead) => isWord(reader.peek(ahead), "TRIGGER"));
}

function exclusive(table: string, work: Work = "instant"): TableLock {
  return lock(table, "ACCESS EXCLUSIVE", work);
}

function lock(table: string, mode: LockMode, holdsWhile: Work = "instant"): TableLock {
  return { table, mode, holdsWhile };
}

/** A qualified name without quotes, joined by dots. */
function readName(reader: TokenReader): string {
  const parts = [reader.next().value];
  while (reader.takeSign(".")) parts.push(reader.next().value);
  return parts.join(".");
}

function nameAfter(reader: TokenReader, word: string): string {
  reader.until((token) => isWord(token, word));
  reader.next();
  return readName(reader);
}
