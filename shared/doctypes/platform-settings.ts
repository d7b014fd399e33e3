import { doctype } from '../doctype.ts'
import { check, select } from '../fields.ts'

/** Name of the only document of the doctype. */
export const platformSettingsName = 'platform'

/** Installation settings that the platform admin can change at runtime. There is exactly one document. */
export const PlatformSettingsDoctype = doctype('Platform Settings', {
  module: 'core',
  tenant: { kind: 'platform' },
  naming: 'field:settings_name',
  title_field: 'settings_name',
  plural: 'Platform settings',
  seeded: true,
  fields: {
    settings_name: select([platformSettingsName], { reqd: true, set_only_once: true }),
    plans_enabled: check({
      label: 'Plans',
      description: 'Organizations have plans that limit sites and servers',
    }),
  },
  list: { order_by: 'creation asc' },
  permissions: {
    'Platform Admin': { read: true, write: true },
  },
})
