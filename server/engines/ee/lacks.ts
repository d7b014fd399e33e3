import type { CapabilityName } from '../engine.ts'
import type { ServerRef } from '../site-ref.ts'

/** What no server with EasyEngine can do for its sites, with the reason. */
export const eeLacks = {
  mysql: 'Sites on servers always have their database on MariaDB.',
  preview_link: 'Sites on servers have no preview links.',
  protections: 'Set protections on the server.',
  import: 'Sites on servers are made of backups only. Import the archive on this machine.',
} as const satisfies Partial<Record<CapabilityName, string>>

/** Why a server that was measured cannot make sites with the template of WordPress VIP; null if it can, or nobody knows. */
export const lacksVip = ({ facts }: ServerRef): string | null =>
  facts['git'] === false
    ? 'The template of WordPress VIP needs git: install it on the server, then refresh its facts.'
    : null

/** Why a process without a browser of its own has no screenshots. */
export const noScreenshots = 'Screenshots are taken by the process that runs the sites of its machine.'
