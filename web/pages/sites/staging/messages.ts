import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about staging sites and pushes from them. */
export const t = createCatalog({
  'staging.sites': 'Staging sites',
  'staging.network': 'A network of sites can’t have a staging site. Clone it, and try your changes in the clone.',
  'staging.network_on_server':
    'A network of sites can’t have a staging site, and is not copied on servers. Back it up before you change it: the backup can be restored in its place.',
  'staging.php_database':
    'A PHP site with a database can’t have a staging site: what is in its database, only its code knows. Clone it, and try your changes in the clone.',
  'staging.sites_hint':
    'A staging site is a copy to try changes on. Visitors need a password, search engines are told to stay away, and email stays in its own mailbox. What you changed there can be pushed back.',
  'staging.none': 'There is no staging site of {site} yet.',
  'staging.error': 'The staging sites did not load',
  'staging.created': 'Created',
  'staging.kept': 'Last push',
  'staging.kept_hint': 'The state before the push of {name} is kept until the next push or restore.',
  'staging.of': 'Staging of',
  'staging.gone': 'The site that this was the staging site of was deleted, or you can’t see it.',
  'staging.password':
    'Visitors need the user name and password that are under Configurations, Visitors. People who open the admin from here need none.',

  'push.title': 'Push to {site}',
  'push.hint':
    'Compares this site and {site} with what both were when staging was created. Nothing changes until you push.',
  'push.error': 'The plan did not load',
  'push.compare': 'Compare',
  'push.again': 'Compare again',
  'push.made': 'Compared {when}',
  'push.nothing': 'Nothing was changed on staging, so there is nothing to push.',
  'push.changes': 'What changed since staging was created',
  'push.on_staging': 'On staging',
  'push.on_live': 'On {site}',
  'push.no_changes': 'No changes',
  'push.added': '{count, number} added',
  'push.changed': '{count, number} changed',
  'push.deleted': '{count, number} removed',
  'push.samples': 'Examples',
  'push.kept_note': 'Everything that is new on {site} is kept.',
  'push.kept_unless': 'Everything that is new on {site} is kept, unless you choose staging for all content.',
  'push.do_add': 'added',
  'push.do_change': 'changed',
  'push.do_delete': 'removed',

  'clash.title': 'Changed on both sides',
  'clash.hint': 'Decide for each. Unless you choose staging, {site} stays as it is.',
  'clash.none': 'Nothing was changed on both sides.',
  'clash.count': '{count, plural, one {# decision} other {# decisions}}',
  'clash.more':
    '{count, plural, one {# more is not listed: {site} stays as it is there, unless you take staging for all.} other {# more are not listed: {site} stays as it is there, unless you take staging for all.}}',
  'clash.all': 'Take staging for all: {kind}',
  'clash.keep': 'Keep {site}',
  'clash.take': 'Take staging',
  'clash.both': 'Keep both: staging’s gets another number',
  'clash.drop': 'Leave out what is new on staging',
  'clash.hidden': 'Hidden, because it is or contains a secret',
  'clash.database_label': 'All content',
  'clash.database':
    'On this server, content is pushed as a whole. With staging’s, everything that the list above names for {site} is lost there: posts, orders, comments and users.',
  'clash.number': 'Both sides made something new that got the same number.',

  'kind.files': 'Files',
  'kind.posts': 'Posts, pages and media',
  'kind.comments': 'Comments',
  'kind.users': 'Users',
  'kind.terms': 'Categories and tags',
  'kind.options': 'Options',
  'kind.orders': 'Orders',
  'kind.other': 'Other tables',
  'kind.database': 'Content',

  'notes.title': 'Not merged',
  'notes.no_key': '{table} has no key, so its rows cannot be told apart. It stays as it is.',
  'notes.removed': '{table} is gone on staging. It stays on the live site.',
  'notes.columns': '{table} has other columns by now. Only the columns that both have are merged.',

  'what.title': 'What to push',
  'what.files': 'Files',
  'what.files_hint': 'Plugins, themes, media and all other files. wp-config.php, logs and caches are left out.',
  'what.database': 'Content',
  'what.database_hint':
    'What the database has: posts, users, options and more. Address, search engine visibility, caches and sessions are left out.',
  'what.push': 'Push to {site}…',
  'what.choose': 'Choose files, content or both.',

  'back.button': 'Roll back the push…',
  'back.title': 'Roll back the push?',
  'back.text': '{site} becomes what it was right before the push. Everything that changed since then is lost.',
  'back.looking': 'Looking for what changed since the push…',
  'back.lost': 'Changed since the push, and lost with it:',
  'back.kind': '{kind}: {changes}',
  'back.nothing': 'Nothing changed since the push.',
  'back.unknown': 'It is not known what changed since the push.',
  'back.confirm': 'Roll back the push',

  'confirm.title': 'Push to {site}?',
  'confirm.text':
    'Visitors of {site} see a maintenance page until the push is done. If anything fails, {site} gets its previous files and content back by itself. The state before the push is kept, so you can roll it back.',
  'confirm.old':
    'It replaces what was kept of an earlier push or restore: that one can’t be taken back any more, even if its 7 days are not over.',
  'confirm.cancel': 'Cancel',
  'confirm.confirm': 'Push',
})
