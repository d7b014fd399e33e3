import type { Capability, CapabilityName } from '../engine.ts'

const yes: Capability = { supported: true }

/** Installed PHP versions, ascending. */
export const localPhpVersions: readonly string[] = ['8.2', '8.3', '8.4', '8.5']

/**
 * Capabilities that are the same on every machine, with the reason for unsupported ones. Screenshots and MySQL depend on what
 * is installed.
 */
export const localCapabilities: Readonly<Record<Exclude<CapabilityName, 'thumbnail' | 'mysql'>, Capability>> = {
  create_wp: yes,
  create_php: yes,
  create_html: yes,
  archive: yes,
  login_link: yes,
  php_version: yes,
  cron: yes,
  wordpress: yes,
  checksums: yes,
  core_version: yes,
  protections: yes,
  logs: yes,
  clone: yes,
  staging: yes,
  export: yes,
  import: yes,
  aliases: yes,
  domain_change: yes,
  database: yes,
  sql_console: yes,
  php_console: yes,
  sleep: yes,
  php_limits: yes,
  debug_mode: yes,
  maintenance: yes,
  http_auth: yes,
  preview_link: yes,
  wordpress_settings: yes,
  suspend: yes,
  facts: yes,
  files: yes,
  backup: { supported: false, reason: 'Backups of local sites are not available yet.' },
  ssh: { supported: false, reason: 'Sites on this machine run inside the dashboard and have no SSH access.' },
  tls: {
    supported: false,
    reason: 'Sites on this machine answer over plain HTTP; put a TLS proxy in front to change that.',
  },
  multisite: yes,
  multisite_subdomains: {
    supported: false,
    reason: 'Networks with subdomains need a wildcard name, which this machine lacks.',
  },
  object_cache: { supported: false, reason: 'PHP on this machine has no shared memory for an object cache.' },
  shell: { supported: false, reason: 'Sites on this machine cannot start programs.' },
  mail_delivery: { supported: false, reason: 'Mail of local sites is kept in their outbox and not delivered.' },
}
