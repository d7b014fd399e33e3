/** Where a dump is in the site until it is packed or loaded; hidden names are never served. */
export const dumpPath = 'wp-content/database/.ht.easydash-export.sql'
