import { constants as fsConstants } from 'node:fs'
import Module from 'node:module'
import { Server, Socket } from 'node:net'
import { sealState } from './seal-state.ts'

/** Members of `process` that give access to other processes, native code, modules, or the machine. */
const processMembers = [
  '_linkedBinding',
  'dlopen',
  'execve',
  'getBuiltinModule',
  'kill',
  '_kill',
  '_debugProcess',
  '_debugEnd',
  'chdir',
  'setuid',
  'setgid',
  'seteuid',
  'setegid',
  'setgroups',
  'initgroups',
  'loadEnvFile',
  'report',
  'mainModule',
] as const

/** Globals that open connections. */
const networkGlobals = ['fetch', 'WebSocket', 'EventSource'] as const

/** Methods of a native pipe that give access to a path or an open file. */
const pipeMembers = ['open', 'bind', 'listen', 'connect', 'fchmod'] as const

/**
 * Removes everything from this process that PHP doesn't need, before the first code of the site runs: other Node modules,
 * connections, listeners, other processes. Node's permission model (`sandbox/node-arguments.ts`) blocks files, children,
 * workers and addons; this covers the rest. Irreversible.
 * @param pipe any socket over a pipe, used to find its native class
 */
export function lockDown(pipe: Socket): void {
  sealState.sealed = true
  Object.freeze(sealState)
  for (const name of processMembers) take(process, name)
  for (const name of networkGlobals) take(globalThis, name)
  // Any instance of a class leads to the class.
  take(Socket.prototype, 'connect')
  for (const name of ['listen', '_listen2']) take(Server.prototype, name)
  for (const name of ['register', 'registerHooks']) take(Module, name)
  const handle: unknown = Reflect.get(pipe, '_handle')
  if (typeof handle !== 'object' || handle === null) throw new Error('The control channel has no handle.')
  const pipeClass: object = Object.getPrototypeOf(handle)
  for (const name of pipeMembers) take(pipeClass, name)
  // The only part PHP-WASM uses; under the permission model Node's own function rejects everything.
  Object.defineProperty(process, 'binding', {
    value: Object.freeze((name: unknown) => {
      if (name === 'constants') return { fs: fsConstants }
      throw new Error('This process has no bindings.')
    }),
    writable: false,
    configurable: false,
  })
}

function take(holder: object, name: string): void {
  Object.defineProperty(holder, name, { value: undefined, writable: false, configurable: false })
}
