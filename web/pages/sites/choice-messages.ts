import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of what a server can give a new site besides. */
export const tChoice = createCatalog({
  'choice.language': 'Language',
  'choice.language_none': 'Default of the server',
  'choice.version': 'WordPress version',
  'choice.version_hint': 'If empty, the newest. For example 6.8.1.',
  'choice.object_cache_hint': 'Redis keeps pages and queries, so WordPress answers faster. Can’t be changed later.',
  'choice.with_database_hint':
    'A database of the site’s own, which is in its backups. Its code gets the login from a file. Can’t be added later.',
  'choice.vip_hint': 'The folders and plugins of WordPress VIP, from its public template.',
  'choice.ssl': 'SSL certificate',
  'choice.ssl_none': 'None',
  'choice.ssl_hint':
    'Let’s Encrypt needs a domain that points at the server already. If none comes, the site is created without, and says why.',
})
