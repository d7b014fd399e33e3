import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { withoutInheritedDescriptors } from '#server/platform/processes/inherited-descriptors.ts'
import { descriptors } from '../child/messages.ts'
import type { SiteStart } from '../sites/site-start.ts'
import { codePaths, nodeArguments } from './node-arguments.ts'

/** A newly started site process, and the engine's ends of its channels. */
export interface SpawnedSite {
  child: ChildProcess
  control: Duplex
  outbound: Duplex
}

/**
 * Starts the process of a site in its sandbox. It gets all external resources as open descriptors: its messages, the
 * listening socket for visitors, the gateway to the network.
 */
export async function spawnSiteProcess(start: SiteStart): Promise<SpawnedSite> {
  const { folder } = start
  const writable = ['www', 'logs', 'outbox', 'temporary'].map((name) => join(folder, name))
  const command = start.sandbox.wrap(
    { file: process.execPath, args: nodeArguments(writable, start.nodeArguments) },
    { readable: [process.execPath, ...codePaths], writable, current: folder },
  )
  const listener = await listenOnUnlinkedSocket(start.socket)
  try {
    const child = withoutInheritedDescriptors(
      ['ignore', 'ignore', 'pipe', 'pipe', listener.descriptor, 'pipe'],
      (stdio) =>
        spawn(command.file, command.args, {
          // Does not inherit our environment, which contains the database's address and keys.
          env: {},
          // Its parent folders may not be accessible to the site's user; as working directory it stays reachable.
          cwd: folder,
          stdio,
          // A separate session: Ctrl+C in the terminal reaches only the engine, which then stops its children gracefully.
          detached: true,
        }),
    )
    // Without a process there are no streams; `error` reports why, and is handled with the process.
    const stream = (at: number): Duplex => {
      const value = child.stdio[at]
      return value instanceof Duplex ? value : new Duplex({ read: () => undefined })
    }
    return { child, control: stream(descriptors.control), outbound: stream(descriptors.outbound) }
  } finally {
    await listener.publish()
  }
}

/**
 * Listens on a unix socket for another process. Until `publish` nobody knows its path, so this process accepts no
 * connections.
 */
async function listenOnUnlinkedSocket(path: string): Promise<{ descriptor: number; publish(): Promise<void> }> {
  const hidden = `${path}.new`
  await rm(hidden, { force: true })
  const server = createServer()
  server.listen(hidden)
  await once(server, 'listening')
  const handle: unknown = Reflect.get(server, '_handle')
  const descriptor: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : null
  if (typeof descriptor !== 'number') throw new Error('A listening socket has no descriptor.')
  return {
    descriptor,
    publish: async () => {
      // The server removes the path when it closes, but only under the original name.
      await rename(hidden, path)
      server.close()
    },
  }
}
