import type { ProvenAuditRecord } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../data/client.js";
import { auditTexts } from "../texts/audit.js";
import { Code } from "../code/code.js";
import { AgentText } from "../ui/agent-text.js";
import { Drawer } from "../ui/drawer.js";
import { Facts, Section } from "../ui/facts.js";
import { Loaded } from "../ui/loaded.js";
import { Time } from "../ui/time.js";
import { entryOf } from "./record-entry.js";
import { Verification } from "./verification.js";

const INDENT = 2;

/** One record: what it says, its personal values, and its proof, verified here. */
export function RecordDrawer(props: { readonly index: number; readonly onClose: () => void }) {
  const { index } = props;
  const query = useQuery({
    queryKey: ["audit", "record", index],
    queryFn: ({ signal }) => client.audit.getAuditRecord({ index }, { signal }),
    // A proof belongs to the checkpoint that came with it, and both stay true.
    staleTime: Infinity,
  });
  const title = auditTexts.record(index);
  return (
    <Drawer
      label={title}
      title={<h2 className="text-base font-semibold">{title}</h2>}
      onClose={props.onClose}
    >
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <Loaded query={query}>{(record) => <RecordParts record={record} />}</Loaded>
      </div>
    </Drawer>
  );
}

function RecordParts({ record }: { readonly record: ProvenAuditRecord }) {
  const { entry, values } = record;
  return (
    <>
      <RecordFacts entry={entry} />
      {values !== undefined && (
        <Section title={auditTexts.values}>
          <p className="mb-2 text-xs text-muted">{auditTexts.valuesHint}</p>
          <Facts
            facts={Object.entries(values).map(([place, value]) => [
              place,
              <AgentText key={place}>{value}</AgentText>,
            ])}
          />
        </Section>
      )}
      <Verification record={record} />
      <Section title={auditTexts.entry}>
        <Code text={entry}>{indented(entry)}</Code>
      </Section>
    </>
  );
}

function RecordFacts({ entry }: { readonly entry: string }) {
  const { at, kind, subject } = entryOf(entry);
  const { columns } = auditTexts;
  const isPlan = kind?.startsWith("plan.") === true && subject !== undefined;
  return (
    <div className="mb-6">
      <Facts
        facts={[
          [columns.at, at === undefined ? undefined : <Time at={at} />],
          [columns.kind, kind === undefined ? undefined : <AgentText>{kind}</AgentText>],
          [
            columns.subject,
            isPlan ? (
              <Link
                to="/plans/$planId"
                params={{ planId: subject }}
                className="text-accent underline"
              >
                <AgentText>{subject}</AgentText>
              </Link>
            ) : (
              <AgentText>{subject}</AgentText>
            ),
          ],
        ]}
      />
    </div>
  );
}

/** The same JSON with one member per line; copying takes the text that was hashed. */
function indented(entry: string): string {
  try {
    return JSON.stringify(JSON.parse(entry), null, INDENT);
  } catch {
    return entry;
  }
}
