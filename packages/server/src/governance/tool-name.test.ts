import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { intentOfToolName } from "./tool-name.js";

/** Checks the intent that each name suggests; `unknown` for none. */
function expectIntents(intents: Readonly<Record<string, string>>): void {
  const suggested = Object.keys(intents).map((name) => [name, intentOfToolName(name) ?? "unknown"]);
  expect(Object.fromEntries(suggested)).toEqual(intents);
}

describe("the intent that a tool's name suggests", () => {
  it("does not depend on how the name is spelt, nor on the server it comes from", () => {
    expectIntents({
      delete_order: "write_delete",
      "delete-order": "write_delete",
      "orders.delete": "write_delete",
      deleteOrder: "write_delete",
      DeleteDBOrder: "write_delete",
      mcp__shop__delete_order: "write_delete",
      mcp__my_shop__delete_order: "write_delete",
      delete_order_tool: "write_delete",
      delete_order_v2: "write_delete",
    });
  });

  it("takes the verb from the first word, else the last, else one between", () => {
    expectIntents({
      list_created_orders: "read_select",
      order_update: "write_update",
      shop_add_order_line: "write_insert",
      create_order_search: "write_insert",
    });
  });

  it("prefers a plain verb to a word that is as often a noun", () => {
    expectIntents({
      profile_update: "write_update",
      pull_request_read: "read_select",
      scan_and_delete: "write_delete",
      list_append: "write_insert",
      comment_on_issue: "write_update",
      count_orders: "read_select",
    });
  });

  it("is admin where a write meets what governs others or holds their data", () => {
    expectIntents({
      create_user: "admin",
      set_role_policy: "admin",
      rotate_api_key: "admin",
      add_column_to_table: "admin",
      "resize-cache-cluster": "admin",
      delete_repository: "admin",
      grant_report_access: "admin",
      deploy: "admin",
      create_refund: "admin",
    });
  });

  it("is admin where machines, sign-in or money are moved, whatever the words around", () => {
    expectIntents({
      drain_node: "admin",
      power_off_by_tag: "admin",
      scale_deployment: "admin",
      kubectl_patch: "admin",
      exec_in_pod: "admin",
      create_oauth_client: "admin",
      suspend_user: "admin",
      update_dns_record: "admin",
      update_zone_settings: "admin",
      create_policy_rule: "admin",
      refund_order: "admin",
      void_payment: "admin",
      confirm_delete_user: "admin",
      shutdown_by_tag: "write_update",
    });
  });

  it("is admin where what is deployed, runs, or is sold is made, ended or resized", () => {
    expectIntents({
      create_app: "admin",
      delete_application: "admin",
      update_web_service: "admin",
      restart_service: "admin",
      scale_service: "admin",
      create_postgres: "admin",
      delete_topic: "admin",
      droplet_enable_ipv6: "admin",
      maintenance_on: "admin",
      teardown_cluster: "admin",
      buy_domain: "admin",
      accept_claim: "admin",
    });
    expectIntents({
      update_service: "write_update",
      publish_to_topic: "write_insert",
      connect_cluster: "write_insert",
      disconnect_database: "write_delete",
    });
  });

  it("is admin where people get rights, by a group, a team, a generated key or a permission", () => {
    expectIntents({
      delete_group: "admin",
      create_team: "admin",
      generate_api_key: "admin",
      assign_permission_set: "admin",
      create_key: "admin",
      protect_branch: "admin",
      update_default_branch: "admin",
      vendor_create_access_list: "admin",
    });
    expectIntents({
      generate_password: "read_select",
      delete_key: "write_delete",
      assign_user_to_ticket: "write_update",
      add_project_to_page: "write_insert",
      escalate_incident: "write_update",
    });
  });

  it("is admin where something is put into force beyond what the name says", () => {
    expectIntents({
      apply_migration_plan: "admin",
      apply_label: "write_update",
      finalize_invoice: "admin",
      finalize_upload: "write_update",
      run_payroll: "admin",
      run_export: "write_update",
      execute_trade: "admin",
      process_payment: "admin",
      issue_certificate: "admin",
      process_image: "unknown",
      page_evaluate: "admin",
      evaluate_model: "read_select",
      merge_pull_request: "admin",
      create_pull_request: "write_insert",
      share_folder: "admin",
      share_post: "write_update",
      argocd_sync_application: "admin",
      terraform_plan: "read_select",
    });
  });

  it("is admin where the model of the data or the settings of shared work change", () => {
    expectIntents({
      create_field: "admin",
      update_content_type: "admin",
      create_workspace_variable: "admin",
      create_variable_set: "admin",
      execute_graphql: "admin",
      evaluate_script: "admin",
      docker_prune: "admin",
    });
    expectIntents({
      update_field: "write_update",
      rename_variable: "write_update",
      evaluate_risk: "read_select",
      run_code_analysis: "read_select",
      execute_promql: "read_select",
    });
  });

  it("leaves alone what only sounds like it", () => {
    expectIntents({
      kubectl_get: "read_select",
      update_page_settings: "write_update",
      create_record: "write_insert",
      get_oauth_clients: "read_select",
      list_by_tag: "read_select",
      update_user_metadata: "write_update",
      send_invoice: "write_insert",
    });
  });

  it("looks at what a compound is, not at what it is made of", () => {
    expectIntents({
      delete_table_row: "write_delete",
      update_user_avatar: "write_update",
      append_rows_to_table: "write_insert",
      press_key: "write_update",
      create_policy_version: "admin",
    });
  });

  it("lets reading anything be a read", () => {
    expectIntents({ list_users: "read_select", describe_schema: "read_select" });
  });

  it("asks of an execution what is executed", () => {
    expectIntents({
      execute_sql: "admin",
      run_code: "admin",
      run_shell_command: "admin",
      executeQuery: "read_select",
      run_sql_query: "admin",
      run_pipeline: "write_update",
    });
  });

  it("takes a name without a verb for what comes back, if it says so", () => {
    expectIntents({ git_status: "read_select", maps_directions: "read_select" });
  });

  it("takes a name without a verb for a look-up or a result only if it says so", () => {
    expectIntents({
      asset_by_id: "read_select",
      current_user: "read_select",
      fleet_status_live: "read_select",
      pages_tool: "unknown",
      droplet_snapshot: "unknown",
      database_migration: "unknown",
    });
  });

  it("finds the verb behind a vendor's name, in a noun, and behind the letter of a data structure", () => {
    expectIntents({
      linear_create_project_update: "write_insert",
      linear_get_project_update_by_id: "read_select",
      user_management: "admin",
      record_deletion: "write_delete",
      hset: "write_update",
      lrange: "read_select",
      delete_workspace_safely: "admin",
    });
  });

  it("says nothing of a name that nobody understands", () => {
    expectIntents({ frobnicate: "unknown", "": "unknown", ___: "unknown", "123": "unknown" });
  });

  it("sees a repetition or a reversal of a write as a write", () => {
    expectIntents({
      reassign_ticket: "write_update",
      unsubscribe_list: "write_update",
      undelete: "write_update",
      uninstall_plugin: "write_delete",
      rerun_failed_jobs: "write_update",
      rerunScript: "admin",
    });
  });

  it("sees the write that a read is joined with", () => {
    expectIntents({
      get_or_create_customer: "write_insert",
      findOrCreateUser: "admin",
      find_one_and_update: "write_update",
      findOneAndDelete: "write_delete",
      check_and_drop_table: "admin",
      get_terms_and_conditions: "read_select",
      search_and_list_orders: "read_select",
    });
  });

  it("knows what writes many at once", () => {
    expectIntents({
      bulkUpsert: "write_update",
      createMany: "write_insert",
      batch_delete_items: "write_delete",
      saveAll: "write_update",
    });
  });

  it("takes a question for a read", () => {
    expectIntents({
      isAvailable: "read_select",
      has_permission: "read_select",
      canAccess: "read_select",
      run_security_scan: "read_select",
    });
  });

  it("takes a run between other words for a thing", () => {
    expectIntents({
      download_workflow_run_artifact: "read_select",
      list_workflow_runs: "read_select",
      delete_workflow_run: "write_delete",
      browser_run_code: "admin",
    });
  });

  it("knows the commonest verbs of a few other languages, with their accents or without", () => {
    expectIntents({
      buscar_producto: "read_select",
      crear_cliente: "write_insert",
      lösche_kunde: "write_delete",
      loesche_kunde: "write_delete",
      créer_facture: "write_insert",
      "atualizar-pedido": "write_update",
    });
  });
});

const collected = join(process.env["STEWARD_CHECK_DATA"] ?? "", "tool-intents.csv");

describe("names seen in public servers (needs STEWARD_CHECK_DATA)", () => {
  it.skipIf(!existsSync(collected))("are read right nineteen times in twenty", () => {
    const confusion = new Map<string, number>();
    const lines = readFileSync(collected, "utf8").trim().split("\n").slice(1);
    for (const line of lines) {
      const [name = "", expected = ""] = line.split(",");
      const cell = `${expected} read as ${categoryOf(intentOfToolName(name))}`;
      confusion.set(cell, (confusion.get(cell) ?? 0) + 1);
    }
    const right = ["read", "write", "governed"].map((c) => confusion.get(`${c} read as ${c}`) ?? 0);
    const accuracy = right.reduce((sum, count) => sum + count, 0) / lines.length;
    expect(accuracy, JSON.stringify(Object.fromEntries(confusion))).toBeGreaterThanOrEqual(0.95);
  });
});

function categoryOf(intent: string | undefined): string {
  if (intent === "read_select") return "read";
  return intent === "admin" ? "governed" : "write";
}
