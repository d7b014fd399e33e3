import { check, data, int } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

const ofNetworks = {
  allow: sharedGrants('write'),
  for: ['site_type', '=', 'wp'],
  capability: 'multisite',
  hidden: true,
} as const

/** Actions on networks of sites (multisite). */
export const networkActions = {
  convert_to_network: {
    ...ofNetworks,
    label: 'Turn on multisite',
    phrase: 'Turn on multisite for {title}',
    keywords: ['Network'],
    activity: 'turned on multisite',
    from: ['Live'],
    confirm:
      'The site becomes the first of a network. More sites can be added below its address, with the same users, plugins and themes. Visitors wait a moment, and everybody is logged out. It can’t easily become a single site again: clone it first if you are not sure.',
    confirm_field: 'domain',
    job: true,
    danger: true,
  },
  add_network_site: {
    ...ofNetworks,
    label: 'Add site to network',
    activity: 'added a site to the network',
    from: ['Live', 'Failed'],
    args: {
      path: data({ reqd: true, length: 60, label: 'Path' }),
      title: data({ reqd: true, length: 100, label: 'Title' }),
    },
    returns: 'WordPressChanged',
  },
  delete_network_site: {
    ...ofNetworks,
    label: 'Delete site of network',
    activity: 'deleted a site of the network',
    from: ['Live', 'Failed'],
    args: { site: int({ reqd: true, min: 2, max: 2_000_000_000, label: 'Site' }) },
    returns: 'WordPressChanged',
    danger: true,
  },
  set_theme_network: {
    ...ofNetworks,
    label: 'Enable theme for network',
    activity: 'changed which sites of the network can use a theme',
    from: ['Live', 'Failed'],
    args: {
      theme: data({ reqd: true, length: 200, label: 'Theme' }),
      enabled: check({ default: 0, label: 'Enabled' }),
    },
    returns: 'WordPressChanged',
  },
  set_super_admin: {
    ...ofNetworks,
    label: 'Set super admin',
    activity: 'changed who is a super admin of the network',
    from: ['Live', 'Failed'],
    args: {
      login: data({ reqd: true, length: 60, label: 'Login name' }),
      enabled: check({ default: 0, label: 'Super admin' }),
    },
    returns: 'WordPressChanged',
    danger: true,
  },
} as const
