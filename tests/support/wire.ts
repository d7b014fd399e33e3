/** The HTTP side over given services, with an empty web app. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Services } from '#server/services.ts'
import type { Wire, WireOptions } from '#server/wire/options.ts'
import { createWire } from '#server/wire/server.ts'

/** Writes an empty built web app to `dir`, a folder that may be missing. */
async function writePages(dir: string): Promise<void> {
  await mkdir(join(dir, 'assets'), { recursive: true })
  await mkdir(join(dir, '.vite'))
  await writeFile(join(dir, '.vite', 'manifest.json'), '{}')
  await writeFile(
    join(dir, 'index.html'),
    '<!doctype html><html><head><script nonce="__NONCE__">window.csrf_token = "__CSRF_TOKEN__";window.easydash=__BOOT__</script></head><body></body></html>',
  )
}

/** Creates the wire of services; it is ready for requests, but opens no port. `pagesDir` gets an empty web app. */
export async function wireOf(
  services: Services,
  {
    config,
    log,
    pagesDir,
    rawRoutes = [],
    metrics = () => '',
  }: {
    config: Config
    log: Log
    pagesDir: string
    rawRoutes?: WireOptions['rawRoutes']
    metrics?: WireOptions['health']['metrics']
  },
): Promise<Wire> {
  await writePages(pagesDir)
  return await createWire({
    config,
    version: '0.0.0',
    log,
    documents: services.documents,
    sessions: services.accounts.sessions,
    rateLimiter: services.rateLimiter,
    methods: services.parts.methods,
    rawRoutes,
    streams: services.parts.streams,
    sites: null,
    files: services.files.store,
    uploads: services.uploads.store,
    health: { ready: () => Promise.resolve({ ok: true, checks: {} }), metrics },
    pages: { dir: pagesDir, boot: () => Promise.resolve({}) },
  })
}
