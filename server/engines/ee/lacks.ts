import type { CapabilityName } from '../engine.ts'

/** What no server with EasyEngine can do for its sites, with the reason. */
export const eeLacks = {
  sleep: 'Sites on servers run all the time.',
  mysql: 'Sites on servers always have their database on MariaDB.',
  debug_mode: 'EasyEngine has no debug mode that ends by itself.',
  maintenance: 'EasyEngine has no maintenance page of single sites.',
  preview_link: 'Sites on servers have no preview links.',
  protections: 'Set protections on the server.',
  domain_change: 'EasyEngine cannot give a site another primary domain. Add the domain as an alias.',
  ssh: 'EasyEngine has no SSH access to single sites.',
  shell: 'EasyEngine has no shell for single sites.',
  checksums: 'Files of sites on servers are not compared with the original ones.',
} as const satisfies Partial<Record<CapabilityName, string>>
