import { check, data } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

const ofWordPress = {
  allow: sharedGrants('write'),
  for: ['site_type', '=', 'wp'],
  capability: 'core_version',
  hidden: true,
} as const
const onWordPress = { ...ofWordPress, from: ['Live', 'Failed'] } as const

/** Actions on the version of WordPress itself. */
export const wordpressCoreActions = {
  wordpress_versions: {
    ...onWordPress,
    label: 'Show versions of WordPress',
    reads: true,
    returns: 'WordPressVersions',
  },
  set_core: {
    ...onWordPress,
    label: 'Change WordPress version',
    activity: 'changed the version of WordPress',
    args: {
      version: data({
        reqd: true,
        length: 12,
        label: 'Version',
      }),
    },
    job: true,
  },
  roll_back_wordpress: {
    ...onWordPress,
    label: 'Roll back WordPress',
    activity: 'rolled back WordPress',
    args: {
      database: check({
        label: 'With its database',
      }),
    },
    job: true,
  },
  package_checksums: {
    ...ofWordPress,
    capability: 'checksums',
    label: 'Show changed files of plugins',
    reads: true,
    returns: 'PackageChecksums',
    while_locked: true,
  },
  compare_wordpress_file: {
    ...onWordPress,
    capability: 'checksums',
    reads: true,
    label: 'Compare a file with its original',
    returns: 'FileComparison',
    args: {
      path: data({
        reqd: true,
        length: 300,
        label: 'File',
      }),
    },
  },
} as const
