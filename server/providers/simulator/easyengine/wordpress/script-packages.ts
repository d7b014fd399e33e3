import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { put, readIfThere } from '../machine.ts'
import { refuse, type ScriptContext, type ScriptHandler } from './script-context.ts'
import { placeCore, pluginHeader, themeHeader } from './core-files.ts'
import { folderOf, mainFile, repository, type Kind } from './wp-packages.ts'

const keptFolder = ({ root }: ScriptContext, ...parts: readonly string[]): string =>
  join(root, 'wp-content/.easydash-previous', ...parts)

/** Puts a package of the simulated wordpress.org, or an uploaded one, where it is staged. */
export const bringPackage: ScriptHandler = async (context, { staged, archive, type, slug, language, core }) => {
  const target = keptFolder(context, 'staged', basename(String(staged)))
  if (core !== undefined) {
    placeCore(context.machine, keptFolder(context, 'core/incoming'), String(core), false)
    return { done: true }
  }
  if (language !== undefined) {
    put(join(target, `${String(language)}.mo`), `Simulated translation ${String(language)}\n`)
    return { done: true }
  }
  if (archive === undefined) {
    const kind = type === 'theme' ? 'theme' : 'plugin'
    const offered = repository[kind][String(slug)]
    if (!offered) throw refuse('unknown')
    const header = kind === 'theme' ? themeHeader : pluginHeader
    put(join(target, String(slug), mainFile(kind, String(slug))), header(offered.title, offered.version))
    return { done: true }
  }
  const file = keptFolder(context, 'staged', basename(String(archive)))
  try {
    const zip = await fromBufferPromise(readFileSync(file))
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/') || entry.fileName.split('/').includes('..')) continue
      put(join(target, entry.fileName), (await buffer(await zip.openReadStreamPromise(entry))).toString('latin1'))
    }
  } catch {
    throw refuse('no_zip')
  } finally {
    rmSync(file)
  }
  return { done: true }
}

interface About {
  readonly id: string
  readonly name: string
  readonly version: string
}

function aboutOf(kind: Kind, path: string, folder: string): About | null {
  const text = readIfThere(join(path, mainFile(kind, folder)))
  const name = /(?:Plugin|Theme) Name: (.*)/.exec(text ?? '')?.[1]?.trim()
  if (text === null || name === undefined) return null
  const version = /^\W*Version: ([\w.-]*)/m.exec(text)?.[1] ?? ''
  return { id: kind === 'plugin' ? `${folder}/${folder}.php` : folder, name, version }
}

/** What the last operation did. */
interface Last {
  readonly operation: string
  readonly type: Kind
  readonly folder: string
  readonly replaced: boolean
}

const lastOf = (context: ScriptContext): Last | null =>
  JSON.parse(readIfThere(keptFolder(context, 'last.json')) ?? 'null') as Last | null

function swap(context: ScriptContext, last: Omit<Last, 'replaced'>, fresh: string): unknown {
  const { type, folder } = last
  const target = join(folderOf(context, type), folder)
  const kept = keptFolder(context, `${type}s`, folder)
  const aside = keptFolder(context, 'incoming')
  const before = existsSync(target) ? aboutOf(type, target, folder) : null
  mkdirSync(keptFolder(context, `${type}s`), { recursive: true })
  renameSync(fresh, aside)
  rmSync(kept, { recursive: true, force: true })
  if (before) renameSync(target, kept)
  renameSync(aside, target)
  put(keptFolder(context, 'last.json'), JSON.stringify({ ...last, replaced: before !== null } satisfies Last))
  return { ...aboutOf(type, target, folder), replaced: before?.version ?? null }
}

function stagedFolder(context: ScriptContext, staged: string): string {
  const path = keptFolder(context, 'staged', staged)
  if (!existsSync(path)) throw refuse('not_staged')
  const [folder = '', ...others] = readdirSync(path)
  if (folder === '') throw refuse('empty')
  if (others.length > 0) throw refuse('several')
  return folder
}

function stage(context: ScriptContext, staged: string): unknown {
  const folder = stagedFolder(context, staged)
  const path = join(keptFolder(context, 'staged', staged), folder)
  const kind: Kind = aboutOf('plugin', path, folder) ? 'plugin' : 'theme'
  const about = aboutOf(kind, path, folder)
  if (!about) {
    rmSync(keptFolder(context, 'staged', staged), { recursive: true })
    throw refuse('no_package')
  }
  const there = aboutOf(kind, join(folderOf(context, kind), folder), folder)
  return { type: kind, name: about.name, version: about.version, installed: there?.version ?? null }
}

/** What an operation did already; null if it has done nothing yet. */
function repeated(context: ScriptContext, operation: string): unknown {
  const last = lastOf(context)
  if (last?.operation !== operation) return null
  const { type, folder } = last
  const about = aboutOf(type, join(folderOf(context, type), folder), folder)
  const kept = aboutOf(type, keptFolder(context, `${type}s`, folder), folder)
  return about && { ...about, replaced: kept?.version ?? null }
}

function undo(context: ScriptContext, operation: string): unknown {
  const last = lastOf(context)
  const none = { id: '', name: '', version: '', replaced: null }
  if (last?.operation !== operation) return none
  const { type, folder } = last
  if (last.replaced) return swap(context, { ...last, operation: '' }, keptFolder(context, `${type}s`, folder))
  rmSync(join(folderOf(context, type), folder), { recursive: true, force: true })
  rmSync(keptFolder(context, 'last.json'))
  return none
}

/** What `package.php` does. */
export const packageScript: ScriptHandler = (context, input) => {
  const [act, operation, staged, id] = ['act', 'operation', 'staged', 'id'].map((name) => String(input[name])) as [
    string,
    string,
    string,
    string,
  ]
  const type: Kind = input['type'] === 'theme' ? 'theme' : 'plugin'
  const done = act === 'install' || act === 'roll_back' ? repeated(context, operation) : null
  if (done !== null) return done
  switch (act) {
    case 'stage':
      return stage(context, staged)
    case 'discard':
      rmSync(keptFolder(context, 'staged', basename(staged)), { recursive: true, force: true })
      return { done: true }
    case 'install': {
      const folder = stagedFolder(context, staged)
      const fresh = join(keptFolder(context, 'staged', staged), folder)
      if (!aboutOf(type, fresh, folder)) throw refuse(type === 'plugin' ? 'is_theme' : 'is_plugin')
      if (existsSync(join(folderOf(context, type), folder)) && input['replace'] !== true) throw refuse('exists', folder)
      const installed = swap(context, { operation, type, folder }, fresh)
      rmSync(keptFolder(context, 'staged', staged), { recursive: true })
      return installed
    }
    case 'roll_back': {
      const folder = type === 'plugin' ? (id.split('/').at(-2) ?? '') : id
      const kept = keptFolder(context, `${type}s`, folder)
      if (folder === '' || !existsSync(kept)) throw refuse('missing')
      return swap(context, { operation, type, folder }, kept)
    }
    default:
      return undo(context, operation)
  }
}
