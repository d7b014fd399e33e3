import type { Capability, CapabilityName } from '../engine.ts'

const yes: Capability = { supported: true }
function unavailable(reason: string): Capability {
  return { supported: false, reason }
}

/** Installed PHP versions, ascending. */
export const localPhpVersions: readonly string[] = ['8.2', '8.3', '8.4', '8.5']

/**
 * Capabilities that are the same on every machine, with the reason for unsupported ones. Screenshots depend on what is
 * installed.
 */
export const localCapabilities: Readonly<Record<Exclude<CapabilityName, 'thumbnail'>, Capability>> = {
  create_wp: yes,
  create_php: yes,
  create_html: yes,
  archive: yes,
  login_link: yes,
  php_version: yes,
  cron: unavailable('Easydash does not run scheduled tasks of sites on request yet.'),
  logs: unavailable('Easydash does not show logs of sites yet.'),
  sleep: yes,
  facts: yes,
  backup: unavailable('Backups of local sites are not available yet.'),
  ssh: unavailable('Sites on this machine run inside the dashboard and have no SSH access.'),
  tls: unavailable('Sites on this machine answer over plain HTTP; put a TLS proxy in front to change that.'),
  object_cache: unavailable('PHP on this machine has no shared memory for an object cache.'),
  shell: unavailable('Sites on this machine cannot start programs.'),
  mail_delivery: unavailable('Mail of local sites is kept in their outbox and not delivered.'),
}
