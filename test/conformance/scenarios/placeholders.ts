import { expect } from "vitest";
import { rowsOf } from "../expectations.js";
import { scenario, scenarioIn, step, type Scenario, type World } from "../scenario.js";

/** Texts that would change a statement if they were pasted into it. */
const HOSTILE = ["'; DROP TABLE orders; --", "' OR '1'='1", '"', "\\", "{{step.a.output}}"];

/** Executes `a`, then `b` whose template uses it. @returns the rows of `b`. */
async function through({ client }: World, a: string, b: string) {
  const { plan_id } = await client.submit({
    steps: [step("a", a), step("b", b, { depends_on: ["a"] })],
  });
  await rowsOf(client, plan_id, "a");
  return rowsOf(client, plan_id, "b");
}

const THREE = "SELECT 1 AS id, 'x' AS name UNION ALL SELECT 2, 'y' UNION ALL SELECT 3, 'z'";

export const placeholders: readonly Scenario[] = [
  scenarioIn(
    "PostgreSQL",
    ["D5-whole"],
    "a whole output is one JSON array for jsonb_to_recordset",
    async (world) => {
      const rows = await through(
        world,
        THREE,
        "SELECT r.name FROM jsonb_to_recordset({{step.a.output}}) AS r (id int, name text) WHERE r.id > 1",
      );
      expect(rows).toEqual([{ name: "y" }, { name: "z" }]);
    },
  ),
  scenarioIn(
    "SQLite",
    ["C2.2-placeholder", "D5-whole"],
    "a whole output is one JSON array for json_each",
    async (world) => {
      const rows = await through(
        world,
        THREE,
        "SELECT json_extract(value, '$.name') AS name FROM json_each({{step.a.output}}) WHERE json_extract(value, '$.id') > 1",
      );
      expect(rows).toEqual([{ name: "y" }, { name: "z" }]);
    },
  ),
  scenario(["D5-scalar"], "one value of an output is one parameter", async (world) => {
    expect(
      await through(
        world,
        THREE,
        "SELECT {{step.a.output[1].id}} + 1 AS n, {{step.a.output[2].name}} AS s",
      ),
    ).toEqual([{ n: 3, s: "z" }]);
  }),
  scenario(["D5-list"], "a column of an output is a list for IN", async (world) => {
    const table = await world.steward.table("id INTEGER");
    await world.steward.sql(`INSERT INTO ${table} VALUES (2), (3), (4)`);
    expect(
      await through(
        world,
        THREE,
        `SELECT id FROM ${table} WHERE id IN ({{step.a.output[*].id}}) ORDER BY id`,
      ),
    ).toEqual([{ id: 2 }, { id: 3 }]);
  }),
  scenario(["D5-literal"], "inside a literal it is concatenated", async (world) => {
    expect(
      await through(
        world,
        THREE,
        "SELECT 'Hello {{step.a.output[0].name}}, it''s {{step.a.output[1].id}}' AS s",
      ),
    ).toEqual([{ s: "Hello x, it's 2" }]);
  }),
  scenarioIn(
    "PostgreSQL",
    ["D5-literal"],
    "inside a dollar-quoted literal it is concatenated",
    async (world) => {
      expect(
        await through(
          world,
          THREE,
          "SELECT $q$It's \\ {{step.a.output[0].name}}$q, {{step.a.output[1].id}}$q$ AS s",
        ),
      ).toEqual([{ s: "It's \\ x$q, 2" }]);
    },
  ),
  scenario(
    ["D5-missing-path"],
    "a path that is not there fails the step and names itself",
    async ({ client }) => {
      const { plan_id } = await client.submit({
        steps: [
          step("a", THREE),
          step("b", "SELECT {{step.a.output[7].id}} AS n", { depends_on: ["a"] }),
        ],
      });
      await rowsOf(client, plan_id, "a");
      expect(await client.execute(plan_id, "b")).toMatchObject({
        success: false,
        error_code: "STEP_FAILED",
        error_message: expect.stringContaining("step.a.output[7].id"),
        step_result: { status: "failed" },
      });
    },
  ),
  scenario(
    ["D5-output-cut"],
    "an output that was cut is bound only where the placeholder says that it may be",
    async ({ client, steward }) => {
      const table = await steward.table("n INTEGER");
      await steward.sql(`INSERT INTO ${table} VALUES (1), (10001)`);
      const many =
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10001) SELECT n FROM c";
      const keeping = (output: string) =>
        `DELETE FROM ${table} WHERE n NOT IN ({{step.a.${output}[*].n}})`;
      const after = { depends_on: ["a"] };
      const [refused, knowing] = [keeping("output"), keeping("output_cut")].map((sql) =>
        client.submit({ steps: [step("a", many), step("b", sql, after)] }),
      );
      const first = (await refused)?.plan_id ?? "";
      await rowsOf(client, first, "a");
      const failed = await client.execute(first, "b");
      expect(failed).toMatchObject({
        success: false,
        error_code: "OUTPUT_CUT",
        step_result: { status: "failed", error: { code: "OUTPUT_CUT" } },
      });
      expect(failed.error_message).toContain("10 000 of 10 001 rows");
      expect(failed.llm_context_update?.augmentation_hints.join()).toContain(
        "{{step.a.output_cut[*].n}}",
      );
      expect(await steward.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 2 }]);
      const second = (await knowing)?.plan_id ?? "";
      await rowsOf(client, second, "a");
      await rowsOf(client, second, "b");
      expect(await steward.rows(`SELECT n FROM ${table}`)).toEqual([{ n: 1 }]);
    },
  ),
  scenarioIn(
    "SQLite",
    ["D5-types"],
    "a value of SQLite keeps its type between steps",
    async (world) => {
      const rows = await through(
        world,
        "SELECT 9007199254740993 AS i, avg(4) AS r, 9e999 AS inf, 'a' || char(0) || 'b' AS t, x'00ff' AS b",
        `SELECT {{step.a.output[0].i}} = 9007199254740993 AS i, {{step.a.output[0].r}} / 8 AS r,
           {{step.a.output[0].inf}} = 9e999 AS inf, hex({{step.a.output[0].t}}) AS t,
           x'00ff' IN ({{step.a.output[*].b}}) AS b, {{step.a.output}} ->> '$[0].i' = 9007199254740993 AS w`,
      );
      expect(rows).toEqual([{ i: 1, r: 0.5, inf: 1, t: "610062", b: 1, w: 1 }]);
    },
  ),
  scenarioIn(
    "PostgreSQL",
    ["D5-types"],
    "a value of PostgreSQL keeps its type between steps",
    async (world) => {
      const values = "9007199254740993|1.50|'Infinity'::float8|timestamptz '2026-02-28 12:00Z'";
      const more = "'\\x00ff'::bytea|ARRAY[1, NULL]|'{\"b\": 1.0}'::jsonb|true|'x'::text";
      const all = `${values}|${more}`.split("|");
      const rows = await through(
        world,
        `SELECT ${all.map((value, index) => `${value} AS v${index}`).join(", ")}`,
        `SELECT ${all
          .map((value, index) => {
            const bound = `{{step.a.output[0].v${index}}}`;
            return `${bound} = ${value} AND pg_typeof(${bound}) = pg_typeof(${value}) AS v${index}`;
          })
          .join(", ")}`,
      );
      expect(Object.values(rows[0] ?? {})).toEqual(all.map(() => true));
    },
  ),
  scenario(["D5-never-text"], "whatever an output holds, it stays a value", async (world) => {
    const given = await world.steward.table("n INTEGER, text TEXT");
    const table = await world.steward.table("text TEXT");
    for (const [n, text] of HOSTILE.entries()) {
      const literal = `'${text.replaceAll("'", "''")}'`;
      await world.steward.sql(`INSERT INTO ${given} VALUES (${n}, ${literal})`);
      const select = `SELECT text FROM ${given} WHERE n = ${n}`;
      const rows = await through(
        world,
        select,
        `INSERT INTO ${table} VALUES ({{step.a.output[0].text}}) RETURNING text`,
      );
      expect(rows).toEqual([{ text }]);
      const inside = await through(world, select, "SELECT '<{{step.a.output[0].text}}>' AS text");
      expect(inside).toEqual([{ text: `<${text}>` }]);
    }
    expect(await world.steward.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([
      { n: HOSTILE.length },
    ]);
  }),
];
