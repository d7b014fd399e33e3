import type { Doctype } from '#shared/doctype.ts'
import { actionHandler } from './actions.ts'
import type { Controller } from './types.ts'

/**
 * Start-up check: what is declared is there, and nothing undeclared can be called. Throws for a declared action without a
 * handler, a handler without a declaration, and a controller of an unknown doctype.
 */
export function checkWiring(
  types: ReadonlyMap<string, Doctype>,
  controllers: ReadonlyMap<string, readonly Controller[]>,
): void {
  for (const [name, list] of controllers) {
    const type = types.get(name)
    if (!type) throw new Error(`A controller names the unknown doctype ${name}.`)
    for (const action of list.flatMap((controller) => Object.keys(controller.actions ?? {}))) {
      if (!type.actions || !Object.hasOwn(type.actions, action))
        throw new Error(`${name}.${action} has a handler but no declared rule.`)
    }
  }
  for (const type of types.values()) {
    for (const action of Object.keys(type.actions ?? {})) {
      if (!actionHandler(controllers.get(type.name) ?? [], action))
        throw new Error(`${type.name}.${action} is declared but nothing handles it.`)
    }
  }
}
