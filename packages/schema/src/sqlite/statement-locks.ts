import type { TableLock } from "../scripts/locks.js";
import { tokensOf } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";

/** The locks of a planned statement. Every write takes RESERVED on the whole file. */
export function sqliteLocks(sql: string): readonly TableLock[] {
  const reader = new TokenReader(tokensOf(sql));
  const reserved = (holdsWhile: TableLock["holdsWhile"], table = ""): readonly TableLock[] => [
    { table, mode: "RESERVED", holdsWhile },
  ];
  if (reader.takeWords("INSERT")) {
    reader.until((token) => token.text.toUpperCase() === "FROM");
    reader.next();
    return reserved("rewrite", reader.next().value);
  }
  if (reader.takeWords("ALTER", "TABLE")) {
    const table = reader.next().value;
    if (reader.takeWords("DROP", "COLUMN")) return reserved("rewrite", table);
    if (!reader.takeWords("ADD", "COLUMN")) return reserved("instant", table);
    const isTested = reader.rest().some((token) => /^(CHECK|AS)$/i.test(token.text));
    return reserved(isTested ? "scan" : "instant", table);
  }
  if (reader.takeWords("CREATE", "UNIQUE", "INDEX") || reader.takeWords("CREATE", "INDEX")) {
    reader.until((token) => token.text.toUpperCase() === "ON");
    reader.next();
    return reserved("scan", reader.next().value);
  }
  if (reader.takeWords("DROP", "TABLE")) return reserved("instant", reader.next().value);
  return [];
}
