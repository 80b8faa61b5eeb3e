/**
 * The vocabulary of tool names: all words in lower case, nouns in the singular. Ambiguous words are
 * left out on purpose (`open`, `resolve`, `handle`): an unknown name counts as a write, which is
 * the safe choice.
 */

/** Verbs that only read, or compute from their arguments. */
export const READ_VERBS: ReadonlySet<string> = words(`
  get list read fetch find search lookup look retrieve describe show browse explore inspect discover
  peek poll tail observe receive grep glob aggregate contains exists
  analyze analyse compare explain summarize summarise calculate compute predict classify
  detect diagnose debug decompile disassemble assess probe traceroute whois introspect enumerate visualize visualise display dump recall scrape
  correlate transcribe
  validate lint convert format parse translate encode decode render simulate
  generate recommend suggest infer extract think ask answer echo ping geocode locate paginate
  listar obtener obter buscar consultar leer ler mostrar lister obtenir chercher lire afficher recuperer
  liste hole suche lese zeige finde`);

/** Read verbs that are often nouns: they count only when there is no unambiguous verb. */
export const NOUNLIKE_READ_VERBS: ReadonlySet<string> = words(`
  chat
  query view check count scan filter match sort rank sample sum average export download watch monitor
  track audit preview estimate forecast measure profile diff screenshot transform`);

/**
 * Read verbs only at the start of a name (`select_orders`); later in a name they act
 * (`browser_select_option`).
 */
export const LEADING_READ_VERBS: ReadonlySet<string> = words(
  `select verify wait test evaluate is has can does`,
);

/**
 * Verbs that create something. In their last lines, these lists and the read verbs contain the most
 * common verbs of Spanish, Portuguese, French and German names.
 */
export const INSERT_VERBS: ReadonlySet<string> = words(`
  add create insert append send submit upload import publish push clone duplicate register invite
  reply attach install enqueue ingest init initialize initialise subscribe provision allocate
  compose associate bind connect assume
  crear criar agregar adicionar insertar creer ajouter erstelle`);

/** Verbs that delete something. */
export const DELETE_VERBS: ReadonlySet<string> = words(`
  delete remove drop destroy purge clear clean erase truncate uninstall unlink deregister detach
  terminate trash wipe evict expire pop dismiss discard prune revoke kill flush disassociate disconnect teardown
  decommission deprovision deallocate
  eliminar borrar excluir deletar remover supprimer effacer losche loesche entferne`);

/** Verbs that change existing things or trigger an action. */
export const UPDATE_VERBS: ReadonlySet<string> = words(`
  update upsert write set put store save load edit modify change replace rename move copy merge rebase
  reset restore revert rollback undo redo apply assign approve reject accept decline deny confirm
  cancel close complete finish finalize finalise enable disable activate deactivate archive lock pin
  mark mute follow start stop shutdown pause resume restart reboot launch sync synchronize synchronise refresh
  rotate renew extend migrate increment decrement adjust configure customize customise manage
  administer toggle switch swap join leave redact moderate prioritize prioritise resize promote demote
  upgrade downgrade checkout untar unzip compress pay disburse deploy grant alter impersonate escalate
  delegate notify broadcast dispatch drag click press fill navigate scroll hover failover bootstrap
  react forward acknowledge ack retry suspend unsuspend ban freeze unfreeze quarantine void rebuild reinstall
  rollout drain cordon uncordon taint
  protect expose allow permit authorize authorise deauthorize deauthorise allowlist whitelist denylist blacklist
  regenerate prepare transition attest reload change buy purchase login logout signin signout kick timeout
  actualizar atualizar modificar cambiar guardar modifier mettre aktualisiere andere aendere setze`);

/** Write verbs that are often nouns: they count only when there is no unambiguous verb. */
export const NOUNLIKE_WRITE_VERBS: ReadonlySet<string> = words(`
  post comment commit fork star label message email release build tag book note bookmark schedule
  record request link share charge refund transfer order block type patch draft stage sign vote pull
  trigger capture reserve control stash mint split scale seed draw power`);

/** Verbs that execute something: the effect depends on the executed object. */
export const EXECUTE_VERBS: ReadonlySet<string> = words(
  `execute exec run eval invoke call perform`,
);

/** Objects whose execution can have any effect. */
export const EXECUTABLE_NOUNS: ReadonlySet<string> = words(`
  sql code command cmd script shell bash terminal statement python javascript js program ddl dml
  graphql mutation expression cypher psql mongosh lambda function apex anonymous cli aws gcloud
  pod container host vm`);

/** Objects whose execution only reads. */
export const QUERY_NOUNS: ReadonlySet<string> = words(
  `query search select report lookup scan audit check analysis diagnostic
  dql kql promql logql spl nrql sparql soql jql cql aql analyzer`,
);

/** Objects whose execution only reads the thing named before them. */
export const ANALYSIS_NOUNS: ReadonlySet<string> = words(`analysis analyzer audit scan diagnostic`);

/** Verbs that are governed for every object. */
export const GOVERNING_VERBS: ReadonlySet<string> = words(`
  grant revoke deploy provision alter impersonate failover escalate
  protect authorize authorise deauthorize deauthorise allowlist whitelist denylist blacklist
  teardown decommission deprovision
  reboot power rollout drain cordon uncordon taint`);

/** Verbs that move money, for every object. */
export const MONEY_VERBS: ReadonlySet<string> = words(
  `pay disburse refund charge void buy purchase`,
);

/**
 * Verbs that put something into force. What they do shows outside of the thing that they name, when
 * that is one of {@link ENACTED_NOUNS}.
 */
export const ENACTING_VERBS: ReadonlySet<string> = words(`
  apply finalize finalise activate promote rollback revert release trigger launch start schedule
  sign submit broadcast cancel approve reject upgrade install`);

/** Like these, but only before such an object: alone, they are as often nouns or say nothing. */
export const BINDING_VERBS: ReadonlySet<string> = words(
  `process issue place settle enact withdraw redeem remit wire publish`,
);

/**
 * What decides about other things once it is in force: systems follow it (a manifest, a migration), or
 * others are bound by it (an invoice, a trade).
 */
export const ENACTED_NOUNS: ReadonlySet<string> = words(`
  migration manifest playbook changeset blueprint configuration config release rollout cutover hotfix firmware
  remediation runbook payroll invoice trade swap transaction quote contract agreement`);

/** Nouns that stand for the enacted thing before them: a `migration_plan` is applied as a migration. */
export const CARRIER_NOUNS: ReadonlySet<string> = words(`plan run batch file request`);

/** Programs that change machines and platforms: every write through them is governed. */
export const PLATFORM_PROGRAMS: ReadonlySet<string> = words(`
  kubectl helm terraform pulumi ansible cloudformation ssh docker podman systemctl argocd flux nomad puppet`);

/** Authentication and access rights: every write to such objects is governed. */
export const SIGN_IN_WORDS: ReadonlySet<string> = words(`
  oauth oidc saml sso scim ldap idp iam rbac mfa totp passkey permission privilege acl pki`);

/** Objects that decide about access: every write to them is governed. */
export const ACCESS_NOUNS: ReadonlySet<string> = words(`
  role user policy permission privilege grant acl access credential secret password token certificate
  cert identity principal member collaborator admin administrator owner ownership entitlement
  authorization authorisation authentication mfa sso idp apikey ruleset protection firewall security
  membership invitation invite restriction auth
  team keypair dsn allowlist whitelist denylist blocklist blacklist scope consent passkey`);

/** Words that make a `key` a credential rather than a keyboard key or a lookup key. */
export const KEY_QUALIFIERS: ReadonlySet<string> = words(`
  api access ssh signing encryption kms private public publishable deploy gpg master service`);

/**
 * Structures that hold data and services: every write to them is governed, except adding content.
 */
export const STRUCTURE_NOUNS: ReadonlySet<string> = words(`
  schema table database db column index view constraint migration replication collection keyspace tablespace
  extension partition warehouse catalog namespace
  cluster instance server infrastructure infra bucket volume vpc subnet domain dns stack replica shard
  broker host vm environment organization organisation org tenant account project
  machine droplet vps pod container deployment statefulset daemonset ingress kernel network net ip balancer datasource
  postgres postgresql pg mysql mariadb mongodb redis env
  cdn zone
  app application addon dyno proxy vpn peering listener registry runner connector fleet pool
  nodegroup autoscaler cronjob lambda queue topic datastore hypervisor maintenance integration`);

/**
 * Permanently running services: stopping or resizing them is governed, changing their description
 * is not.
 */
export const RUNNING_NOUNS: ReadonlySet<string> = words(
  `service process ps daemon node worker site`,
);

/** Verbs that stop, start or resize something. */
export const OPERATING_VERBS: ReadonlySet<string> = words(
  `start stop restart shutdown kill scale resize suspend resume upgrade downgrade launch terminate manage`,
);

/** Verbs that change the structure at the start of a name (`droplet_enable_ipv6`). */
export const SWITCHING_VERBS: ReadonlySet<string> = words(
  `enable disable change configure attach detach toggle`,
);

/** Words that make the following noun a deployed thing. */
export const DEPLOYED_QUALIFIERS: ReadonlySet<string> = words(
  `web static cron edge lambda cloud serverless`,
);

/** Nouns that are deployed things after such a word. */
export const DEPLOYED_NOUNS: ReadonlySet<string> = words(`service site job function worker`);

/** Parts of a data model: governed after one of the qualifiers. */
export const MODEL_NOUNS: ReadonlySet<string> = words(`type model`);

/** Words that make such a noun a part of a data model (`content_type`). */
export const MODEL_QUALIFIERS: ReadonlySet<string> = words(
  `content entity record object document custom data type`,
);

/** Verbs that change the set of fields; other verbs may change a field's value. */
export const REMODELLING_VERBS: ReadonlySet<string> = words(`create add delete remove drop rename`);

/** Words that make a `branch` one with rules for everybody. */
export const BRANCH_QUALIFIERS: ReadonlySet<string> = words(`default protected`);

/** Credentials: generating one grants access. */
export const CREDENTIAL_NOUNS: ReadonlySet<string> = words(
  `token secret credential certificate cert keypair apikey key`,
);

/** Work items: assigning one, or people to it, grants no rights. */
export const WORK_NOUNS: ReadonlySet<string> = words(
  `incident alert ticket case issue conversation card task story event meeting`,
);

/** Verbs that connect two things and change neither. */
export const PUTTING_VERBS: ReadonlySet<string> = words(`add remove assign`);

/** Verbs that are never nouns: after a vendor's name, the verb is one of these. */
export const UNMISTAKABLE_VERBS: ReadonlySet<string> = words(
  `get fetch find describe create add edit modify delete remove`,
);

/** Nouns of an action, with the verb. */
export const ACTION_NOUNS: ReadonlyMap<string, string> = new Map([
  ["management", "manage"],
  ["creation", "create"],
  ["deletion", "delete"],
  ["removal", "remove"],
  ["del", "delete"],
  ["rem", "remove"],
]);

/** Words that make a `record` one of the domain name system. */
export const RECORD_QUALIFIERS: ReadonlySet<string> = words(`dns domain zone mx cname txt`);

/** Configuration nouns: governed where the configured thing is. */
export const CONFIGURATION_NOUNS: ReadonlySet<string> = words(
  `setting config configuration parameter option variable`,
);

/** Verbs that add content to a structure without changing the structure. */
export const CONTENT_VERBS: ReadonlySet<string> = words(`
  insert append upsert load import write push ingest upload store save send put copy move sync refresh
  checkout connect disconnect publish subscribe unsubscribe consume`);

/** Shared work that anyone may start or change, but whose deletion or rewriting is governed. */
export const SHARED_NOUNS: ReadonlySet<string> = words(`
  repository repo branch workspace backup snapshot`);

/** What gets new readers when it is shared. */
export const SHAREABLE_NOUNS: ReadonlySet<string> = words(
  `file folder document doc drive dashboard report calendar board sheet spreadsheet`,
);

/** Verbs that end or rewrite something. */
export const ENDING_VERBS: ReadonlySet<string> = words(`
  delete remove drop destroy purge wipe terminate cancel merge rebase reset restore rollback revert
  transfer archive pause disable suspend deactivate`);

/** Contracts, whose termination is governed. */
export const CONTRACT_NOUNS: ReadonlySet<string> = words(
  `subscription contract membership license`,
);

/** Words that make a `subscription` one to notifications, which anyone may cancel. */
export const NOTICE_QUALIFIERS: ReadonlySet<string> = words(
  `webhook event topic notification email push newsletter feed`,
);

/** Words that select which things are returned, in names without a verb. */
export const SELECTING_WORDS: ReadonlySet<string> = words(`
  my current latest recent available active last next top`);

/** Movements of money, some of which another system records too. */
export const MONEY_NOUNS: ReadonlySet<string> = words(`
  refund payout transfer charge payment withdrawal fund money
  chargeback settlement deposit remittance claim`);

/** Nouns that stand for the preceding one: a `policy_version` is a policy. */
export const TRANSPARENT_NOUNS: ReadonlySet<string> = words(`
  version document assignment binding attachment provider definition id name value resource group
  object entry rule list set dispatch`);

/** Observations: switching them on or off does not change the observed thing. */
export const OBSERVATION_NOUNS: ReadonlySet<string> = words(`
  trace tracing video screencast recording profiling profiler monitoring`);

/** Nouns for a result: a name without a verb that ends with one only reads. */
export const RESULT_NOUNS: ReadonlySet<string> = words(`
  log status state history info information detail stat statistic metric tree summary snapshot
  overview schema content context version weather direction distance matrix elevation documentation doc help
  guidance guide helper report result balance usage health capability size whoami thinking recommender
  advisor plan availability freebusy blame reflog changelog backlog timeline feed inbox roster leaderboard top`);

/** Words that join a second verb to the first. */
export const CONJUNCTIONS: ReadonlySet<string> = words(`or and then`);

/** Words that start a place or a means, after the object. */
export const PREPOSITIONS: ReadonlySet<string> = words(`
  to from in into on onto for with without by of at as via using over under between against`);

/** Words without meaning at the end of a name. */
export const NOISE: ReadonlySet<string> = words(`tool async beta latest recent live current
  safely permanently forcefully recursively directly manually automatically`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ""));
}
