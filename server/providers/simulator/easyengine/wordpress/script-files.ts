import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { put, readIfThere } from '../machine.ts'
import type { ScriptContext, ScriptHandler } from './script-context.ts'
import { knownFiles, localeIn, versionIn } from './core-files.ts'
import { coreVersion } from './wp-core.ts'

const keptOf = ({ root }: Pick<ScriptContext, 'root'>): string => join(root, 'wp-content/.easydash-previous/deleted')

const journalOf = (context: Pick<ScriptContext, 'root'>): string[] =>
  JSON.parse(readIfThere(join(keptOf(context), 'moved.json')) ?? '[]') as string[]

/** Moves what is deleted to where it is kept. */
export function keepDeleted(context: Pick<ScriptContext, 'root'>, path: string): void {
  const kept = keptOf(context)
  const paths = journalOf(context)
  put(join(kept, 'moved.json'), JSON.stringify([...paths, path]))
  renameSync(path, join(kept, String(paths.length)))
}

/** Puts back what was deleted, or forgets it. */
export const deletedScript: ScriptHandler = (context, { act }) => {
  const kept = keptOf(context)
  if (act === 'restore')
    for (const [number, path] of journalOf(context).entries()) {
      const from = join(kept, String(number))
      if (!existsSync(from)) continue
      mkdirSync(dirname(path), { recursive: true })
      rmSync(path, { recursive: true, force: true })
      renameSync(from, path)
    }
  rmSync(kept, { recursive: true, force: true })
  if (existsSync(dirname(kept)) && readdirSync(dirname(kept)).length === 0) rmdirSync(dirname(kept))
  return { done: true }
}

const md5 = (text: string | Buffer): string => createHash('md5').update(text).digest('hex')

/** Files below a folder, by paths below the folder of WordPress. */
const filesBelow = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((one) => !one.isDirectory())
        .map((one) => join(one.parentPath, one.name).slice(root.length + 1))
    : []

/**
 * Compares files with checksums. Of WordPress itself the simulated sites have a few files, whose originals the simulation knows: what it does
 * not have of a real one's list counts as it should be.
 */
export const checksumScript: ScriptHandler = (context, { folder, checksums, known, first }) => {
  const { root } = context
  const version = coreVersion(context)
  if (checksums === undefined && known === undefined) return { version, locale: localeIn(root) ?? '' }
  const isCore = folder === null || String(folder).endsWith('/core/incoming')
  const home = folder === null ? root : join(root, String(folder))
  const own = isCore ? knownFiles(context.machine, folder === null ? version : versionIn(home), localeIn(home)) : null
  const at = (path: string) => join(home, path)
  const found = { changed: [] as string[], added: [] as string[], missing: [] as string[] }
  let checked = 0
  for (const [path, sum] of Object.entries((checksums ?? {}) as Record<string, string>)) {
    const expected = own === null ? sum : own[path] === undefined ? null : md5(own[path])
    if (expected !== null && !existsSync(at(path))) {
      found.missing.push(path)
      continue
    }
    checked += 1
    if (expected !== null && expected !== '' && md5(readFileSync(at(path))) !== expected) found.changed.push(path)
  }
  if (known !== undefined) {
    const names = new Set(known as string[])
    const folders = folder === null ? ['wp-admin', 'wp-includes'] : [String(folder)]
    for (const path of folders.flatMap((one) => filesBelow(root, one))) {
      const name = folder === null ? path : path.slice(String(folder).length + 1)
      const key = md5(name).slice(0, 16)
      if (key.startsWith(String(first)) && !names.has(key) && own?.[name] === undefined) found.added.push(name)
    }
  }
  return { ...found, checked, truncated: false }
}

/** A file below the folder of WordPress. */
export const contentScript: ScriptHandler = ({ root }, { path, most }) => {
  const parts = String(path).split('/')
  const steps = parts.map((_, at) => lstatSync(join(root, ...parts.slice(0, at + 1)), { throwIfNoEntry: false }))
  if (steps.some((one) => one === undefined || one.isSymbolicLink()) || !steps.at(-1)?.isFile())
    return { missing: true }
  const content = readFileSync(join(root, String(path)))
  return { bytes: content.length, content: content.length > Number(most) ? null : content.toString('base64') }
}
