import { useState } from "react";
import { chosenOrganization, chosenRole } from "../data/organization.js";
import { organizationTexts } from "../texts/sign-in.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Field, SelectField } from "../ui/field.js";

const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** The roles that a caller may name; those of an organization, and the operator of all. */
const ROLES = ["operator", "admin", "billing", "schema", "approver", "agent", "auditor"] as const;

/** Asks for the organization that requests are sent for, and the role. */
export default function OrganizationSwitch(props: {
  readonly present: string;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState(props.present);
  const [role, setRole] = useState(chosenRole.get());
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={organizationTexts.switch}
      hint={organizationTexts.hint}
    >
      <form
        className="mt-4 flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          chosenOrganization.set(typed.trim());
          chosenRole.set(role);
          // The page is loaded anew, so that nothing is left of the organization before.
          window.location.assign("/plans");
        }}
      >
        <Field
          id="organization"
          label={organizationTexts.label}
          pattern={UUID}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
          }}
        />
        <SelectField
          id="role"
          label={organizationTexts.role}
          value={role}
          options={[
            { value: "", text: organizationTexts.noRole },
            ...ROLES.map((value) => ({ value, text: value })),
          ]}
          onChoose={setRole}
        />
        <p className="text-xs text-muted">{organizationTexts.roleHint}</p>
        <div className="flex justify-end gap-2">
          <Button onClick={props.onClose}>{texts.dialog.cancel}</Button>
          <Button type="submit" look="primary">
            {organizationTexts.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
