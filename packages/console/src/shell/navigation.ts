import {
  Brain,
  ChartColumn,
  CreditCard,
  Database,
  GitBranch,
  Hand,
  KeyRound,
  ListChecks,
  Plug,
  Replace,
  ScrollText,
  Server,
  SquarePen,
  type LucideIcon,
} from "lucide-react";
import { texts } from "../texts.js";

/** A page that the navigation and the command palette lead to. */
export interface PageLink {
  readonly to: string;
  readonly text: string;
  readonly Icon: LucideIcon;
  /** Whether the pages below its address are other entries of the navigation. */
  readonly exact?: boolean;
}

/** The pages, in groups: what agents do, and what one looks up. */
export const PAGE_GROUPS: readonly (readonly PageLink[])[] = [
  [
    { to: "/plans", text: texts.navigation.plans, Icon: ListChecks, exact: true },
    { to: "/approvals", text: texts.navigation.approvals, Icon: Hand },
    { to: "/plans/new", text: texts.navigation.newPlan, Icon: SquarePen },
  ],
  [
    { to: "/data", text: texts.navigation.data, Icon: Database },
    { to: "/state", text: texts.navigation.state, Icon: GitBranch },
    { to: "/migrations", text: texts.navigation.migrations, Icon: Replace },
    { to: "/memory", text: texts.navigation.memory, Icon: Brain },
    { to: "/usage", text: texts.navigation.usage, Icon: ChartColumn },
    { to: "/payment-methods", text: texts.navigation.payments, Icon: CreditCard },
    { to: "/access", text: texts.navigation.access, Icon: KeyRound },
    { to: "/audit", text: texts.navigation.audit, Icon: ScrollText },
    { to: "/system", text: texts.navigation.system, Icon: Server },
    { to: "/connect", text: texts.navigation.connect, Icon: Plug },
  ],
];
