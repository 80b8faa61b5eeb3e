import { useMutation } from "@tanstack/react-query";
import { Building2, LogOut } from "lucide-react";
import { Suspense, useState } from "react";
import { client } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { useSession } from "../data/session.js";
import { organizationTexts, signInTexts } from "../texts/sign-in.js";
import { AgentText } from "../ui/agent-text.js";
import { IconButton } from "../ui/button.js";

const OrganizationSwitch = lazyPart(() => import("./organization-switch.js"));

/** The organization of a server whose callers name none. */
const NIL_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

/** The signed-in person and the button to sign out; where nobody has to sign in, the organization. */
export default function SessionLine() {
  const { data } = useSession();
  const signOut = useMutation({
    mutationFn: () => client.session.signOut(),
    onSuccess: () => {
      window.location.assign("/sign-in");
    },
  });
  const caller = data?.caller;
  if (data?.chooses_organization === true && caller !== undefined) {
    return <OrganizationLine organization={caller.org_id} />;
  }
  if (caller === undefined || data?.expires_at === undefined) return null;
  const name = caller.user_id ?? caller.agent_id ?? signInTexts.keyName(caller.key_id ?? "");
  return (
    <div className="flex items-center gap-1 px-2">
      <p className="min-w-0 flex-1 truncate" title={name}>
        <AgentText>{name}</AgentText>
        {caller.roles.length > 0 && ` · ${caller.roles.join(", ")}`}
      </p>
      <IconButton
        label={signInTexts.out}
        disabled={signOut.isPending}
        onClick={() => {
          signOut.mutate();
        }}
      >
        <LogOut size={15} aria-hidden />
      </IconButton>
    </div>
  );
}

/** The organization, where callers choose it themselves. */
function OrganizationLine({ organization }: { readonly organization: string }) {
  const [isChoosing, setChoosing] = useState(false);
  const name = organization === NIL_ORGANIZATION ? organizationTexts.local : organization;
  return (
    <>
      <button
        type="button"
        title={`${organizationTexts.switch}: ${organization}`}
        aria-label={`${organizationTexts.switch}: ${name}`}
        onClick={() => {
          setChoosing(true);
        }}
        className="flex items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
      >
        <Building2 size={15} aria-hidden className="shrink-0" />
        <AgentText className="truncate">{name}</AgentText>
      </button>
      {isChoosing && (
        <Suspense>
          <OrganizationSwitch
            present={organization}
            onClose={() => {
              setChoosing(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
