import { tenantField, type Doctype } from '../doctype.ts'

/** Fields that lists of any length can be sorted by: each has an index beside the tenant. */
export function sortableFields(type: Doctype): string[] {
  const tenant = tenantField(type)
  const listed = Object.keys(type.fields).filter((name) => {
    const { in_list_view, in_standard_filter, fieldtype, personal } = type.fields[name] ?? {}
    return name !== tenant && (in_list_view || in_standard_filter) && fieldtype !== 'JSON' && !personal
  })
  return [
    ...new Set(['creation', ...(type.append_only ? [] : ['modified']), ...listed, ...(type.list?.sort_fields ?? [])]),
  ]
}
