import type { Doctype } from '#shared/doctype.ts'
import type { Controller } from '#server/contracts/controller.ts'

/**
 * Handlers for declared actions of features that aren't under test. They return what ran, on which document, with which
 * arguments.
 */
export function idleActions(types: readonly Doctype[], given: readonly Controller[]): Controller[] {
  const handled = new Set(
    given.flatMap((one) => Object.keys(one.actions ?? {}).map((action) => `${one.doctype}.${action}`)),
  )
  return types.map(
    (type) =>
      ({
        doctype: type.name,
        actions: Object.fromEntries(
          Object.keys(type.actions ?? {})
            .filter((action) => !handled.has(`${type.name}.${action}`))
            .map((action) => [action, (doc, args) => Promise.resolve({ ran: action, on: doc.name, args })]),
        ),
      }) satisfies Controller,
  )
}
