import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { ShellSource } from './shell.ts'

/** Pages served from source, with hot reload. */
export interface DevPages extends ShellSource {
  /** Handles Vite's requests; calls `next` for all others. */
  handleRequest(request: IncomingMessage, response: ServerResponse, next: () => void): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): Promise<void>
}

/** Starts Vite inside our server, on our port. */
export async function openDevPages(root: string): Promise<DevPages> {
  const { createServer: createVite } = await import('vite')
  const hotReload = createServer()
  const vite = await createVite({
    root: join(root, 'web'),
    configFile: join(root, 'vite.config.ts'),
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server: hotReload } },
  })
  const page = join(root, 'web', 'index.html')
  return {
    signedInScripts: () => Promise.resolve([]),
    template: async (path) => vite.transformIndexHtml(path, await readFile(page, 'utf8')),
    handleRequest(request, response, next) {
      // Vite strips its base from the URL without restoring it.
      const { url } = request
      vite.middlewares(request, response, () => {
        if (url !== undefined) request.url = url
        next()
      })
    },
    handleUpgrade: (request, socket, head) => void hotReload.emit('upgrade', request, socket, head),
    close: () => vite.close(),
  }
}
