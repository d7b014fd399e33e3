import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of plugin updates and shares of many sites. */
export const t = createCatalog({
  'plugin.button': 'Update plugin…',
  'plugin.title': 'Update a plugin on {count, plural, one {# site} other {# sites}}',
  'plugin.intro':
    'Plugins for which a newer version is known, as last read from each site. Each site is checked after its update, and set back if it no longer works.',
  'plugin.field': 'Plugin',
  'plugin.option': '{name} {version} ({count, plural, one {# site} other {# sites}})',
  'plugin.some':
    '{count, plural, one {# site is updated.} other {# sites are updated.}} {skipped, plural, =0 {None is left out.} one {# is left out: it is not known to have an update of this plugin.} other {# are left out: they are not known to have an update of this plugin.}}',
  'plugin.none': 'No updates are known for these sites',
  'plugin.none_hint': 'Open the WordPress tab of a site to read its plugins again.',
  'plugin.error': 'The plugins could not be read',
  'plugin.cancel': 'Cancel',
  'plugin.start': 'Update plugin ({n})',
  'share.button': 'Share…',
  'share.title': 'Share {count, plural, one {# site} other {# sites}}',
  'share.intro': 'A site that is shared with this member already gets the access chosen here instead.',
  'share.member': 'Member',
  'share.choose': 'Choose a member',
  'share.member_missing': 'Choose a member.',
  'share.access': 'Access',
  'share.error': 'The members did not load',
  'share.none': 'Nobody needs a share',
  'share.none_hint': 'Admins and managers can access every site. Invite a member to share sites with.',
  'share.busy': 'Another action on several rows is in progress. Wait until it has ended.',
  'share.label': 'Share with {member}',
  'share.noun_one': 'site',
  'share.noun': 'sites',
  'share.cancel': 'Cancel',
  'share.start': 'Share ({n})',
})
