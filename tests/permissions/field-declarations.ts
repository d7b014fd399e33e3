import { billingHidden } from './billing.ts'
import { credentialSecrets } from './connections.ts'
import { hiddenOfDeployments } from './deployments.ts'

/** Fields never returned in plain text to anyone and not usable in queries. */
export const secretFields: Readonly<Record<string, readonly string[]>> = {
  Organization: ['client_secret', ...credentialSecrets, 'deployment_key', 'server_access_token', 'backup_identity'],
  Connection: [...credentialSecrets, 'github_webhook_secret'],
  Server: ['randomised_http_auth', 'default_site_password'],
  Site: ['http_auth_password'],
  'Subscription Organization': ['payment_secret'],
}

/** Fields never sent to clients. */
export const hiddenFields: Readonly<Record<string, readonly string[]>> = {
  Organization: [
    'backup_identity',
    'slack_cursor',
    'site_limit_override',
    'server_limit_override',
    'site_quota_overrides',
    'access_token_sha256_hash',
  ],
  Server: ['engine_host', 'facts', 'first_host_key', 'machine_hostname', 'ssh_host_key', 'ssh_private_key'],
  Site: ['engine_host', 'admin_password', 'import_archive', 'import_backup', 'import_report', 'deploy_due'],
  'WPC Site': ['admin_password', 'is_ordered'],
  'Site Backup': ['sha256', 'chain', 'removal_due', 'removal_tries', 'reported_as'],
  Deployment: hiddenOfDeployments,
  User: ['two_factor'],
  Job: ['args', 'heartbeat', 'shared_server', 'waiting_call', 'waits_since', 'unavailable_since'],
  Activity: ['sequence', 'hash_version'],
  DocShare: ['submit'],
  'Notification Log': ['activity'],
  'Member Invite': ['token_hash'],
  File: ['organization', 'stored_name'],
  'API Token': ['secret_hash'],
  ...billingHidden,
}

/** Fields with names that sound like secrets but aren't. */
export const plainFields: ReadonlySet<string> = new Set([
  'Organization.default_authorized_keys',
  'Organization.deployment_key_public',
  'Server.authorized_keys',
  'Server.host_key',
  'Activity.previous_hash',
  'Activity.hash',
  'Activity.token',
  'Organization.server_access_token_made',
  'Organization.login_key',
  'User Meta.ssh_key',
  'SSH Key.public_key',
  'File.content_hash',
  'API Token.api_key',
])
