import { select } from '../../fields.ts'
import { previewChoices } from '../../rules/preview-links.ts'
import { sharedGrants } from './grants.ts'

const onLiveSites = {
  allow: sharedGrants('write'),
  from: ['Live'],
  capability: 'preview_link',
  hidden: true,
} as const

/** Actions of the link with which people without an account see a protected site. */
export const previewActions = {
  create_preview_link: {
    ...onLiveSites,
    label: 'Create preview link',
    activity: 'made a preview link',
    args: { duration: select(previewChoices, { reqd: true, default: '7 days', label: 'Works for' }) },
    returns: 'PreviewLink',
    tokens: false,
  },
  end_preview_link: {
    ...onLiveSites,
    label: 'End preview link',
    phrase: 'End the preview link of {title}',
    activity: 'ended the preview link',
    confirm:
      'Everyone who came by the link needs the password again. The link can’t be restored; you can make a new one.',
    returns: 'Nothing',
  },
} as const
