import { isWord, type Token } from "../sql/sql-tokens.js";
import { TokenReader } from "../sql/token-reader.js";

/** Keywords that stand for a role. */
const NO_NAMES = ["PUBLIC", "CURRENT_USER", "CURRENT_ROLE", "SESSION_USER"];

/** The roles that a PostgreSQL definition names: owners, and grantees of GRANT and REVOKE. */
export function rolesIn(tokens: readonly Token[]): readonly string[] {
  const reader = new TokenReader(tokens);
  const verb = reader.takeOneOf("GRANT", "REVOKE", "CREATE", "ALTER");
  if (verb === "GRANT" || verb === "REVOKE") return granteesIn(reader);
  if (verb === "ALTER" && reader.takeWords("DEFAULT", "PRIVILEGES")) {
    const makers = reader.takeWords("FOR") ? listAfter(reader) : [];
    reader.until((token) => isWord(token, "GRANT", "REVOKE"));
    return [...makers, ...granteesIn(reader)];
  }
  if (verb === "CREATE" && reader.takeWords("SCHEMA")) {
    reader.until((token) => isWord(token, "AUTHORIZATION"));
    return listAfter(reader);
  }
  if (reader.takeWords("POLICY")) return granteesIn(reader);
  if (verb !== "ALTER") return [];
  reader.until((token) => isWord(token, "OWNER"));
  reader.takeWords("OWNER");
  return isWord(reader.peek(), "TO") ? listAfter(reader) : [];
}

function granteesIn(reader: TokenReader): readonly string[] {
  reader.until((token) => isWord(token, "TO", "FROM"));
  return listAfter(reader);
}

/** The names in the list after the next keyword; empty at the end. */
function listAfter(reader: TokenReader): readonly string[] {
  reader.next();
  const roles: string[] = [];
  do {
    reader.takeOneOf("GROUP");
    const token = reader.next();
    if (token.type === "name") roles.push(token.value);
    if (token.type === "word" && !isWord(token, ...NO_NAMES)) roles.push(token.value.toLowerCase());
  } while (!reader.isDone && reader.takeSign(","));
  return roles;
}
