import * as z from "zod";
import { operation } from "../operation.js";
import { database } from "./schema-changes.js";

export const dumpSchema = operation({
  name: "dumpSchema",
  action: "migrations:read",
  summary: "Read the present schema of a database as SQL",
  description:
    "The same schema has the same text. Proposing the text results in no migration. The database may be " +
    "left out when there is only one.",
  tag: "State",
  input: z
    .strictObject({
      database: database.exactOptional(),
    })
    .meta({ examples: [{ database: "shop" }] }),
  output: z
    .object({
      database: z.string().describe("Name of the data source"),
      dialect: z.enum(["sqlite", "postgres"]).describe("The engine whose SQL it is"),
      sql: z.string().describe("The whole schema as definitions; equal schemas have equal text"),
    })
    .meta({
      id: "SchemaDump",
      description: "The present schema of a database as SQL that can be proposed",
      examples: [
        {
          database: "shop",
          dialect: "sqlite",
          sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT);\n",
        },
      ],
    }),
  errors: [403, 404],
  rest: { method: "GET", path: "/api/state/schema", answered: "The schema" },
});
