import type { Attacker } from "./attacker.js";
import type { HostileRequest } from "./hostile-requests.js";

/** A statement whose reading costs more than its sender's work, if nothing limits it. */
interface HostileStatement {
  readonly name: string;
  readonly sql: string;
}

/** Bytes of the longest statements: a query template may have 64 KiB. */
const LONGEST = 65_000;
/** The length of texts that a server may still read at once, and of those that it reads elsewhere. */
const LENGTHS: readonly number[] = [1000, 4000, 8000, LONGEST];

/** A text of about this length: the head, as many units as fit, and the tail. */
function filled(length: number, head: string, unit: (n: number) => string, tail = ""): string {
  const parts = [head];
  for (let n = 0, left = length - head.length - tail.length; ; n += 1) {
    const part = unit(n);
    left -= part.length;
    if (left < 0) return parts.join("") + tail;
    parts.push(part);
  }
}

/** Something in the middle of equally many openings and endings. */
function nested(length: number, [head, open, middle, close]: readonly string[]): string {
  const rest = length - (head ?? "").length - (middle ?? "").length;
  const times = Math.floor(rest / ((open ?? "").length + (close ?? "").length));
  return `${head}${open?.repeat(times)}${middle}${close?.repeat(times)}`;
}

/** Every shape by its name. A mistake is at the end of reading: hints are made for the whole statement. */
const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  "a sum": (length) => filled(length, "SELECT 1", () => "+1"),
  "a difference": (length) => filled(length, "SELECT 1", () => "-1"),
  "a conjunction": (length) => filled(length, "SELECT n FROM filled WHERE n", () => " AND n"),
  negations: (length) => filled(length, "SELECT ", () => "NOT ", "1"),
  parentheses: (length) => nested(length, ["SELECT ", "(", "1", ")"]),
  "calls in calls": (length) => nested(length, ["SELECT ", "abs(", "1", ")"]),
  "queries in queries": (length) => nested(length, ["SELECT ", "(SELECT ", "1", ")"]),
  "queries in FROM": (length) =>
    nested(length, ["SELECT * FROM ", "(SELECT * FROM ", "filled", ") a"]),
  "queries in FROM with a mistake": (length) =>
    nested(length, ["SELECT nn FROM ", "(SELECT * FROM ", "filled", ") a"]),
  casts: (length) => nested(length, ["SELECT ", "CAST(", "1", " AS TEXT)"]),
  "cases in cases": (length) => nested(length, ["SELECT ", "CASE WHEN 1 THEN ", "1", " END"]),
  "a list": (length) => filled(length, "SELECT 1 WHERE 1 IN (1", () => ",1", ")"),
  "a list with a mistake": (length) =>
    filled(length, "SELECT nn FROM filled WHERE n IN (1", () => ",1", ")"),
  columns: (length) => filled(length, "SELECT n", () => ",filled.n", " FROM filled"),
  "columns with a mistake": (length) =>
    filled(length, "SELECT nn", () => ",filled.n", " FROM filled"),
  "unknown functions": (length) =>
    filled(length, "SELECT 1", (n) => `,lenght${n}(n)`, " FROM filled"),
  "a cross join": (length) => filled(length, "SELECT 1 FROM filled", (n) => `,filled a${n}`),
  "a cross join with a mistake": (length) =>
    filled(length, "SELECT nn FROM filled", (n) => `,filled a${n}`),
  joins: (length) =>
    filled(length, "SELECT 1 FROM filled a", (n) => ` JOIN filled b${n} ON b${n}.n=a.n`),
  "joins with a mistake": (length) =>
    filled(length, "SELECT a.nn FROM filled a", (n) => ` JOIN filled b${n} ON b${n}.n=a.n`),
  "joins by USING with a mistake": (length) =>
    filled(length, "SELECT nn FROM filled a", (n) => ` JOIN filled b${n} USING (nn)`),
  unions: (length) => filled(length, "SELECT 1", () => " UNION SELECT 1"),
  "unions with a mistake": (length) =>
    filled(length, "SELECT nn FROM filled", () => " UNION SELECT n FROM filled"),
  "chained expressions": (length) =>
    filled(
      length,
      "WITH a0 AS (SELECT n FROM filled)",
      (n) => `,a${n + 1} AS (SELECT * FROM a${n})`,
      " SELECT 1",
    ),
  "chained expressions with a mistake": (length) => chain(length, "*", "nn"),
  "doubled expressions with a mistake": (length) =>
    filled(
      length,
      "WITH a0 AS (SELECT n FROM filled)",
      (n) => `,a${n + 1} AS (SELECT x.*,y.* FROM a${n} x,a${n} y)`,
      " SELECT nn FROM a1",
    ),
  "expressions in expressions": (length) =>
    nested(length, ["", "WITH a AS (", "SELECT 1", ") SELECT nn FROM a"]),
  "aggregates with a mistake": (length) =>
    filled(length, "SELECT nn", () => ",count(n)", " FROM filled GROUP BY n"),
  "open aggregates": (length) => filled(length, "SELECT n", () => ",sum((n", " FROM filled"),
  "comparisons with a mistake": (length) =>
    filled(length, "SELECT 1 FROM filled WHERE nn=1", () => " OR n=n"),
  "comparisons of texts": (length) =>
    filled(length, "SELECT 1 FROM filled WHERE x='a'", (n) => ` OR x='b${n}'`),
  "a long name": (length) => `SELECT ${"n".repeat(length - 20)} FROM filled`,
  "a long table": (length) => `SELECT n FROM ${"filled".repeat(Math.floor((length - 14) / 6))}`,
  "two long names": (length) => {
    const half = Math.floor((length - 44) / 2);
    return `WITH ${"a".repeat(half)} AS (SELECT 1) SELECT * FROM ${"b".repeat(half)}`;
  },
  "a long column of an expression": (length) => {
    const half = Math.floor((length - 44) / 2);
    return `SELECT ${"b".repeat(half)} FROM (SELECT 1 AS ${"a".repeat(half)}) t`;
  },
  "many names": (length) => filled(length, "SELECT n", (n) => `,n${n}`, " FROM filled"),
  "many paths": (length) => filled(length, "SELECT n", () => ".n", " FROM filled"),
  "an unclosed text": (length) => filled(length, "SELECT 1", () => ",'", "'"),
  "quotes between letters": (length) => filled(length, "SELECT 'a", () => "'a"),
  "unclosed comments": (length) => filled(length, "SELECT 1", () => "/*"),
  "unclosed parentheses": (length) => filled(length, "SELECT ", () => "("),
  "dollar quotes": (length) => filled(length, "SELECT ", (n) => `$a${n}$`),
  "a misspelt keyword at the end": (length) =>
    filled(length, "SELECT n FORM filled WHRE 1", () => "+1", " GRUOP BY n"),
  "words of another dialect": (length) =>
    filled(length, "SELECT 1", () => ",TOP 1 DATEADD(day,1", " FROM filled"),
  blanks: (length) => `SELECT${" ".repeat(length - 20)}nn FROM filled`,
  lines: (length) => filled(length, "SELECT", () => "\n", "1 FORM filled"),
  placeholders: (length) => filled(length, "SELECT 1", () => ",{{a.output}}"),
  "broken placeholders": (length) => filled(length, "SELECT 1", () => ",{{", "}}"),
  "alternating braces": (length) => filled(length, "SELECT 1", () => "}}{{"),
};

/** Common table expressions, each of which selects from the one before. */
function chain(length: number, item: string, last: string): string {
  const links = Math.floor((length - 70) / `,a999 AS (SELECT ${item} FROM a998)`.length);
  const middle = Array.from(
    { length: links },
    (_, n) => `,a${n + 1} AS (SELECT ${item} FROM a${n})`,
  );
  return `WITH a0 AS (SELECT * FROM filled)${middle.join("")} SELECT ${last} FROM a${links}`;
}

/** Texts of names, in letters; a name is compared with others where it is unknown. */
const NAME_LENGTHS: readonly number[] = [16_000, 30_000];

/**
 * The statements of which each is cheap to send and, without limits, costly to read, to classify, to
 * describe, or to make hints for. They are about the table `filled (n, x)`.
 */
const HOSTILE_STATEMENTS: readonly HostileStatement[] = [
  ...LENGTHS.flatMap((length) =>
    Object.entries(SHAPES).map(([name, make]) => ({
      name: `${name}, ${length} characters`,
      sql: make(length),
    })),
  ),
  ...NAME_LENGTHS.map((letters) => ({
    name: `two names of ${letters} letters`,
    sql: `WITH ${"a".repeat(letters)} AS (SELECT 1) SELECT * FROM ${"b".repeat(letters)}`,
  })),
];

/** The texts of each shape, of all lengths. */
export function statementShapes(): readonly (readonly [name: string, texts: readonly string[]])[] {
  return Object.entries(SHAPES).map(([name, make]) => [
    name,
    LENGTHS.map((length) => make(length)),
  ]);
}

/** How often a statement is sent, and by how many connections: a server limits those. */
const [MANY, SENDERS] = [1000, 100];

/** Statements that harm by their number; each text differs, so that no cache answers. */
const BY_THE_THOUSAND: readonly string[] = [
  "a sum, 1000 characters",
  "unknown functions, 1000 characters",
  "chained expressions with a mistake, 4000 characters",
  "joins with a mistake, 1000 characters",
  "a misspelt keyword at the end, 1000 characters",
];

/** The statements as requests over REST: each alone, and some by the thousand at once. */
export function statementRequests(): readonly HostileRequest[] {
  const alone = HOSTILE_STATEMENTS.map(({ name, sql }) => ({
    name: `statement: ${name}`,
    send: (attacker: Attacker) => attacker.run(sql),
  }));
  const many = HOSTILE_STATEMENTS.filter(({ name }) => BY_THE_THOUSAND.includes(name));
  return [
    ...alone,
    ...many.map(({ name, sql }) => ({
      name: `${MANY} statements at once: ${name}`,
      isLong: true,
      send: async (attacker: Attacker) => {
        const senders = Array.from({ length: SENDERS }, async (_, sender) => {
          let answer = await attacker.run(`${sql} -- ${sender}`);
          for (let n = sender + SENDERS; n < MANY; n += SENDERS) {
            answer = await attacker.run(`${sql} -- ${n}`);
          }
          return answer;
        });
        const answers = await Promise.all(senders);
        return answers.find(({ status }) => status >= 500) ?? { status: 200, error: "", code: "" };
      },
    })),
  ];
}
