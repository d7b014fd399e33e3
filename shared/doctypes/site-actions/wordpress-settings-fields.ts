import { check, data } from '../../fields.ts'

/** The settings of WordPress as fields of a form. The site knows the choices of some. */
export const wordpressSettingsFields = {
  title: data({ length: 200, label: 'Title' }),
  tagline: data({ length: 200, label: 'Tagline' }),
  language: data({ reqd: true, length: 40, label: 'Language' }),
  timezone: data({ reqd: true, length: 64, label: 'Time zone' }),
  admin_email: data({ reqd: true, length: 100, format: 'email', label: 'Admin email' }),
  start_page: data({ length: 20, label: 'Homepage' }),
  permalinks: data({ length: 200, label: 'Permalinks' }),
  search_engines: check({ label: 'Search engines may index this site' }),
} as const
