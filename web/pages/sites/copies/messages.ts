import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of the dialog that copies a site; it is loaded when it opens. */
export const t = createCatalog({
  'clone.staging_title': 'Create a staging site of {site}',
  'clone.staging_hint':
    'A copy of {site} to try changes on, with a password for visitors and hidden from search engines. Its email stays in its own mailbox. Visitors of {site} wait for some seconds while its files are copied.',
  'clone.staging_hint_server':
    'A copy of {site} on the same server to try changes on, with a password for visitors and hidden from search engines. MailHog keeps its email, except what a plugin sends by SMTP or by a mail service. Files and content pass through the machine that Easydash runs on. The certificate is set up afterward.',
  'clone.staging_confirm': 'Create staging site',
  'clone.title': 'Clone {site}',
  'clone.hint':
    'The new site gets all files, content and users. Visitors of {site} wait for some seconds while its files are copied.',
  'clone.hint_server':
    'The new site gets all files, content and users, by way of the machine that Easydash runs on. Its certificate is set up afterward.',
  'clone.hint_files': 'The new site gets all files.',
  'clone.site_title': 'Site title',
  'clone.site_title_hint': 'Unchanged, the new site keeps the title that {site} has in WordPress.',
  'clone.server': 'Server',
  'clone.server_choose': 'Choose a server',
  'clone.server_gone': 'You can’t create a site on this site’s server now.',
  'clone.cancel': 'Cancel',
  'clone.confirm': 'Clone site',
})
