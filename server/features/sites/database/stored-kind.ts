import type { Site } from '#shared/doctypes/site.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'

/** A kind of database as the document of a site has it: SQLite is what sites have without a choice. */
export const storedKind = (kind: SiteDatabaseKind): Site['database'] => (kind === 'mysql' ? kind : null)
