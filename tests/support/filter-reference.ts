/**
 * Independent reference implementation of list requests, written directly from the API's filter specification and applied to
 * the JSON as sent and to plain rows. It imports nothing, so that it can't share a bug with the product.
 */

/** Type of a column. */
export type Kind = 'text' | 'number' | 'datetime' | 'date'

/** A stored row: texts, numbers, or null for unset values. */
export type PlainRow = Readonly<Record<string, string | number | null>>

/** Rows of one doctype, and of the doctypes it links to. */
export interface ReferenceTable {
  readonly doctype: string
  readonly columns: Readonly<Record<string, Kind>>
  readonly rows: readonly PlainRow[]
  /** By link field: linked rows visible to the caller, by name. */
  readonly links: Readonly<Record<string, { columns: Readonly<Record<string, Kind>>; rows: Record<string, PlainRow> }>>
}

/** A list request as sent; structured parameters can be JSON text. */
export interface ReferenceQuery {
  readonly fields?: unknown
  readonly filters?: unknown
  readonly or_filters?: unknown
  readonly order_by?: string
  readonly group_by?: string
  readonly limit?: number | string
  readonly limit_start?: number | string
}

interface Column {
  readonly kind: Kind
  read(row: PlainRow): string | number | null
}

type Condition = readonly [field: string, operator: string, operand: unknown]

/** The response's rows, keyed by field or alias; `now` is the time of the request. */
export function answerOf(table: ReferenceTable, query: ReferenceQuery, now: Date): Record<string, unknown>[] {
  const matching = matchingRows(table, query, now)
  const items = (query.fields === undefined ? ['name'] : fromText(query.fields)) as string[]
  const start = Number(query.limit_start ?? 0)
  const wanted = query.limit === undefined ? 20 : Number(query.limit)
  const page = <T>(rows: T[]) => rows.slice(start, start + (wanted === 0 ? 500 : Math.min(wanted, 500)))
  const keys = items.map((item) => ({ item, key: keyOf(item) }))
  if (query.group_by === undefined) {
    const sorted = matching.toSorted(byOrder(table, query.order_by ?? 'creation desc'))
    return page(sorted).map((row) =>
      Object.fromEntries(keys.map(({ item, key }) => [key, columnOf(table, expressionOf(item)).read(row)])),
    )
  }
  const group = columnOf(table, query.group_by)
  const groups = [...Map.groupBy(matching, (row) => group.read(row))].map(([value, rows]) => ({
    value,
    shown: Object.fromEntries(keys.map(({ item, key }) => [key, groupValue(table, expressionOf(item), rows)])),
  }))
  const [orderKey = '', direction = 'asc'] = (query.order_by ?? '').split(' ')
  groups.sort((a, b) => {
    const first = orderKey === '' ? 0 : compare(a.shown[orderKey] as number, b.shown[orderKey] as number)
    return (direction === 'desc' ? -first : first) || compare(a.value, b.value)
  })
  return page(groups.map(({ shown }) => shown))
}

/** All rows that match the filters. */
export function matchingRows(table: ReferenceTable, query: ReferenceQuery, now: Date): PlainRow[] {
  const all = conditionsOf(query.filters, table.doctype)
  const any = groupsOf(query.or_filters).map((group) => conditionsOf(group, table.doctype))
  return table.rows.filter(
    (row) =>
      all.every((one) => holds(table, row, one, now)) &&
      any.every((group) => group.length === 0 || group.some((one) => holds(table, row, one, now))),
  )
}

/** Groups of alternatives: an item of a single group is a comparison, whose first item is a text, or an object. */
function groupsOf(raw: unknown): unknown[] {
  const value = fromText(raw)
  const isGroup = (one: unknown) => Array.isArray(one) && typeof one[0] === 'object'
  return Array.isArray(value) && isGroup(value[0]) ? value : [value]
}

function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value === '' ? null : (JSON.parse(value) as unknown)
}

/** Converts filters in any format to plain conditions. */
function conditionsOf(raw: unknown, doctype: string): Condition[] {
  const value = fromText(raw)
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) return ofDict(value as Record<string, unknown>)
  if (typeof value[0] === 'string') return [ofList(value, doctype)]
  return value.flatMap((one: unknown) =>
    Array.isArray(one) ? [ofList(one, doctype)] : ofDict(one as Record<string, unknown>),
  )
}

function ofList(list: unknown[], doctype: string): Condition {
  const [field, operator, operand] = list.length > 3 && list[0] === doctype ? list.slice(1) : list
  return [field as string, operator as string, operand]
}

function ofDict(dict: Record<string, unknown>): Condition[] {
  return Object.entries(dict).map(([field, value]) =>
    Array.isArray(value) ? [field, value[0] as string, value[1] as unknown] : [field, '=', value],
  )
}

/** `field`, `` `tabDoctype`.`field` `` or `link.field`. */
function columnOf(table: ReferenceTable, text: string): Column {
  const parts = text
    .replaceAll('`', '')
    .split('.')
    .filter((part) => part !== `tab${table.doctype}`)
  const [first = '', second] = parts
  if (second === undefined) return { kind: table.columns[first] as Kind, read: (row) => row[first] ?? null }
  const link = table.links[first]
  if (!link) throw new Error(`No link ${first}`)
  return {
    kind: link.columns[second] as Kind,
    read: (row) => link.rows[String(row[first])]?.[second] ?? null,
  }
}

/** An operand in the column's type; null if it means "not set". */
function operandOf(kind: Kind, raw: unknown): string | number | null {
  if (raw === null || raw === undefined || raw === '') return null
  if (kind === 'number') return Number(raw)
  if (kind === 'date') return String(raw).slice(0, 10)
  return kind === 'datetime' ? moment(String(raw)) : String(raw)
}

/** Converts `2026-01-31`, `2026-01-31 10:00:00` or one with a fraction to the stored datetime format. */
function moment(text: string): string {
  const [day = '', time = '00:00:00'] = text.split(/[ T]/)
  const [clock = '', fraction = ''] = time.split('.')
  return `${day} ${clock}.${fraction.padEnd(6, '0')}`
}

function listOf(operand: unknown): unknown[] {
  return Array.isArray(operand)
    ? operand
    : String(operand)
        .split(',')
        .map((part) => part.trim())
}

function holds(table: ReferenceTable, row: PlainRow, [field, operatorText, operand]: Condition, now: Date): boolean {
  const { kind, read } = columnOf(table, field)
  const stored = read(row)
  // Unset values are treated as "" or 0.
  const unset = kind === 'number' ? 0 : ''
  const value = stored ?? unset
  const given = () => operandOf(kind, operand)
  const within = (low: string | number | null, high: string | number | null) =>
    stored !== null && low !== null && high !== null && stored >= low && stored <= high
  switch (operatorText.trim().toLowerCase() || '=') {
    case '=':
      return value === (given() ?? unset)
    case '!=':
    case '<>':
      return value !== (given() ?? unset)
    case '>':
      return stored !== null && stored > (given() as string)
    case '<':
      return stored !== null && stored < (given() as string)
    case '>=':
      return stored !== null && stored >= (given() as string)
    case '<=':
      return stored !== null && stored <= (given() as string)
    case 'like':
      return like(String(operand), stored === null ? '' : String(stored))
    case 'not like':
      return stored === null || !like(String(operand), String(stored))
    case 'in':
      return isIn(kind, stored, listOf(operand))
    case 'not in':
      return listOf(operand).length === 0 || !isIn(kind, stored, listOf(operand))
    case 'is':
      return (String(operand).toLowerCase() === 'set') === (stored !== null)
    case 'between': {
      const [low, high] = listOf(operand)
      const wholeDay = kind === 'datetime' && String(high).length === 10
      return within(operandOf(kind, low), wholeDay ? `${String(high)} 23:59:59.999999` : operandOf(kind, high))
    }
    case 'timespan':
    case 'previous':
    case 'next': {
      const [first, last] = daysOf(operatorText.trim().toLowerCase(), String(operand).toLowerCase(), now)
      const day = stored === null ? null : String(stored).slice(0, 10)
      return day !== null && day >= first && day <= last
    }
    default:
      throw new Error(`No operator ${operatorText}`)
  }
}

/** An empty list matches only unset values. */
function isIn(kind: Kind, stored: string | number | null, list: unknown[]): boolean {
  if (list.length === 0) return stored === null
  const unset = kind === 'number' ? 0 : ''
  return list.some((one) => (operandOf(kind, one) ?? unset) === (stored ?? unset))
}

/** `%` matches any text, `_` one character, a backslash escapes them; regardless of case and diacritics. */
function like(pattern: string, text: string): boolean {
  return likeAt([...fold(pattern)], [...fold(text)])
}

/** Letters that are no base letter with a diacritic, and what they compare as. */
const letters: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe' },
}

function fold(text: string): string {
  const base = text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
  return [...base].map((letter) => letters[letter] ?? letter).join('')
}

function likeAt(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text.length === 0
  if (first === '%') return likeAt(rest, text) || (text.length > 0 && likeAt(pattern, text.slice(1)))
  if (text.length === 0) return false
  if (first === '_') return likeAt(rest, text.slice(1))
  // A trailing backslash is a literal.
  const [wanted, next] = first === '\\' && rest.length > 0 ? [rest[0], rest.slice(1)] : [first, rest]
  return wanted === text[0] && likeAt(next, text.slice(1))
}

/** First and last day of a span, computed on a calendar. */
function daysOf(operator: string, words: string, now: Date): [string, string] {
  const side = { previous: 'last', next: 'next' }[operator]
  const unit = { '1 week': 'week', '1 month': 'month', '3 months': 'quarter', '6 months': '6 months', '1 year': 'year' }
  const text = side === undefined ? words : `${side} ${unit[words as keyof typeof unit]}`
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const days = (from: number, to: number): [string, string] => [
    dayText(year, month, day + from),
    dayText(year, month, day + to),
  ]
  const months = (from: number, count: number): [string, string] => [
    dayText(year, from, 1),
    dayText(year, from + count, 0),
  ]
  const single = { yesterday: -1, today: 0, tomorrow: 1 }[text]
  if (single !== undefined) return days(single, single)
  const [, direction = '', count] = /^(last|next) (\d+) days$/.exec(text) ?? []
  if (count !== undefined) return direction === 'last' ? days(-Number(count), 0) : days(0, Number(count))
  const quarter = month - (month % 3)
  if (text === 'last 6 months') return months(quarter - 6, 6)
  if (text === 'next 6 months') return months(quarter + 3, 6)
  const [which = '', length = ''] = text.split(' ')
  const shift = { last: -1, this: 0, next: 1 }[which] as number
  if (length === 'week') {
    const sunday = -now.getUTCDay() + 7 * shift
    return days(sunday, sunday + 6)
  }
  const size = { month: 1, quarter: 3, year: 12 }[length] as number
  return months(month - (month % size) + shift * size, size)
}

function dayText(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)
}

/** Unset values come last; texts are compared by character code. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}

/** The requested order; the name breaks ties in the direction of the last key. */
function byOrder(table: ReferenceTable, text: string): (a: PlainRow, b: PlainRow) => number {
  const terms = text.split(',').map((term) => {
    const [field = '', direction = 'asc'] = term.trim().split(/\s+/)
    return { column: columnOf(table, field), sign: direction.toLowerCase() === 'desc' ? -1 : 1 }
  })
  const name = { column: columnOf(table, 'name'), sign: terms.at(-1)?.sign ?? 1 }
  return (a, b) => {
    for (const { column, sign } of [...terms, name]) {
      const order = compare(column.read(a), column.read(b))
      if (order !== 0) return sign * order
    }
    return 0
  }
}

const expressionOf = (item: string) => item.split(' as ')[0] ?? ''

function keyOf(item: string): string {
  const [expression = '', alias] = item.split(' as ')
  return alias ?? expression.replaceAll('`', '').split('.').at(-1) ?? ''
}

function groupValue(table: ReferenceTable, expression: string, rows: readonly PlainRow[]): unknown {
  const call = /^(count|sum|avg|min|max)\((.+)\)$/.exec(expression)
  if (!call) return rows[0] ? columnOf(table, expression).read(rows[0]) : null
  const [, name, argument = ''] = call
  if (argument === '*') return rows.length
  const values = rows.map((row) => columnOf(table, argument).read(row)).filter((value) => value !== null)
  const sorted = values.toSorted(compare)
  const sum = values.reduce<number>((total, value) => total + Number(value), 0)
  switch (name) {
    case 'count':
      return values.length
    case 'sum':
      return values.length === 0 ? null : sum
    case 'avg':
      return values.length === 0 ? null : sum / values.length
    default:
      return sorted.at(name === 'min' ? 0 : -1) ?? null
  }
}
