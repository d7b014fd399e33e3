import { fieldOf, isQueryable, parseFilters, parseOrderBy } from '#server/documents/documents.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { fieldLabel, type Doctype, type FilterTriple } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { SavedViewDoctype, maxSavedViews, type FilterItem } from '#shared/doctypes/saved-view.ts'
import { MemberRowDoctype } from '#shared/member-row.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage, labelMessage } from '#shared/localized-message.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

/** Saved list views: validation, maximum number, and deletion with their owner's membership. */
export function createViews(): Feature {
  return { controllers: [savedViewController, memberViews] }
}

/** Maximum number of columns in a view. */
const maxColumns = 50

const savedViewController = controller(SavedViewDoctype, {
  async before_insert(doc, { session, tx }) {
    // Serialized, so that concurrent inserts count each other.
    await transactionLock(tx, `saved-views ${doc.organization} ${session.user}`)
    const kept = await tx.count(SavedViewDoctype, [
      ['organization', '=', doc.organization],
      ['owner', '=', doc.owner],
    ])
    if (kept >= maxSavedViews)
      throw new AppError('limit_reached', msg`You can keep ${maxSavedViews} views. Delete one first.`, {
        field: 'title',
      })
  },

  async validate(doc) {
    const type = [...doctypes, MemberRowDoctype].find(({ name }) => name === doc.reference_doctype)
    if (!type) throw wrong('reference_doctype', msg`There is no such list.`)
    const context = {
      type,
      typeByName: (name: string) => doctypes.find((one) => one.name === name) ?? null,
      // Fields a reader may not see are rejected when they open the view; only fields hidden from everyone are rejected
      // here.
      readable: (of: Doctype, name: string) => fieldOf(of, name)?.hidden !== true,
    }
    for (const field of ['filters', 'any_filters'] as const) {
      assertTriples(field, doc[field])
      namingField(field, () => parseFilters(doc[field], context))
    }
    doc.filter_items = (doc.filters ?? []).map((filter) => filterItem(type, filter))
    namingField('order_by', () => parseOrderBy(doc.order_by, context, []))
    if (doc.columns !== null) assertColumns(type, doc.columns)
  },
})

/** Only one form of the filter language is accepted, so that readers of views need no parser. */
function assertTriples(field: string, value: unknown): void {
  const isTriple = (one: unknown) => Array.isArray(one) && one.length === 3
  if (value === null || (Array.isArray(value) && value.every(isTriple))) return
  throw wrong(field, msg`Filters must be a list of [field, operator, value].`)
}

/** The item that names a filter; two of one field, e.g. the ends of a range, differ by operator. */
function filterItem(type: Doctype, filter: FilterTriple): FilterItem {
  const [name, operator] = filter
  const field = fieldOf(type, name)
  return { key: `${name} ${operator}`, name: field ? fieldLabel(name, field) : name, filter }
}

function assertColumns(type: Doctype, value: unknown): void {
  const isColumn = (name: unknown) => {
    const field = typeof name === 'string' ? fieldOf(type, name) : null
    return field !== null && isQueryable(field)
  }
  if (Array.isArray(value) && value.length <= maxColumns && value.every(isColumn)) return
  throw wrong('columns', msg`Columns must be a list of fields of ${labelMessage(type.plural ?? type.name)}.`)
}

/** Runs a check of the filter language; errors refer to the view's field. */
function namingField(field: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw wrong(field, error.localized)
  }
}

function wrong(field: string, message: LocalizedMessage): AppError {
  return new AppError('invalid', message, { field, excType: 'ValidationError' })
}

/** Nobody else can change or delete the views of a member who left. */
const memberViews = controller(OrganizationMemberDoctype, {
  after_delete: (doc, { tx }) => forgetViews(tx, doc.user, doc.parent),
})

async function forgetViews(tx: Tx, user: string, organization: string): Promise<void> {
  const views = await tx.list(SavedViewDoctype, [
    ['organization', '=', organization],
    ['owner', '=', user],
  ])
  for (const view of views) await tx.delete(SavedViewDoctype, view.name, { activity: false })
}
