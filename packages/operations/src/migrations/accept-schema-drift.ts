import * as z from "zod";
import { operation } from "../operation.js";
import { database, message } from "./schema-changes.js";

export const acceptSchemaDrift = operation({
  name: "acceptSchemaDrift",
  action: "migrations:apply",
  audit: { kind: "migration.accept_drift", time: "around" },
  resolves: { database: { names: "schema", idIn: "expected_root" } },
  summary: "Accept the present schema of a database",
  description:
    "Records the present schema as a commit, so that the next migration starts from it. The database is not changed.",
  tag: "State",
  input: z
    .strictObject({
      database,
      message,
      expected_root: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "must be a root hash, as live_root is")
        .exactOptional()
        .describe(
          "Root hash of the present schema that was reviewed, the live_root of the drift; another schema is answered with 409",
        ),
    })
    .meta({
      id: "AcceptDriftRequest",
      description: "Accepts the present schema of a database as the expected one",
      examples: [{ database: "shop", message: "Keep the index that was added by hand" }],
    }),
  output: z
    .object({
      database: z.string().describe("Name of the data source"),
      commit: z
        .string()
        .exactOptional()
        .describe("Content id of the commit; absent when there was no drift"),
    })
    .meta({
      id: "AcceptedDrift",
      description: "The answer to accepting a drift",
      examples: [
        { database: "shop", commit: "bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi" },
      ],
    }),
  errors: [403, 404, 409],
  rest: { method: "POST", path: "/api/state/drift", answered: "It is recorded" },
  retry: true,
});
