/** Ways that lead an attacker's JavaScript (`attacker.ts`) to modules, classes and methods of Node that were taken away. */
import { createRequire } from 'node:module'

// The loader of PHP has one, too.
const require = createRequire(import.meta.url)

/** A function found by its name, whatever it takes. */
type Found = (...values: unknown[]) => unknown

/** A method by its name. */
export const member = (holder: object, name: string): Found => {
  const value: unknown = Reflect.get(holder, name)
  if (typeof value !== 'function') throw new Error(`no ${name}`)
  return value.bind(holder) as Found
}

/** A module of Node, by whatever way still leads to it. */
export const load = async <T>(name: string): Promise<T> => {
  const attempts: Array<() => unknown> = [
    () => require(name),
    () => require(`node:${name}`),
    () => import(name),
    () => import(`node:${name}`),
    () => member(process, 'getBuiltinModule')(name),
    () => member(Reflect.get(process, 'mainModule') as object, 'require')(name),
    () => {
      for (const entry of Object.values(require.cache)) {
        if (entry === undefined) continue
        const hooks = entry.constructor
        // A later hook comes before the earlier ones.
        if (Reflect.has(hooks, 'registerHooks'))
          member(
            hooks,
            'registerHooks',
          )({ resolve: () => ({ url: `node:${name}`, format: 'builtin', shortCircuit: true }) })
        const found = member(hooks, '_load')(name)
        if (found !== undefined) return found
      }
      throw new Error('nothing cached')
    },
  ]
  for (const attempt of attempts) {
    try {
      const found = await attempt()
      if (found !== undefined) return found as T
    } catch {
      // The next way.
    }
  }
  throw new Error(`no ${name}`)
}

/** Sockets and servers that this process has, and the classes behind them. */
export function classes(): Array<new () => object> {
  const found = new Set<new () => object>()
  const start = [process.stderr, ...(member(process, '_getActiveHandles')() as object[])]
  for (const value of start) {
    for (const object of [value, Reflect.get(value, '_handle')]) {
      for (let at = object as object | null; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
        const Class: unknown = Reflect.get(at, 'constructor')
        if (typeof Class === 'function' && Class !== Object) found.add(Class as new () => object)
      }
    }
  }
  return [...found]
}

/** Whether objects of the class emit events; what is native ends the process when it is made without its arguments. */
export const emits = (Class: new () => object): boolean =>
  Reflect.has(Reflect.get(Class, 'prototype') as object, 'once')

/** Resolves with the event that tells of success, rejects with an error. */
export const happens = (emitter: object, event: string): Promise<string> =>
  new Promise((resolve, reject) => {
    member(emitter, 'once')(event, () => resolve(event))
    member(emitter, 'once')('error', (error: unknown) => reject(error))
  })
