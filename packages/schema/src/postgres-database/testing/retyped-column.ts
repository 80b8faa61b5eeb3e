import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import { Schema, type SchemaObject, type Script, scriptBetween, stepsOf } from "../../index.js";
import { checkedObject } from "../../model/checked-object.js";
import type { PostgresObject, Values } from "../../model/schema.js";
import { lint } from "../../lint/lint.js";
import { refuseLoss } from "../../migrations/refusals.js";
import { refuseChangedRows } from "../row-checks.js";

/** User-defined types for the tests' columns. */
export const OWN_TYPES: string = `
  CREATE TYPE public.mood AS ENUM ('sad', 'happy');
  CREATE TYPE public.wide_mood AS ENUM ('happy', 'calm', 'sad');
  CREATE DOMAIN public.price AS numeric(6,2);
  CREATE DOMAIN public.rough AS numeric(6,1);
  CREATE DOMAIN public.positive AS integer CHECK (VALUE > 0);
`;

const label = (name: string) => ({ label: name });
const OWN: readonly SchemaObject[] = [
  own("EnumType", "mood", { labels: [label("sad"), label("happy")] }),
  own("EnumType", "wide_mood", { labels: [label("happy"), label("calm"), label("sad")] }),
  own("Domain", "price", { type: "numeric(6,2)" }),
  own("Domain", "rough", { type: "numeric(6,1)" }),
  own("Domain", "positive", { type: "integer" }),
];

function own(kind: string, name: string, values: Values): PostgresObject {
  return checkedObject({ id: name, kind, name, parent: "public", values }, "postgres");
}

/** A schema with a table `public.t` and one column `v`, built without a server. */
function schemaWith(type: string, isGuarded: boolean): Schema {
  return new Schema([
    {
      id: "d",
      kind: "Database",
      name: undefined,
      parent: undefined,
      values: { dialect: "postgres" },
    },
    { id: "public", kind: "Schema", name: "public", parent: "d", values: {} },
    ...OWN,
    own("Table", "t", isGuarded ? { rowSecurity: "forced" } : {}),
    { id: "v", kind: "Column", name: "v", parent: "t", values: { type } },
  ]);
}

/** The result of changing a column's type. */
export interface Retyped {
  /** The code of the refusal; undefined when the type was changed. */
  readonly refusal: string | undefined;
  readonly message: string;
  /** Values as text, with times in UTC, before and after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const GUARD = `
  DO $$ BEGIN CREATE ROLE guarded_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
  GRANT CREATE, USAGE ON SCHEMA public TO guarded_owner;
  ALTER TABLE public.t OWNER TO guarded_owner;
  ALTER TABLE public.t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
  SET ROLE guarded_owner`;

/** The environment of a type change. */
export interface Surroundings {
  /** The server's time zone; default: UTC. */
  readonly timeZone?: string;
  /** Whether row-level security hides all rows from the table's owner, who is not a superuser. */
  readonly isGuarded?: boolean;
}

/** Fills a column with values of one type, and changes its type. */
export async function retype(
  client: pg.Client,
  from: string,
  to: string,
  values: readonly string[],
  { timeZone = "UTC", isGuarded = false }: Surroundings = {},
): Promise<Retyped> {
  const read = async (): Promise<readonly string[]> => {
    await client.query("RESET ROLE; SET TimeZone = 'UTC'; SET extra_float_digits = 1");
    const { rows } = await client.query<{ v: string }>(
      "SELECT v::text AS v FROM public.t ORDER BY ctid",
    );
    return rows.map(({ v }) => v);
  };
  await client.query("DROP TABLE IF EXISTS public.t");
  await client.query(`CREATE TABLE public.t (v ${from})`);
  for (const value of values) {
    await client.query({
      text: `INSERT INTO public.t VALUES ($1::text::${from})`,
      values: [value],
    });
  }
  const before = await read();
  if (isGuarded) await client.query(GUARD);
  await client.query(`SET TimeZone = '${timeZone}'; SET extra_float_digits = 0`);
  const [base, target] = [schemaWith(from, isGuarded), schemaWith(to, isGuarded)];
  const script = scriptBetween(base, target);
  try {
    refuseLoss(lint(base, target, script), false);
    await run(client, script);
    return { refusal: undefined, message: "", before, after: await read() };
  } catch (error) {
    const { code, message } = AppError.from(error);
    return { refusal: code, message, before, after: await read() };
  }
}

async function run(client: pg.Client, script: Script): Promise<void> {
  for (const phase of script) {
    await client.query("BEGIN");
    try {
      for (const step of stepsOf(phase)) {
        if (typeof step === "string") await client.query(step);
        else await refuseChangedRows(client, step);
      }
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      if (error instanceof AppError) throw error;
      throw new AppError("STEP_FAILED", String(error));
    }
  }
}
