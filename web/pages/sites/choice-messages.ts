import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the choice of a server for a new site where there is none, and of what one can give it besides. */
export const tChoice = createCatalog({
  'choice.no_server_title': 'No server is ready',
  'choice.no_server':
    'A site needs a healthy server that no job is working on. You see the servers your role can use. The platform admin can let this organization use this machine.',
  'choice.no_server_create':
    'A site needs a healthy server that no job is working on. The platform admin can let this organization use this machine.',
  'choice.no_server_ask':
    'A site needs a healthy server that no job is working on. You see the servers your role can use. An admin of the organization can create one, or the platform admin can let the organization use this machine.',
  'choice.no_server_button': 'Create a server',
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
