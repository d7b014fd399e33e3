import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts of this page. */
export const tCreate = createCatalog({
  'organization.create_title': 'Create an organization',
  'organization.create_lead': 'Sites, servers and people belong to it.',
  'organization.title': 'Name',
  'organization.title_example': 'Fernhill Web',
  'organization.title_missing': 'Enter a name.',
  'organization.slug': 'Short name',
  'organization.slug_hint': '3 to 32 letters, digits and hyphens. It cannot be changed later.',
  'organization.slug_missing': 'Enter a short name in Latin letters.',
  'organization.checking': 'Checking',
  'organization.available': 'Available',
  'organization.taken_short': 'Taken',
  'organization.taken': 'Another organization has this short name.',
  'organization.submit': 'Create organization',
  'organization.busy': 'Creating organization',
  'organization.back': 'Back to the dashboard',
  'organization.platform': 'Platform settings',
  'organization.signed_in_as': 'Logged in as {name}.',
})
