import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about networks of sites on the WordPress tab of a site. */
export const t = createCatalog({
  'network.title': 'Network',
  'network.single': 'This is a single site. With multisite it becomes the first of a network of sites.',
  'network.admin': 'Open network admin',
  'network.add': 'Add site…',
  'network.main': 'First site',
  'network.archived': 'Archived',
  'network.spam': 'Spam',
  'network.deleted': 'Deactivated',
  'network.menu_of': 'More actions for {title}',
  'network.delete': 'Delete…',
  'network.delete_main': 'The first site of a network can’t be deleted.',
  'network.delete_title': 'Delete {title}?',
  'network.delete_text':
    'The posts, pages, settings and media of {path} are deleted. There is no undo. Users, plugins and themes stay.',
  'network.delete_confirm': 'Delete site',
  'network.more': 'The oldest {shown} of {total}',
  'network.subdomains': 'Sites with subdomains are added in the network admin.',
  'network.add_title': 'Add a site to the network',
  'network.add_hint': 'It gets the users, plugins and themes of the network, and no content.',
  'network.path': 'Path',
  'network.path_hint': 'The site will answer at {url}',
  'network.path_wrong': 'Enter lowercase letters, digits and hyphens.',
  'network.site_title': 'Title',
  'network.title_missing': 'Enter a title.',
  'network.close': 'Close',
  'network.add_confirm': 'Add site',
})
