import { check, select } from '../../fields.ts'
import { urgentFindings } from '../../rules/urgent-findings.ts'
import { siteProtections } from '../../rules/site-protections.ts'
import { sharedGrants } from './grants.ts'
import { undoProtection } from './undo-rules.ts'

/** What the last look at a site's WordPress came to. */
export const wordpressHealthFields = {
  wordpress_health: select(['Good', 'Needs Attention', 'Not Checked'], {
    read_only: true,
    server_owned: true,
    default: 'Not Checked',
    in_standard_filter: true,
    label: 'WordPress health',
  }),
  /** The most urgent of its findings (`urgentFindings`); null: none is urgent. */
  wordpress_problem: select(urgentFindings, { read_only: true, server_owned: true, label: 'WordPress problem' }),
} as const

const ofWordPress = { allow: sharedGrants('write'), for: ['site_type', '=', 'wp'], hidden: true } as const

/** Actions about what is wrong with a site's WordPress. */
export const wordpressHealthActions = {
  check_wordpress_health: {
    ...ofWordPress,
    label: 'Check WordPress health',
    from: ['Live', 'Failed'],
    capability: 'wordpress',
    reads: true,
    keeps: true,
    returns: 'SiteFindings',
  },
  site_health: {
    ...ofWordPress,
    label: 'Check site health',
    from: ['Live', 'Failed'],
    capability: 'wordpress',
    reads: true,
    keeps: true,
    returns: 'SiteHealth',
  },
  set_protection: {
    ...ofWordPress,
    label: 'Change protection',
    activity: 'changed the protection of WordPress',
    from: ['Live'],
    capability: 'protections',
    args: {
      protection: select(siteProtections, { reqd: true, label: 'Protection' }),
      enabled: check({ default: 1, label: 'On' }),
    },
    job: true,
    undo: undoProtection,
  },
} as const
