import { containsText } from '#shared/rules/fold-text.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import type { ListState } from '#web/documents/query/list-state.ts'
import type { Person } from './people.ts'

/** A person's value by the name of its column; null if there is none. */
function valueOf(person: Readonly<Person>, field: string): unknown {
  const values: Readonly<Record<string, unknown>> = { ...person }
  return values[field] ?? null
}

/** Whether a row matches a filter, evaluated as on the server. */
function matchesFilter(person: Person, [field, operator, wanted]: FilterTriple): boolean {
  const value = valueOf(person, field)
  const text = String(value ?? '').toLowerCase()
  const among = Array.isArray(wanted) && wanted.map(String).includes(String(value))
  if (operator === 'in') return value !== null && among
  if (operator === 'not in') return !among
  if (operator === '=') return String(value) === String(wanted)
  if (operator === '!=') return String(value) !== String(wanted)
  const part = String(wanted).toLowerCase().replaceAll('%', '')
  if (operator === 'like') return text.includes(part)
  if (operator === 'not like') return !text.includes(part)
  return true
}

const statusRank = ['Joined', 'Pending', 'Expired']
const rankOf = (person: Person, field: string): string | number | null => {
  if (field === 'status') return statusRank.indexOf(person.status)
  if (field === 'organization_role') return organizationRoles.indexOf(person.organization_role)
  // Users who see all sites rank above any number of sites.
  if (field === 'sites' && person.kind === 'member' && person.sites === null) return Number.MAX_SAFE_INTEGER
  const value = valueOf(person, field)
  return typeof value === 'number' ? value : typeof value === 'string' ? value.toLowerCase() : null
}

function compare(a: string | number | null, b: string | number | null): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b))
}

/** Matching rows, sorted: unknown values last; the owner before others, higher roles before lower ones. */
export function matchingPeople(
  people: readonly Person[],
  state: Pick<ListState, 'filters' | 'any' | 'text' | 'order'>,
): Person[] {
  const any = state.any ?? []
  const { field, direction } = state.order
  return people
    .filter(
      (person) =>
        state.filters.every((filter) => matchesFilter(person, filter)) &&
        (any.length === 0 || any.some((filter) => matchesFilter(person, filter))) &&
        containsText(`${person.member}\n${person.user}`, state.text),
    )
    .toSorted((a, b) => {
      const [left, right] = [rankOf(a, field), rankOf(b, field)]
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1
      } else {
        const found = compare(left, right) * (direction === 'desc' ? -1 : 1)
        if (found !== 0) return found
      }
      return (
        Number(b.is_owner) - Number(a.is_owner) ||
        organizationRoles.indexOf(a.organization_role) - organizationRoles.indexOf(b.organization_role) ||
        a.member.localeCompare(b.member)
      )
    })
}
