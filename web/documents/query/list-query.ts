import { fieldLabel, type Doctype, type FilterTriple } from '#shared/doctype.ts'
import { roleLabels } from '#shared/rules/role-labels.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { t as formText } from '../form/messages.ts'
import { t } from './messages.ts'
import { t as valueText } from '../messages.ts'
import { findDoctype } from './list-request.ts'
import { filterOperators, timeChoices, type ListState } from './list-state.ts'
import { statusLabel } from '../values/status-tones.ts'

/** Text of a filter chip. `titles` has titles of linked documents by ID. */
export function describeFilter(
  type: Doctype,
  [field, operator, value]: FilterTriple,
  titles: Readonly<Record<string, string>> = {},
): { field: string; operator: string; value: string } {
  const known = type.fields[field]
  const one = (part: unknown): string => {
    const text = String(part)
    if (text === '') return valueText('value.nothing')
    // IDs of linked documents are never shown: show a placeholder until the title is loaded.
    return (
      titles[text] ?? (known?.fieldtype === 'Link' && known.options !== 'User' ? '…' : valueLabel(type, field, text))
    )
  }
  return {
    field: fieldTitle(type, field),
    operator: operatorLabel(operator),
    value: Array.isArray(value) ? summarizeValues(value.map(one)) : one(value),
  }
}

/** Display name of a field. */
export function fieldTitle(type: Doctype, field: string): string {
  const known = type.fields[field]
  return known ? translateText(fieldLabel(field, known)) : field === 'owner' ? t('list.created_by') : field
}

/** An operator inside a sentence: "not equals". */
function operatorLabel(operator: FilterTriple[1]): string {
  return translateText(filterOperators.find((known) => known.operator === operator)?.short ?? operator)
}

/** Maximum values listed by name. */
const namedValues = 2

/** "Live, Failed"; with more, "Live, Failed + 2 more". */
export function summarizeValues(labels: readonly string[]): string {
  const rest = labels.length - namedValues
  const named = labels.slice(0, namedValues).join(', ')
  return rest > 0 ? `${named} ${formText('multi.more', { n: formatNumber(rest) })}` : named
}

const optionLabels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Site.site_type': { wp: 'WordPress', php: 'PHP', html: 'HTML' },
  'Site Backup.kind': {
    manual: 'Manual',
    scheduled: 'Scheduled',
    'before a change': 'Before a change',
    final: 'Final',
    imported: 'Imported',
  },
  'Server.server_category': { development: 'Development', production: 'Production' },
  'Activity.via': {
    web: 'Web',
    api: 'API',
    job: 'Job',
    schedule: 'Schedule',
    terminal: 'Terminal',
    server: 'Server',
    webhook: 'Webhook',
  },
  'Organization Member.organization_role': roleLabels,
  'Person.organization_role': roleLabels,
}

/** How values read of which a page knows more: most lists would load it for nothing. By `DOCTYPE.FIELD`. */
const wordings = new Map<string, (value: string) => string>()
/** Says how the values of a field read; called by the module that lists them. */
export const wordValues = (field: string, wording: (value: string) => string): void => void wordings.set(field, wording)

/** Fields in bytes. */
const byteFields = new Set(['Server.ram', 'Server.disk', 'Site.disk_used', 'Site Backup.size'])

/** Display text of a field's stored value. */
export function valueLabel(type: Doctype, field: string, value: string): string {
  const known = type.fields[field]
  const kind = known?.fieldtype
  if (value === 'System' && (field === 'owner' || known?.options === 'User')) return valueText('value.system')
  if (kind === 'Check') return value === '1' ? valueText('value.yes') : valueText('value.no')
  const time =
    kind === 'Datetime' &&
    Object.values(timeChoices)
      .flat()
      .find((known) => known === value)
  if (time) return t(`time.${time}`)
  if (byteFields.has(`${type.name}.${field}`)) return formatBytes(Number(value))
  const wording = wordings.get(`${type.name}.${field}`)
  if (wording) return wording(value)
  // Names of doctypes are Frappe's words, such as "DocShare".
  if (field === 'reference_doctype') return translateText(findDoctype(value)?.plural ?? value)
  const label = optionLabels[`${type.name}.${field}`]?.[value]
  if (label !== undefined) return translateText(label)
  return kind === 'Select' ? statusLabel(type.name, field, value) : value
}

/** "1–20 of 143"; "143 of 143" for a single row, "0 of 0" for none. */
export function formatRange(state: Pick<ListState, 'page' | 'pageSize'>, rows: number, count: string): string {
  const values = { total: count }
  if (rows === 0) return t('list.range_none', values)
  const first = (state.page - 1) * state.pageSize + 1
  if (rows === 1) return t('list.range_one', { ...values, first: formatNumber(first) })
  return t('list.range', { ...values, first: formatNumber(first), last: formatNumber(first + rows - 1) })
}
