import { useMutation } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { client } from "../data/client.js";
import { useSession } from "../data/session.js";
import { texts } from "../texts.js";
import { IconButton } from "../ui/button.js";

/** The signed-in person and the button to sign out; empty where nobody has to sign in. */
export default function SessionLine() {
  const { data } = useSession();
  const signOut = useMutation({
    mutationFn: () => client.session.signOut(),
    onSuccess: () => {
      window.location.assign("/sign-in");
    },
  });
  const caller = data?.caller;
  if (caller === undefined || data?.expires_at === undefined) return null;
  const name = caller.user_id ?? caller.agent_id ?? texts.signIn.keyName(caller.key_id ?? "");
  return (
    <div className="flex items-center gap-1 px-2">
      <p className="min-w-0 flex-1 truncate" title={name}>
        <bdi>{name}</bdi>
        {caller.roles.length > 0 && ` · ${caller.roles.join(", ")}`}
      </p>
      <IconButton
        label={texts.signIn.out}
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
