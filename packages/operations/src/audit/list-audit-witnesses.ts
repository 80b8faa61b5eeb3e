import * as z from "zod";
import { type Infer, operation } from "../operation.js";
import { time } from "./audit-record.js";

const auditWitness = z
  .object({
    name: z.string().describe("The name of the witness"),
    verifier_key: z.string().describe("Its public key (C2SP signed-note)"),
    size: z
      .int()
      .min(0)
      .exactOptional()
      .describe("Number of records that its newest checkpoint covers"),
    cosigned_at: time
      .exactOptional()
      .describe("When it cosigned that checkpoint, by its own clock"),
    checkpoint: z.string().exactOptional().describe("That checkpoint, with the cosignature"),
  })
  .meta({
    id: "AuditWitness",
    description: "A witness of the audit log, with the newest checkpoint that it has cosigned",
    examples: [
      {
        name: "witness.example.com/w1",
        verifier_key: "witness.example.com/w1+8d66cf3f+BAAA",
        size: 42,
        cosigned_at: "2026-03-01T09:30:10Z",
        checkpoint:
          "steward/audit\n42\nqqo=\n\n— steward/audit AAAAAA==\n— witness.example.com/w1 jWbPPw==\n",
      },
    ],
  });

export type AuditWitness = Infer<typeof auditWitness>;

export const listAuditWitnesses = operation({
  name: "listAuditWitnesses",
  action: "audit:read",
  summary: "List the witnesses of the audit log",
  description:
    "Each with the newest checkpoint that it has cosigned (C2SP tlog-cosignature): the proof that the server showed the witness the same log.",
  tag: "Audit",
  input: z.strictObject({}),
  output: z.array(auditWitness).readonly(),
  errors: [403, 501],
  rest: { method: "GET", path: "/api/audit/witnesses", answered: "The witnesses" },
});
