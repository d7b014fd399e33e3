import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the shell. [F]: fixed verbatim (docs/contracts/screens.md). */
export const tShell = createCatalog({
  // Shell
  'shell.sidebar': 'Sidebar',
  'shell.main_nav': 'Main',
  'shell.menu': 'Menu',
  'shell.home': 'Home',
  'shell.toggle_sidebar': 'Toggle sidebar',
  'shell.general': 'General',
  'shell.dashboard': 'Dashboard',
  'shell.sites': 'Sites',
  'shell.servers': 'Servers',
  'shell.manage': 'Manage',
  'shell.users': 'Users',
  'shell.settings': 'Settings',
  'shell.billing': 'Billing',
  'shell.support': 'Support',
  'shell.platform': 'Platform',
  'shell.members': 'Members',
  'shell.members_count': '{count, plural, one {Members: # person} other {Members: # people}}',
  'shell.members_of': 'Members of {title}',
  'shell.search': 'Search',
  // [F]
  'shell.search_hint': 'Type / to search',
  'shell.views_of': 'Views of {label}',
  'shell.favorites': 'Favorites',
  'shell.down': '{count} down',
  'shell.organization': 'Organization: {title}',
  'shell.plan_role': '{plan} plan · {role}',
  // [F]
  'shell.search_organization': 'Search organization',
  'shell.organization_not_found': 'Organization not found.',
  'shell.create_organization': 'Create organization',
  'shell.usage': 'Usage',
  'shell.usage_of': '{used} of {limit}',
  'shell.limit_reached': 'Limit reached',
  'shell.over_limit': 'Over limit',
  'shell.breadcrumb': 'Breadcrumb',
  'shell.jobs': 'Jobs',
  'shell.running': '{count, number} running',
  'shell.user_menu': 'User menu',
  // [F]
  'shell.profile': 'Profile',
  'shell.toggle_theme': 'Toggle Theme',
  'shell.help': 'Help and shortcuts',
  'shell.reconnecting': 'Reconnecting… showing data from {time}',
})
