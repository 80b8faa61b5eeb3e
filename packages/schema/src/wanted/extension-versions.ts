import { Schema } from "../model/schema.js";
import { isWord, type Token } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";

/** A parsed CREATE EXTENSION or ALTER EXTENSION. */
export interface ExtensionStatement {
  readonly name: string;
  readonly isCreated: boolean;
  readonly saysVersion: boolean;
}

/** Parses CREATE EXTENSION and ALTER EXTENSION; undefined for other statements. */
export function extensionStatement(tokens: readonly Token[]): ExtensionStatement | undefined {
  const reader = new TokenReader(tokens);
  const verb = reader.takeOneOf("CREATE", "ALTER");
  if (verb === undefined || !reader.takeWords("EXTENSION")) return undefined;
  reader.takeWords("IF", "NOT", "EXISTS");
  const { type, value } = reader.next();
  const word = verb === "CREATE" ? "VERSION" : "UPDATE";
  return {
    name: type === "word" ? value.toLowerCase() : value,
    isCreated: verb === "CREATE",
    saysVersion: reader.rest().some((token) => isWord(token, word)),
  };
}

/**
 * A wanted schema in which extensions without an explicit version have the installed version.
 * pg_dump writes no versions, and a scratch database would get the server's newest.
 */
export function withVersionsOf(
  base: Schema,
  wanted: Schema,
  unversioned: ReadonlySet<string>,
): Schema {
  if (unversioned.size === 0) return wanted;
  return new Schema(
    wanted.objects.map((object) => {
      if (object.kind !== "Extension" || !unversioned.has(object.name)) return object;
      const version = base.find(object.id)?.values.version;
      return version === undefined ? object : { ...object, values: { ...object.values, version } };
    }),
  );
}
