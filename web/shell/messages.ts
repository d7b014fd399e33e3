import { createCatalogue } from '#web/lib/catalogue.ts'

/** Texts of the shell. Those that the specification fixes word for word are marked [F]. */
export const words = createCatalogue({
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
  'shell.down': '{count} down',
  'shell.organization': 'Organization: {title}',
  'shell.plan_role': '{plan} plan · {role}',
  'shell.owner': 'Owner',
  'role.Organization Admin': 'Admin',
  'role.Organization Manager': 'Manager',
  'role.Organization User': 'Member',
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
  'shell.running': { one: '{count} running', other: '{count} running' },
  'shell.user_menu': 'User menu',
  // [F]
  'shell.toggle_theme': 'Toggle Theme',
  'shell.help': 'Help and shortcuts',
  'shell.reconnecting': 'Reconnecting… showing data from {time}',
})
