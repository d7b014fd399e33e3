/** Builds the web app into `dist/web` if its sources changed, with compressed copies for the HTTP server. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { environmentForTools } from './environment.mjs'
import { root } from './node24.mjs'
import { writeNotices } from './notices-file.ts'
import { SetupError, step } from './terminal.mjs'

const output = join(root, 'dist', 'web')
const stampFile = join(root, 'dist', 'web-sources')
/** Inputs of the build. Tests are excluded, so that editing one doesn't trigger a build. */
const sources = ['web', 'shared', 'vite.config.ts', 'package-lock.json']

/** Builds unless `dist/web` is up to date; the check alone takes a few milliseconds. */
export async function ensureWebBuilt(): Promise<void> {
  const hash = await hashOf(sources)
  if (existsSync(join(output, 'index.html')) && (await readStamp()) === hash) return
  await step({ running: 'Building the web app', done: 'Web app built' }, () => buildWeb(hash))
}

/**
 * Builds into a separate folder and swaps at the end, so that a failed or stopped build leaves the old files. Bundler and
 * compression run in processes of their own: their memory must not stay in the server (measured: 200 MB after a first start).
 */
async function buildWeb(hash: string): Promise<void> {
  const fresh = join(root, 'dist', `web-${process.pid}`)
  const old = `${fresh}-old`
  try {
    await runTool('vite', [vite, 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'])
    await runTool('the compression', [join(root, 'scripts', 'compress-web.ts'), fresh])
    // Whoever passes the bundle on has to pass on the licenses of what is in it.
    await writeNotices(fresh)
    if (existsSync(output)) await rename(output, old)
    await rename(fresh, output)
    await writeFile(stampFile, hash)
  } finally {
    await rm(old, { recursive: true, force: true })
    await rm(fresh, { recursive: true, force: true })
  }
}

const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')

async function runTool(name: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environmentForTools(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (words += String(chunk)))
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  process.stderr.write(words)
  throw new SetupError(
    `The web app could not be built: ${name} ended with code ${String(code)}.`,
    'The lines above name the file. Without own changes in web/ or shared/, run npm ci and try again.',
  )
}

async function readStamp(): Promise<string | null> {
  return existsSync(stampFile) ? await readFile(stampFile, 'utf8') : null
}

/** One hash of names and contents, in a fixed order. Modification times don't work, because git changes them. */
async function hashOf(paths: readonly string[]): Promise<string> {
  const files: string[] = []
  for (const path of paths) {
    const entries = path.includes('.')
      ? null
      : await readdir(join(root, path), { recursive: true, withFileTypes: true })
    if (entries === null) files.push(join(root, path))
    else files.push(...entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)))
  }
  const wanted = files.filter((file) => !/\.test\.tsx?$/.test(file)).sort()
  const contents = await Promise.all(wanted.map((file) => readFile(file)))
  const hash = createHash('sha256')
  for (const [index, content] of contents.entries())
    hash.update(`${wanted[index]}\n${content.length}\n`).update(content)
  return hash.digest('hex')
}
