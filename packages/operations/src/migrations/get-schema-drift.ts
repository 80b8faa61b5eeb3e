import * as z from "zod";
import { operation } from "../operation.js";
import { operations } from "./schema-changes.js";

export const getSchemaDrift = operation({
  name: "getSchemaDrift",
  action: "migrations:read",
  summary: "Compare a database with its recorded schema",
  description: "The changes of the schema since the last recorded commit that no migration made.",
  tag: "State",
  input: z
    .strictObject({ database: z.string().describe("Name of the data source") })
    .meta({ examples: [{ database: "shop" }] }),
  output: z
    .object({
      database: z.string().describe("Name of the data source"),
      expected_root: z.string().describe("Root hash of the recorded schema"),
      live_root: z.string().describe("Root hash of the present schema"),
      differences: operations.describe("What has changed since; empty when nothing has"),
    })
    .meta({
      id: "SchemaDrift",
      description: "The present schema of a database compared with the recorded one",
      examples: [
        {
          database: "shop",
          expected_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
          live_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
          differences: [],
        },
      ],
    }),
  errors: [403, 404],
  rest: { method: "GET", path: "/api/state/drift", answered: "How it is" },
});
