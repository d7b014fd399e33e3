import { constants as fsConstants } from 'node:fs'
import Module from 'node:module'
import { Server, Socket } from 'node:net'
import { sealState } from './seal-state.ts'

/** Members of `process` that reach other processes, native code, modules, or more of the machine. */
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

/** Globals that make connections. */
const networkGlobals = ['fetch', 'WebSocket', 'EventSource'] as const

/** Methods of a native pipe that reach a path or an open file. */
const pipeMembers = ['open', 'bind', 'listen', 'connect', 'fchmod'] as const

/**
 * Takes everything from this process that no PHP needs, before the first code of the site runs: other modules of Node,
 * connections, listeners, other processes. Node's permission model (`sandbox/node-arguments.ts`) refuses files, children,
 * workers and addons; this is about what it does not know. What is taken cannot be had again.
 * @param pipe any socket over a pipe: its native class is found through it
 */
export function lockDown(pipe: Socket): void {
  sealState.sealed = true
  Object.freeze(sealState)
  for (const name of processMembers) take(process, name)
  for (const name of networkGlobals) take(globalThis, name)
  // Whoever finds an object of a class finds the class.
  take(Socket.prototype, 'connect')
  for (const name of ['listen', '_listen2']) take(Server.prototype, name)
  for (const name of ['register', 'registerHooks']) take(Module, name)
  const handle: unknown = Reflect.get(pipe, '_handle')
  if (typeof handle !== 'object' || handle === null) throw new Error('The control channel has no handle.')
  const pipeClass: object = Object.getPrototypeOf(handle)
  for (const name of pipeMembers) take(pipeClass, name)
  // The one thing PHP-WASM asks for; under the permission model Node's own refuses everything.
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
