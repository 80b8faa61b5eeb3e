import { useState } from "react";
import { chosenOrganization } from "../data/organization.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Field } from "../ui/field.js";

const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** Asks for the organization that requests are sent for. */
export default function OrganizationSwitch(props: {
  readonly present: string;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState(props.present);
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={texts.organization.switch}
      hint={texts.organization.hint}
    >
      <form
        className="mt-4 flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          chosenOrganization.set(typed.trim());
          // The page is loaded anew, so that nothing is left of the organization before.
          window.location.assign("/plans");
        }}
      >
        <Field
          id="organization"
          label={texts.organization.label}
          pattern={UUID}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
          }}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={props.onClose}>{texts.dialog.cancel}</Button>
          <Button type="submit" look="primary">
            {texts.organization.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
