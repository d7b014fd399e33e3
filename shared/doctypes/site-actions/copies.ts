import { data, link } from '../../fields.ts'
import { sharedGrants } from './grants.ts'
import { stagingActions, stagingFields } from './staging.ts'
import { portableActions, portableFields } from './portable.ts'

/** Where a site comes from. */
export const copiesFields = {
  /** The site it was cloned from, which may be deleted by now. */
  cloned_from: link('Site', { read_only: true, server_owned: true, label: 'Cloned from' }),
  ...stagingFields,
  ...portableFields,
} as const

/** Actions that copy a whole site. */
export const copiesActions = {
  clone: {
    label: 'Clone',
    keywords: ['Copy', 'Duplicate'],
    activity: 'cloned the site',
    // Creating the new site needs the permission for that, too.
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'clone',
    args: {
      domain: data({ reqd: true, length: 253, label: 'Name' }),
      title: data({ length: 200, label: 'Site title' }),
      server: link('Server', { label: 'Server' }),
    },
    job: true,
    returns: 'ClonedSite',
    hidden: true,
  },
  ...stagingActions,
  ...portableActions,
} as const
