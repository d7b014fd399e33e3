import { compareVersions } from '#shared/rules/wordpress-versions.ts'
import type { CapabilityName } from '../engine.ts'
import type { ServerRef } from '../site-ref.ts'

/** What no server with EasyEngine can do for its sites, with the reason. */
export const eeLacks = {
  mysql: 'Sites on servers always have their database on MariaDB.',
  preview_link: 'Sites on servers have no preview links.',
  protections: 'Set protections on the server.',
  import: 'Sites on servers are made of backups only. Import the archive on this machine.',
} as const satisfies Partial<Record<CapabilityName, string>>

const serverLacks = {
  git: 'The template of WordPress VIP needs git: install it on the server, then refresh its facts.',
  certificates:
    'EasyEngine shows the certificates of sites from version 4.9.3 on. Upgrade EasyEngine on the page of the server.',
} as const

/** Why a server that was measured cannot make sites with the template of WordPress VIP; null if it can, or nobody knows. */
export const lacksVip = ({ facts }: ServerRef): string | null => (facts['git'] === false ? serverLacks.git : null)

/** Whether the EasyEngine of a server is known to be older than a version. */
export function isOlderThan({ facts }: ServerRef, version: string): boolean {
  const { easyengine } = facts
  return (
    typeof easyengine === 'string' &&
    /^\d{1,3}(\.\d{1,3}){1,2}$/.test(easyengine) &&
    compareVersions(easyengine, version) < 0
  )
}

/** Why certificates of a server cannot be read, which their changes depend on; null if they can, or nobody knows. `ee site ssl-info` came with 4.9.3. */
export const lacksCertificates = (server: ServerRef): string | null =>
  isOlderThan(server, '4.9.3') ? serverLacks.certificates : null

/** Why a process without a browser of its own has no screenshots. */
export const noScreenshots = 'Screenshots are taken by the process that runs the sites of its machine.'
