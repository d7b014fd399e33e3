import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Doctype, Grant } from '#shared/doctype.ts'
import { actionGrant } from '../permissions/gate.ts'
import { readableNames, type RuleContext } from '../permissions/rule-sql.ts'
import { allOf } from './filter-sql.ts'

/**
 * Whether the caller can see the details of the activity entries of alias `t`; null if they can of all. The details of some actions
 * are for those only who may run another action of the document (`activity_details`).
 */
export function detailsShownSql(context: RuleContext): RawBuilder<SqlBool> | null {
  // As with changed values, a token that can read the log can read its contents.
  const { token: _token, ...session } = context.accessContext.session
  const accessContext = { ...context.accessContext, session: { ...session, kind: 'cookie' as const } }
  const conditions = context.typeByName.types.flatMap((type) =>
    Object.entries(type.activity_details ?? {}).flatMap(([needed, actions]) => {
      const action = type.actions?.[needed]
      const grant = action ? actionGrant(accessContext, type, action) : false
      return grant === true ? [] : [otherwiseSql(type, actions, grant, { ...context, accessContext })]
    }),
  )
  return conditions.length === 0 ? null : allOf(conditions)
}

/** Entries that are not of these actions, or about a document to which the grant applies. */
function otherwiseSql(
  type: Doctype,
  actions: readonly string[],
  grant: Exclude<Grant, true>,
  context: RuleContext,
): RawBuilder<SqlBool> {
  const isOther = sql<SqlBool>`(t.action = any(${[...actions]}::text[]) and t.reference_doctype = ${type.name}) is not true`
  if (grant === false) return isOther
  return sql<SqlBool>`(${isOther} or t.reference_name = any(array(${readableNames(grant, type, context)})))`
}
