import { firstVersionProblem } from '#shared/rules/supported-wordpress.ts'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { siteForm, siteNameProblem } from './site-form.ts'

/** The creation form for servers whose sites have domains of their own. */
export const serverSiteForm: FormDescription = {
  ...siteForm,
  names: [
    ...siteForm.names.filter((name) => name !== 'database'),
    'initial_ssl',
    'object_cache',
    'vip',
    'initial_locale',
    'initial_version',
    'with_database',
  ],
  checks: {
    domain: (domain) => siteNameProblem(domain, 'domain'),
    initial_version: (version) => {
      const problem = version === '' ? null : firstVersionProblem(version)
      return problem && messageText(problem)
    },
  },
}
