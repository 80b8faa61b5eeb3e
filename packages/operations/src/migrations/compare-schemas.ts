import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { EMAIL_ADDED, findings, operations, phases } from "./schema-changes.js";

const schemaDiff = z
  .object({
    from_root: z.string().describe("Root hash of the first schema"),
    to_root: z.string().describe("Root hash of the second schema"),
    operations: operations.describe("What happens to each object"),
    findings: findings.describe("Warnings about the way from the first schema to the second"),
    down_findings: findings.describe("Warnings about the way back"),
    up: phases.describe("Statements that turn the first schema into the second"),
    down: phases.describe("Statements that turn the second schema into the first"),
  })
  .meta({
    id: "SchemaDiff",
    description: "The difference between the schemas of two commits",
    examples: [
      {
        from_root: "5d41402abc4b2a76b9719d911017c592ae2f3e0b8f2c1d6a7e9b0c3d4e5f6a7b",
        to_root: "b7a6f5e4d3c0b9e7a6d1c2f8b0e3f2ea295c710119d9179b67a2b4cba20414d5",
        ...EMAIL_ADDED,
      },
    ],
  });

export type SchemaDiff = Infer<typeof schemaDiff>;

export const compareSchemas = operation({
  name: "compareSchemas",
  action: "migrations:read",
  resolves: {
    from: { names: "commit", idIn: "from" },
    to: { names: "commit", idIn: "to" },
  },
  summary: "Compare the schemas of two commits",
  description:
    "The operation on each object, and the statements in both directions. They are not proven on a scratch database.",
  tag: "State",
  input: z
    .strictObject({
      from: z.string().describe("A branch such as schemas/shop, a tag or a content id"),
      to: z.string().describe("As from: the schema it is compared with"),
    })
    .meta({ examples: [{ from: "schemas/shop", to: "v1" }] }),
  output: schemaDiff,
  errors: [403, 404],
  rest: { method: "GET", path: "/api/state/schema-diff", answered: "What leads there" },
});
