import { backupActions, backupDeclaration, scheduleDeclaration } from './backups.ts'
import { billingActions, billingDeclarations } from './billing.ts'
import { connectionDeclaration, credentialNames } from './connections.ts'
import { deploymentActions, deploymentDeclaration } from './deployments.ts'
import type { Letter } from './notation.ts'
import type { PersonKey } from './people.ts'
import { adminActions, plainSiteActions } from './plain-site-actions.ts'
import { alertRuleDeclaration, serverActions } from './server-actions.ts'
import { wpcSiteActions, wpcSiteDeclaration } from './wpc-sites.ts'

/**
 * Maps the fixture's rows to the product's names. If a doctype, action, secret field or method of the product isn't listed
 * here, the suite fails: nothing becomes callable without an expectation.
 */

/** How a doctype is tested. */
export interface DoctypeDeclaration {
  /** Fields some client can set; all other fields stay unchanged, whatever is sent. */
  readonly writable?: string
  /**
   * Server-owned fields that clients can see (roles, billing, state): values sent for them are ignored, as for standard
   * fields, and don't cause the write to be rejected.
   */
  readonly ignoredFields?: string
  /** Fields that clients can see and only the server sets: another value is rejected (403). */
  readonly refusedFields?: string
  /** A field with a separate value for each user. */
  readonly personal?: string
  /** Values that change something, used to test writes. */
  readonly probe: Readonly<Record<string, unknown>>
  /** Rows of the table about creating it. Default: can't be created through the document API. */
  readonly drafts?: readonly DraftDeclaration[]
}

/** A document to try to create. `@Doctype/key` refers to a subject. */
export interface DraftDeclaration {
  readonly title: string
  readonly row: string
  readonly values: Readonly<Record<string, unknown>>
  /** Whether it is on a development server. */
  readonly development?: boolean
  /** Links to a document not visible in acme: nobody can create it. */
  readonly foreignLink?: true
  /** Any verified user can create it (the last rows of the table). */
  readonly verified?: true
  /** Role the new row grants. */
  readonly role?: string
  /** Only this person can create it: it goes into their own account. */
  readonly self?: PersonKey
}

const siteDraft = (title: string, server: string, more: Partial<DraftDeclaration> = {}): DraftDeclaration => ({
  title,
  row: 'Site',
  values: { organization: 'acme', domain: `d-${title.replaceAll(' ', '-')}`, server, site_type: 'html' },
  ...more,
})

/** Doctypes by name. */
export const doctypeDeclarations: Readonly<Record<string, DoctypeDeclaration>> = {
  Server: {
    writable:
      'hostname server_category cloud_provider connection vm_country vm_region vm_type vm_image vm_ebs_size plan public_ipv4 private_ipv4 public_ipv6 private_ipv6 floating_ip is_imported_with_ee public_ipv4_server_import authorized_keys randomised_http_auth default_site_password',
    ignoredFields: 'status locked_by_job',
    refusedFields: 'engine _owner',
    personal: 'favorite',
    probe: { floating_ip: '192.0.2.7' },
    drafts: [
      {
        title: 'server',
        row: 'Server',
        // Ordering one needs an account.
        values: {
          ...{ organization: 'acme', hostname: 'draft.acme.test', server_category: 'development' },
          cloud_provider: 'Custom',
        },
        development: true,
      },
    ],
  },
  Site: {
    writable: 'php_version title client project notes',
    ignoredFields: 'status createdby_email locked_by_job',
    refusedFields: 'engine',
    personal: 'favorite',
    probe: { php_version: '8.2' },
    drafts: [
      siteDraft('on a development server', '@Server/dev', { development: true }),
      siteDraft('on a production server', '@Server/prod'),
      siteDraft('on a foreign server', '@Server/foreign', { foreignLink: true }),
      siteDraft('on no server', 'nosuchserv', { foreignLink: true }),
    ],
  },
  Organization: {
    writable: `title ${credentialNames} default_authorized_keys slack_on_failure slack_on_sites slack_on_people slack_on_settings`,
    ignoredFields: 'plan',
    refusedFields:
      'new_owner _owner is_default_slug enabled module_ee local_engine enable_vip_template require_two_factor',
    probe: { title: 'acme-marker' },
    drafts: [{ title: 'organization', row: 'Organization', values: { title: 'Draft' }, verified: true }],
  },
  Connection: connectionDeclaration,
  'WPC Site': wpcSiteDeclaration,
  'Site Backup': backupDeclaration,
  Deployment: deploymentDeclaration,
  'Backup Schedule': scheduleDeclaration,
  'Alert Rule': alertRuleDeclaration,
  'Organization Member': {
    writable: 'organization_role',
    probe: { organization_role: 'Organization Manager' },
    // The table lets nobody create it: people join by invitation.
    drafts: [
      {
        title: 'as user',
        row: 'Organization Member',
        values: {
          parent: 'acme',
          parenttype: 'Organization',
          parentfield: 'members',
          user: 'founder@easydash.example',
          organization_role: 'Organization User',
        },
      },
    ],
  },
  User: {
    writable:
      'first_name last_name username enabled role_profile_name roles gender language time_zone user_image location interest bio birth_date phone mobile_no accept_newsletter full_name',
    ignoredFields: 'enabled email_verified role_profile_name roles two_factor',
    probe: { bio: '@unique' },
  },
  'User Meta': {
    writable: 'ssh_username github_username ssh_key preferences',
    refusedFields: 'current_organization is_github_authorised',
    probe: { github_username: '@unique' },
  },
  Job: { probe: { label: 'probe' } },
  'Bulk Run': { probe: { label: 'probe' } },
  Activity: { probe: { action: 'probe' } },
  DocShare: { probe: { write: 1 } },
  'Member Invite': {
    probe: { organization_role: 'Organization Admin' },
    drafts: (['User', 'Manager', 'Admin'] as const).map((role) => ({
      title: `as ${role}`,
      row: 'Member Invite',
      values: { organization: 'acme', user: '@new', organization_role: `Organization ${role}` },
      role: `Organization ${role}`,
    })),
  },
  'SSH Key': {
    writable: 'title public_key fingerprint',
    probe: { title: 'probe' },
    drafts: [
      {
        title: "for the member's account",
        row: 'User (self), SSH key, sessions',
        values: {
          parent: 'member@acme.example',
          parenttype: 'User Meta',
          parentfield: 'ssh_key',
          title: 'x',
          public_key: '@key',
        },
        self: 'member',
      },
      {
        title: 'without an account',
        row: 'User (self), SSH key, sessions',
        values: { title: 'x', public_key: '@key' },
        verified: true,
      },
    ],
  },
  File: {
    writable: 'file_name',
    probe: { folder: 'Home' },
  },
  Plan: {
    writable: 'site_limit server_limit plan_cost currency features',
    probe: { features: 'probe' },
  },
  'Platform Settings': {
    writable: 'plans_enabled',
    probe: { plans_enabled: 1 },
  },
  'Site Quota': {
    writable: 'disk_mb files log_mb outbox_mb',
    probe: { log_mb: 17 },
  },
  ...billingDeclarations,
  'API Token': { probe: { title: 'probe' } },
  'Notification Log': { writable: 'read', ignoredFields: 'subject severity', probe: { read: 1 } },
  'Saved View': {
    writable: 'title filters any_filters order_by columns shared',
    probe: { title: '@unique' },
    drafts: [
      {
        title: 'of sites',
        row: 'saved view, private',
        values: { organization: 'acme', title: 'draft', reference_doctype: 'Site' },
      },
    ],
  },
}

/** Expectation for an action. */
export interface ActionDeclaration {
  readonly row: string
  /** For rows of documents: the letter it needs. */
  readonly letter?: Letter
  /** For rows with verbs: its verb. */
  readonly verb?: string
  /** Needs a recent password check, so API tokens can never run it. */
  readonly reauth?: true
  /** Never allowed with an API token, whatever its scopes. */
  readonly tokens?: false
  /** Changes nothing: a token needs no write scope. */
  readonly reads?: true
  /** The response identifies people: a token also needs the scope for members. */
  readonly people?: true
  /** Adds a person: a token can only add plain members. */
  readonly invites?: true
  /** Valid arguments, so that only the password check is missing; for the person whose check is too old. */
  readonly complete?: Readonly<Record<string, unknown>>
  /** Has a lasting effect, or can't work here, so only people who aren't allowed try it. */
  readonly lasting?: true
}

/** Actions of a site that change it, or show what only those see who can change it. */
const siteActions = (names: string): Record<string, ActionDeclaration> =>
  Object.fromEntries(
    names
      .split(' ')
      .map((name) => [`Site.${name}`, { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' }]),
  )

/** Actions by `Doctype.action`. */
export const actionDeclarations: Readonly<Record<string, ActionDeclaration>> = {
  ...serverActions,
  ...wpcSiteActions,
  ...backupActions,
  ...deploymentActions,
  ...plainSiteActions,
  'Site.set_php_version': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.wordpress_facts': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)', reads: true },
  'Site.inspect_wordpress': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.wordpress_users': {
    row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)',
    people: true,
    reads: true,
  },
  'Site.add_wordpress_user': {
    row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)',
    tokens: false,
  },
  'Site.set_wordpress_role': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.reset_wordpress_password': {
    row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)',
    tokens: false,
  },
  'Site.delete_wordpress_user': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.run_cron': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.run_due_events': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.pause_scheduled_events': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.flush_cache': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.verify_checksum': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.checksum_report': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)', reads: true },
  ...siteActions('login_link files_folder take_picture set_php_version restore_archive'),
  ...siteActions('log_sources read_log clear_log list_mails read_mail delete_mail clear_mails'),
  ...siteActions(
    'set_limits set_debug maintenance set_http_auth regenerate_http_auth read_wordpress_settings set_title save_wordpress_settings',
  ),
  'Site.check_wordpress_health': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.uptime': { row: 'Site', letter: 'R', reads: true },
  'Site.check_now': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.set_uptime_keyword': { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' },
  'Site.reveal': {
    row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)',
    reauth: true,
    complete: { fieldname: 'http_auth_password' },
  },
  'Site.suspend': { row: 'Site', letter: 'D' },
  'Site.resume': { row: 'Site', letter: 'D' },
  'Site.archive': { row: 'Site', letter: 'D' },
  'Site.delete_permanently': { row: 'Site', letter: 'D' },
  'Site.share': { row: 'site owner, share', people: true },
  'Site.unshare': { row: 'site owner, share' },
  'Site.list_shares': { row: 'site owner, share', reads: true, people: true },
  'Site.list_privileged': { row: 'site owner, share', reads: true, people: true },
  'Site.set_owner': { row: 'site owner, share', people: true },
  'Organization Member.password_link': { row: 'password link for a member', reauth: true },
  'Member Invite.resend': { row: 'Member Invite', letter: 'C', invites: true },
  'Member Invite.copy_link': { row: 'Member Invite', letter: 'C', tokens: false },
  'Member Invite.confirm': { row: 'Member Invite', letter: 'C', tokens: false },
  'Member Invite.revoke': { row: 'Member Invite', letter: 'D' },
  'API Token.revoke': { row: 'API token (role ∩ scopes, one org)', letter: 'D' },
  'Organization.list_invitations': { row: 'Member Invite', letter: 'R', reads: true, people: true },
  'Organization.list_members': { row: 'Organization Member', letter: 'R', reads: true, people: true },
  'Organization.candidates_for_change_owner': {
    row: 'owner transfer (to joined admin), delete org',
    reads: true,
  },
  'Organization.transfer_ownership': {
    row: 'owner transfer (to joined admin), delete org',
    reauth: true,
    complete: { new_owner: 'admin@acme.example' },
  },
  'Organization.delete_organization': {
    row: 'owner transfer (to joined admin), delete org',
    reauth: true,
    complete: { confirm_name: 'acme' },
  },
  'Organization.leave': { row: 'leave the organization', tokens: false, lasting: true },
  'Organization.set_modules': {
    row: 'plan tiers, modules of an organization, local engine grant, outbox, health',
    verb: 'modules',
  },
  'Organization.require_two_factor': {
    row: 'Org credentials and keys',
    verb: 'set',
    reauth: true,
    complete: { required: 0 },
  },
  // Opens the stored key, which is a leak marker here.
  'Organization.download_recovery_key': { row: 'recovery key of the backups', reauth: true, lasting: true },
  'Organization.make_server_access_token': { row: 'server_access_token', verb: 'make', reauth: true },
  'Organization.revoke_server_access_token': { row: 'server_access_token', verb: 'revoke' },
  'Organization.set_login_provider': {
    row: 'login provider',
    reauth: true,
    complete: {
      issuer: 'https://login.acme.example',
      client_id: 'dashboard',
      client_secret: 'a secret',
      domains: 'acme.example',
    },
  },
  // Asks the provider.
  'Organization.test_login_provider': { row: 'login provider', reauth: true, lasting: true },
  'Organization.renew_login_address': { row: 'login provider', reauth: true },
  'Organization.list_login_links': { row: 'login links', letter: 'R', reads: true, people: true },
  'Organization.remove_login_link': { row: 'login links', letter: 'D', tokens: false },
  'Organization.test_connection': {
    row: 'Org credentials and keys',
    verb: 'test',
  },
  // Asks the vendor.
  'Connection.test': { row: 'Org credentials and keys', verb: 'test', lasting: true },
  'Organization.clear_credentials': { row: 'Org credentials and keys', verb: 'clear' },
  ...billingActions,
  'Job.cancel': { row: 'Job cancel, retry' },
  'Job.retry': { row: 'Job cancel, retry' },
  'Job.continue_anyway': { row: 'Job cancel, retry' },
  ...adminActions,
}
