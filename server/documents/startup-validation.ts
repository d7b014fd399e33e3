import type { Doctype } from '#shared/doctype.ts'
import { unmarkedPeople } from '#shared/people.ts'
import { actionResponse } from '#shared/responses/actions.ts'
import { actionHandler } from './operations/run-action.ts'
import type { Controller } from '#server/contracts/controller.ts'

/**
 * Startup validation: everything declared exists, and nothing undeclared can be called. Throws for a declared action without
 * a handler, a handler without a declaration, a controller of an unknown doctype, and an unknown response schema.
 */
export function validateDeclarations(
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
    assertPeopleDeclared(type)
    for (const [action, { reveals }] of Object.entries(type.actions ?? {})) {
      if (!reveals && !actionHandler(controllers.get(type.name) ?? [], action))
        throw new Error(`${type.name}.${action} is declared but nothing handles it.`)
    }
  }
}

/**
 * Validates declarations about people: fields and arguments named in `rights_of` and `reader` exist, and people in responses are marked.
 */
function assertPeopleDeclared(type: Doctype): void {
  if (type.reader !== undefined && !Object.hasOwn(type.fields, type.reader))
    throw new Error(`${type.name} is read by ${type.reader}, which is none of its fields.`)
  if (type.rights_of !== undefined && !Object.hasOwn(type.fields, type.rights_of))
    throw new Error(`${type.name} gives rights to ${type.rights_of}, which is none of its fields.`)
  for (const [name, action] of Object.entries(type.actions ?? {})) {
    const { rights_of = [], args = {} } = action
    const [property] = unmarkedPeople(actionResponse(action))
    if (property !== undefined)
      throw new Error(`${type.name}.${name} returns ${property} without saying whether it identifies a user.`)
    const unknown = rights_of.find((one) => !['$user', '$owner', '$members'].includes(one) && !Object.hasOwn(args, one))
    if (unknown !== undefined)
      throw new Error(`${type.name}.${name} changes rights of ${unknown}, which is none of its arguments.`)
  }
}
