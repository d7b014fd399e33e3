import { fieldLabel, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'

/** Translates PostgreSQL's unique violations to API errors: 409 for the name, 417 for another column. */
export async function translateUniqueViolation<T>(type: Doctype, doc: AnyDoc, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const { code, constraint, detail } = error as { code?: string; constraint?: string; detail?: string }
    if (code !== '23505') throw error
    if (constraint?.endsWith('_pkey'))
      throw new AppError('conflict', msg`${labelMessage(type.name)} ${doc.name} already exists`, {
        field: type.naming === 'random' ? 'name' : type.naming.slice('field:'.length),
        cause: error,
      })
    const columns =
      /\(([^()]+)\)=/
        .exec(detail ?? '')?.[1]
        ?.split(', ')
        .map((column) => column.replaceAll('"', '')) ?? []
    const field = columns.at(-1) ?? 'name'
    const described = type.fields[field]
    throw new AppError(
      'invalid',
      msg`${described ? labelMessage(fieldLabel(field, described)) : field} is already used.`,
      {
        field,
        excType: 'UniqueValidationError',
        cause: error,
      },
    )
  }
}
