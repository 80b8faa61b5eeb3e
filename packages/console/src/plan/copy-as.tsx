import { SquareTerminal } from "lucide-react";
import { useState } from "react";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Menu, MenuItem } from "../ui/menu.js";
import type { Snippets } from "./snippets.js";

/** Copies what does the same as this page: with curl, with the client, with the command. */
export function CopyAs({ snippets }: { readonly snippets: Snippets }) {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
    });
  };
  return (
    <Menu
      trigger={
        <Button size="small">
          <SquareTerminal size={13} aria-hidden />
          <span aria-live="polite">{copied ? texts.copy.copied : texts.copy.copyAs}</span>
        </Button>
      }
    >
      <MenuItem onSelect={copy(snippets.curl)}>{texts.copy.asCurl}</MenuItem>
      <MenuItem onSelect={copy(snippets.sdk)}>{texts.copy.asSdk}</MenuItem>
      <MenuItem onSelect={copy(snippets.cli)}>{texts.copy.asCli}</MenuItem>
    </Menu>
  );
}
