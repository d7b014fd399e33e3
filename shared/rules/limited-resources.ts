/** What plans limit. */
export type LimitedResource = 'site' | 'server'
