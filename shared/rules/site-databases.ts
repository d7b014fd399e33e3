/** Kinds of database a WordPress site can have. */
export const siteDatabases = ['sqlite', 'mysql'] as const

/** One of `siteDatabases`. */
export type SiteDatabaseKind = (typeof siteDatabases)[number]
