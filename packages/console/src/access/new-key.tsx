import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { accessTexts } from "../texts/access.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Choices } from "../ui/facets.js";
import { CopyButton } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Field } from "../ui/field.js";
import { InlineFailure } from "../ui/states.js";
import { ROLES, type Role } from "./roles.js";

/** Creates a key, and shows its secret once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [agent, setAgent] = useState("");
  const [user, setUser] = useState("");
  const [role, setRole] = useState<Role>("agent");
  const create = useMutation({
    mutationFn: () =>
      client.keys.createApiKey({
        ...{ name, roles: [role] },
        ...(agent === "" ? {} : { agent_id: agent }),
        ...(user === "" ? {} : { user_id: user }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["keys"] }),
  });
  if (create.data !== undefined) {
    return <IssuedKey text={create.data.api_key} name={create.data.name} onClose={onClose} />;
  }
  return (
    <Dialog open onClose={onClose} title={accessTexts.newKey} hint={accessTexts.newKeyHint}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
        className="mt-4 flex flex-col gap-4"
      >
        <Field
          id="key-name"
          label={accessTexts.name}
          required
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <Field
          id="key-agent"
          label={accessTexts.agent}
          hint={accessTexts.agentHint}
          value={agent}
          onChange={(event) => {
            setAgent(event.target.value);
          }}
        />
        <Field
          id="key-user"
          label={accessTexts.user}
          hint={accessTexts.userHint}
          value={user}
          onChange={(event) => {
            setUser(event.target.value);
          }}
        />
        <Choices
          label={accessTexts.role}
          chosen={role}
          values={ROLES.map((value) => ({ value, text: value }))}
          onChoose={setRole}
        />
        {create.error !== null && <InlineFailure error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.dialog.cancel}</Button>
          <Button type="submit" look="primary" disabled={create.isPending || name.trim() === ""}>
            {accessTexts.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function IssuedKey(props: {
  readonly text: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={accessTexts.issued(props.name)}
      hint={accessTexts.issuedHint}
    >
      <div className="mt-4 flex items-center gap-2 rounded-md bg-sunken p-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-all" data-testid="issued-key">
          {props.text}
        </code>
        <CopyButton text={props.text} />
      </div>
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={props.onClose}>
          {accessTexts.done}
        </Button>
      </div>
    </Dialog>
  );
}
