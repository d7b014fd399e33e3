import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** The built-in terms, block by block in order, with placeholders for this installation's `{product}` and `{host}`. */
export const terms = {
  intro:
    'This installation of {product} at {host} is run by its operator, not by the makers of the software. Your agreement with the operator takes precedence; otherwise the following applies.',
  account: 'Your account',
  account_text:
    'Keep your password to yourself and give a real email address: links to confirm it and to reset the password go there. Actions in your name are recorded in the activity log of your organization.',
  sites: 'Your sites and servers',
  sites_text:
    'They stay yours. You decide what runs on them and are responsible for it. {product} changes them only when you ask for it or on a schedule that you set.',
  data: 'Your data',
  data_text:
    'The operator keeps your name, email address, the settings of your organizations and a log of actions. Nothing is sent to the makers of the software. Credentials of cloud providers are stored encrypted and used only for operations you start.',
  leaving: 'Leaving',
  leaving_text:
    'You can delete your sites and ask the operator to delete your account. The activity log of an organization stays with the organization.',
  warranty: 'No warranty',
  warranty_text:
    'The software is free, under the GNU General Public License, version 3 or later, and comes without warranty of any kind.',
} as const

/** Texts of the terms. */
export const tTerms = createCatalog(terms)
