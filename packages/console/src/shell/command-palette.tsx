import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Clock, ListChecks, Monitor, Moon, Search, Sun } from "lucide-react";
import { Dialog } from "radix-ui";
import { useState, type ReactNode } from "react";
import { changePreferences, usePreferences } from "../data/preferences.js";
import { paletteTexts } from "../texts/palette.js";
import { texts } from "../texts.js";
import { PAGE_GROUPS } from "./navigation.js";

/** A plan's id: a UUID. */
const PLAN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Every page and preference by its name, and any plan by its id. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const { times } = usePreferences();
  const planId = typed.trim();
  const then = (action: () => void) => () => {
    onClose();
    action();
  };
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <div className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-xl border bg-canvas shadow-float"
        >
          <Dialog.Title className="sr-only">{texts.palette.open}</Dialog.Title>
          <Command label={texts.palette.open} loop>
            <div className="flex items-center gap-2 border-b px-3">
              <Search size={16} aria-hidden className="text-muted" />
              <Command.Input
                autoFocus
                value={typed}
                onValueChange={setTyped}
                placeholder={paletteTexts.placeholder}
                className="h-11 flex-1 bg-transparent text-base outline-none placeholder:text-muted"
              />
            </div>
            <Command.List className="max-h-80 overflow-y-auto p-1.5">
              <Command.Empty className="px-3 py-8 text-center text-sm text-muted">
                {paletteTexts.none}
              </Command.Empty>
              {PLAN_ID.test(planId) && (
                <Item
                  value={planId}
                  icon={<ListChecks size={16} aria-hidden />}
                  text={paletteTexts.openPlan(planId)}
                  onSelect={then(() => void navigate({ to: "/plans/$planId", params: { planId } }))}
                />
              )}
              <Group heading={paletteTexts.pages}>
                {PAGE_GROUPS.flat().map(({ to, text, Icon }) => (
                  <Item
                    key={to}
                    icon={<Icon size={16} aria-hidden />}
                    text={text}
                    onSelect={then(() => void navigate({ to }))}
                  />
                ))}
              </Group>
              <Group heading={paletteTexts.preferences}>
                <Item
                  icon={<Sun size={16} aria-hidden />}
                  text={paletteTexts.lightTheme}
                  onSelect={then(() => {
                    changePreferences({ theme: "light" });
                  })}
                />
                <Item
                  icon={<Moon size={16} aria-hidden />}
                  text={paletteTexts.darkTheme}
                  onSelect={then(() => {
                    changePreferences({ theme: "dark" });
                  })}
                />
                <Item
                  icon={<Monitor size={16} aria-hidden />}
                  text={paletteTexts.systemTheme}
                  onSelect={then(() => {
                    changePreferences({ theme: "system" });
                  })}
                />
                <Item
                  icon={<Clock size={16} aria-hidden />}
                  text={
                    times === "relative" ? paletteTexts.absoluteTimes : paletteTexts.relativeTimes
                  }
                  onSelect={then(() => {
                    changePreferences({ times: times === "relative" ? "absolute" : "relative" });
                  })}
                />
              </Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

function Item(props: {
  readonly icon: ReactNode;
  readonly text: string;
  readonly value?: string;
  readonly onSelect: () => void;
}) {
  return (
    <Command.Item
      {...(props.value === undefined ? {} : { value: props.value })}
      onSelect={props.onSelect}
      className="flex items-center gap-2.5 rounded-md px-2 py-2 text-sm data-[selected=true]:bg-selected"
    >
      <span className="text-muted">{props.icon}</span>
      {props.text}
    </Command.Item>
  );
}
