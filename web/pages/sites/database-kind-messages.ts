import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the kinds of databases. */
export const t = createCatalog({
  'kind.sqlite': 'SQLite',
  'kind.mysql': 'MySQL or MariaDB',
  'kind.sqlite_hint':
    'The database is a file of the site. Almost everything works with it. WooCommerce, and plugins that need MySQL itself, work on MySQL.',
  'kind.mysql_hint':
    'The site has a database of its own on this machine’s server. WooCommerce, and plugins that need MySQL itself, work.',
  'kind.mariadb': 'MariaDB',
  'kind.mariadb_hint':
    'The site’s code gets the login as an array: require "/var/www/database.php" has host, port, name, user and password.',
})
