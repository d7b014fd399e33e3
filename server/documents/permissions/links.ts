import { fieldLabel, tenantField, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { sql } from 'kysely'
import { loadFor, type CallerContext } from './access.ts'
import { columnFields, tableFields, tableRef } from '../store/schema.ts'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Checks that linked documents are visible to the caller and in the organization; otherwise they are reported as missing.
 * `organization`: null if the document belongs to none.
 */
export async function checkLinks(
  caller: CallerContext,
  type: Doctype,
  organization: string | null,
  values: Record<string, unknown>,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const field = type.fields[name]
    if (field?.fieldtype !== 'Link' || typeof value !== 'string' || value === '' || name === tenantField(type)) continue
    const target = caller.typeByName(field.options)
    if (target && !(await isLinkable(caller, target, value, organization))) {
      throw new AppError(
        'invalid',
        msg`Could not find ${labelMessage(fieldLabel(name, field))}: ${value.slice(0, 140)}`,
        {
          field: name,
          excType: 'LinkValidationError',
        },
      )
    }
  }
}

async function isLinkable(
  caller: CallerContext,
  target: Doctype,
  name: string,
  organization: string | null,
): Promise<boolean> {
  try {
    const { doc } = await loadFor(caller, target, name, 'read')
    const field = tenantField(target)
    return !field || organization === null || doc[field] === organization
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Throws LinkExistsError if documents of other doctypes still link to this one. */
export async function assertNotLinked(trx: Trx, types: readonly Doctype[], type: Doctype, name: string): Promise<void> {
  const children = new Set(tableFields(type).map(([, field]) => field.options))
  for (const other of types) {
    if (children.has(other.name) || other.append_only) continue
    for (const [field, description] of columnFields(other)) {
      if (description.fieldtype !== 'Link' || description.options !== type.name) continue
      const found = await sql<{
        name: string
      }>`select name from ${tableRef(other.name)} where ${sql.id(field)} = ${name} and not (${sql.lit(other.name === type.name)} and name = ${name}) limit 1`.execute(
        trx,
      )
      if (found.rows[0]) {
        throw new AppError(
          'invalid',
          msg`Cannot delete ${labelMessage(type.name)} because ${labelMessage(other.plural ?? other.name)} link to it.`,
          {
            excType: 'LinkExistsError',
          },
        )
      }
    }
  }
}
