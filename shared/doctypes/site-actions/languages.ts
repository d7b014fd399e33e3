import { data } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

const onWordPress = {
  allow: sharedGrants('write'),
  for: ['site_type', '=', 'wp'],
  from: ['Live', 'Failed'],
  capability: 'wordpress_settings',
  hidden: true,
} as const

/** Actions about translations of WordPress. */
export const languageActions = {
  language_offers: {
    ...onWordPress,
    label: 'Show languages of WordPress',
    reads: true,
    tokens: 'sites:write',
    returns: 'LanguageOffers',
  },
  install_language: {
    ...onWordPress,
    label: 'Add language',
    activity: 'added a language',
    args: {
      language: data({ reqd: true, length: 40, label: 'Language', description: 'A locale of `language_offers`.' }),
    },
    returns: 'WordPressSettings',
  },
} as const
