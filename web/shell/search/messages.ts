import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the global search. [F]: fixed verbatim (docs/contracts/screens.md). */
export const tSearch = createCatalog({
  title: 'Search',
  // [F]
  hint: 'Type / to search',
  searching: 'Searching...',
  loading: 'Loading...',
  none: 'No results found',
  pages: 'Pages',
  sites: 'Sites',
  servers: 'Servers',
  users: 'Users',
  sites_failed: 'Error Fetching Sites by Name',
  aliases_failed: 'Error Fetching Sites by Alias Domain',
  wpc_sites_failed: 'Error Fetching WP Cloud Sites',
  servers_failed: 'Error Fetching Servers',
  users_failed: 'Error Fetching Users',
  // Our own texts
  hint_actions: 'Type what to do, such as “archive”, and to what',
  actions: 'Actions',
  recent: 'Recent',
  results: '{count, plural, one {# result} other {# results}}',
  cancel: 'Cancel',
  visit: 'Visit {title}',
  asks: '{phrase}…',
  alias: 'also {alias}',
  profile: 'Profile',
  support: 'Support',
  new_tab: 'opens a new tab',
  keys_move: 'move',
  keys_open: 'open',
  keys_actions: 'actions first',
  keys_results: 'results first',
})
