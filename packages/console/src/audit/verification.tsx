import type { ProvenAuditRecord } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleHelp, CircleX } from "lucide-react";
import { useState } from "react";
import { client } from "../data/client.js";
import { auditTexts } from "../texts/audit.js";
import { AgentText } from "../ui/agent-text.js";
import { Section } from "../ui/facts.js";
import { Field, TextArea } from "../ui/field.js";
import { InlineFailure } from "../ui/states.js";
import { trustedKey } from "./trusted.js";
import { verifyRecord, type Finding } from "./verify-record.js";

const KEPT_ROWS = 5;
const SIGNS = {
  ok: { Icon: CircleCheck, tone: "text-good", label: auditTexts.ok },
  bad: { Icon: CircleX, tone: "text-bad", label: auditTexts.bad },
  unchecked: { Icon: CircleHelp, tone: "text-muted", label: auditTexts.unchecked },
} as const;

/** What this browser finds out about a record by itself, with what the reader has from elsewhere. */
export function Verification({ record }: { readonly record: ProvenAuditRecord }) {
  const key = trustedKey.use();
  const [kept, setKept] = useState("");
  const canHash = window.isSecureContext;
  const { data: findings, error } = useQuery({
    queryKey: ["audit", "verification", record, key, kept],
    queryFn: ({ signal }) =>
      verifyRecord(record, { key, kept }, async (older, newer) => {
        const { proof } = await client.audit.proveAuditConsistency({ older, newer }, { signal });
        return proof;
      }),
    enabled: canHash,
  });
  return (
    <Section title={auditTexts.proof}>
      <div role="status" className="mb-4 flex flex-col gap-2 text-sm">
        {!canHash && <p className="text-warn">{auditTexts.notSecure}</p>}
        {canHash && findings === undefined && error === null && <p>{auditTexts.verifying}</p>}
        {findings?.map((finding) => (
          <FindingLine key={finding.text} finding={finding} />
        ))}
      </div>
      {error !== null && <InlineFailure error={error} />}
      <div className="flex flex-col gap-3">
        <Field
          id="audit-key"
          label={auditTexts.key}
          hint={auditTexts.keyHint}
          spellCheck={false}
          value={key}
          onChange={(event) => {
            trustedKey.set(event.target.value);
          }}
        />
        <TextArea
          id="audit-kept"
          label={auditTexts.keptCheckpoint}
          hint={auditTexts.keptHint}
          rows={KEPT_ROWS}
          value={kept}
          onChange={(event) => {
            setKept(event.target.value);
          }}
        />
      </div>
    </Section>
  );
}

function FindingLine({ finding: { state, text } }: { readonly finding: Finding }) {
  const { Icon, tone, label } = SIGNS[state];
  return (
    <p className="flex items-start gap-2">
      <Icon size={16} aria-label={label} role="img" className={`mt-0.5 shrink-0 ${tone}`} />
      <AgentText>{text}</AgentText>
    </p>
  );
}
