import type { Site } from '#shared/doctypes/site.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'

/** A kind of database as the document of a site has it: nothing where it is the engine's own. Undefined: the engine has no choice. */
export const storedKind = (kind: SiteDatabaseKind | undefined): Site['database'] => (kind === 'mysql' ? kind : null)
