import { check, data, select } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

const uploaded = data({ reqd: true, length: 32, label: 'Uploaded plugin or theme' })

const onWordPress = {
  allow: sharedGrants('write'),
  for: ['site_type', '=', 'wp'],
  from: ['Live', 'Failed'],
  capability: 'wordpress',
  hidden: true,
} as const

/** Actions about plugins and themes that were uploaded as a ZIP file, and the originals of installed ones. */
export const packageActions = {
  stage_package: {
    ...onWordPress,
    label: 'Check uploaded plugin or theme',
    activity: 'uploaded a plugin or theme',
    args: {
      upload: data({
        reqd: true,
        length: 32,
        label: 'Upload',
        description: 'A complete one of the kind `wordpress_package`.',
      }),
    },
    returns: 'UploadedPackage',
  },
  discard_package: {
    ...onWordPress,
    label: 'Discard uploaded plugin or theme',
    activity: 'discarded an uploaded plugin or theme',
    args: { package: uploaded },
    returns: 'Nothing',
  },
  install_package: {
    ...onWordPress,
    label: 'Install uploaded plugin or theme',
    activity: 'installed an uploaded plugin or theme',
    args: { package: uploaded, replace: check({ label: 'Replace the installed version' }) },
    job: true,
  },
  restore_package: {
    ...onWordPress,
    label: 'Put original files back',
    activity: 'put back the original files of a plugin or theme',
    capability: 'checksums',
    args: {
      type: select(['plugin', 'theme'], { reqd: true, label: 'Type' }),
      folder: data({ reqd: true, length: 100, label: 'Folder' }),
    },
    job: true,
  },
} as const
