import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { useMay } from "../data/session.js";
import { memoryTexts } from "../texts/memory.js";
import { Button } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { InlineFailure } from "../ui/states.js";

/** How long entries are kept, and a form for those who may change it. */
export function Retention() {
  const { data } = useQuery({
    queryKey: ["memory", "retention"],
    queryFn: ({ signal }) => client.memory.getMemoryRetention({}, { signal }),
  });
  const mayWrite = useMay("memory:retention");
  if (data === undefined) return null;
  return (
    <section className="flex flex-col gap-3 px-4 py-5 md:px-6">
      <h2 className="text-sm font-medium">{memoryTexts.retention}</h2>
      <p className="text-sm text-muted">
        {data.days === null ? memoryTexts.forever : memoryTexts.keptFor(data.days)}
      </p>
      {mayWrite && <RetentionForm key={data.days} keptDays={data.days} />}
    </section>
  );
}

function RetentionForm({ keptDays }: { readonly keptDays: number | null }) {
  const [days, setDays] = useState(String(keptDays ?? ""));
  const save = useMutation({
    mutationFn: () => client.memory.setMemoryRetention({ days: days === "" ? null : Number(days) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["memory"] }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
      className="flex flex-wrap items-end gap-2"
    >
      <div className="w-64">
        <Field
          id="retention-days"
          label={memoryTexts.days}
          hint={memoryTexts.daysHint}
          type="number"
          min={1}
          value={days}
          onChange={(event) => {
            setDays(event.target.value);
          }}
        />
      </div>
      <Button type="submit" disabled={save.isPending}>
        {memoryTexts.save}
      </Button>
      {save.error !== null && <InlineFailure error={save.error} />}
    </form>
  );
}
