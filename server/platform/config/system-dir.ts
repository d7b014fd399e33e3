/** Where an installation that root starts keeps what its own accounts must reach and what installations agree on. */
export const SYSTEM_DIR = '/var/lib/easydash'
