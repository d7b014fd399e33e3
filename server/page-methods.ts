import type { Documents, Method, MethodContext, Session } from './documents/types.ts'
import { checkAccess } from './wire/registry.ts'

/** Runs a reading method for a page that is being delivered, in the name of its reader. Throws what the method throws. */
export type MethodRunner = (name: string, params: Record<string, unknown>, session: Session) => Promise<unknown>

/** Makes the runner; what changes a session or answers beside the result has no place in a page. */
export function createMethodRunner(documents: Documents, methods: readonly Method[]): MethodRunner {
  const byName = new Map(methods.map((method) => [method.name, method]))
  return async (name, params, session) => {
    const method = byName.get(name)
    if (!method) throw new Error(`There is no method ${name}.`)
    checkAccess(method, session)
    const refuse = () => Promise.reject(new Error(`${name} cannot change the session of a page.`))
    const context: MethodContext = {
      session,
      documents,
      ip: session.ip ?? '',
      userAgent: '',
      signIn: refuse,
      signOut: refuse,
      notice: () => undefined,
      extra: () => undefined,
    }
    return await method.run(params, context)
  }
}
