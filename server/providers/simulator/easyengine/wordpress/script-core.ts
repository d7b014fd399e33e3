import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { put, readIfThere } from '../machine.ts'
import { ScriptEnd, type ScriptContext, type ScriptHandler } from './script-context.ts'
import { versionIn } from './core-files.ts'

interface Journal {
  readonly operation: string
  readonly names: readonly string[]
  readonly fromKept: boolean
}

function places({ root }: Pick<ScriptContext, 'root'>) {
  const core = join(root, 'wp-content/.easydash-previous/core')
  const at = (name: string) => join(core, name)
  return {
    incoming: at('incoming'),
    outgoing: at('outgoing'),
    kept: at('kept'),
    keptAbout: at('kept.json'),
    journal: at('change.json'),
  }
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true })

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}

function journalOf(context: ScriptContext): Journal | null {
  return JSON.parse(readIfThere(places(context).journal) ?? 'null') as Journal | null
}

/** The version that is kept for rolling back; null if none is. */
export function previousCore(context: Pick<ScriptContext, 'root'>) {
  const { kept, keptAbout } = places(context)
  const { at } = JSON.parse(readIfThere(keptAbout) ?? '{"at":0}') as { at: number }
  return existsSync(kept) ? { version: versionIn(kept), at, database: false } : null
}

/** All simulated versions have the same database. */
const database = 60_421
const php = '7.2.24'

function about(context: ScriptContext) {
  const kept = previousCore(context)
  const isChanging = existsSync(places(context).outgoing) && journalOf(context) !== null
  return {
    ...{ version: versionIn(context.root), php, database, differs: isChanging ? false : null },
    kept: kept && { ...kept, php },
  }
}

function replace(context: ScriptContext, operation: string, fromKept: boolean): void {
  const { root } = context
  const { incoming, outgoing, kept, journal } = places(context)
  const found = journalOf(context)
  if (found !== null && found.operation !== operation) throw new ScriptEnd({ problem: 'another change is going on' })
  const source = fromKept ? kept : incoming
  if (found === null) {
    const names = existsSync(source) ? readdirSync(source) : []
    if (!names.includes('wp-includes')) throw new ScriptEnd({ problem: 'the new files are not complete' })
    put(journal, JSON.stringify({ operation, names, fromKept }))
    remove(outgoing)
  }
  if (fromKept && existsSync(kept)) move(kept, incoming)
  for (const name of journalOf(context)?.names ?? []) {
    const [used, next, old] = [join(root, name), join(incoming, name), join(outgoing, name)]
    if (!existsSync(next)) continue
    if (existsSync(used) && existsSync(old)) remove(used)
    else if (existsSync(used)) move(used, old)
    move(next, used)
  }
}

function undo(context: ScriptContext): void {
  const { incoming, outgoing, kept, journal } = places(context)
  const found = journalOf(context)
  for (const name of found?.names ?? []) {
    const [used, next, old] = [join(context.root, name), join(incoming, name), join(outgoing, name)]
    if (!existsSync(old)) continue
    if (existsSync(used) && !existsSync(next)) move(used, next)
    else remove(used)
    move(old, used)
  }
  if (found?.fromKept === true && existsSync(incoming)) move(incoming, kept)
  for (const path of [incoming, outgoing, journal]) remove(path)
}

function finish(context: ScriptContext): void {
  const { incoming, outgoing, kept, keptAbout, journal } = places(context)
  if (journalOf(context) === null) return
  if (existsSync(outgoing)) {
    remove(kept)
    put(keptAbout, JSON.stringify({ at: Math.floor(Date.now() / 1000) }))
    move(outgoing, kept)
  }
  for (const path of [incoming, journal]) remove(path)
}

/** Exchanges the files of WordPress itself, and takes that back. */
export const coreScript: ScriptHandler = (context, { act, operation, from_kept: fromKept }) => {
  if (act === 'about') return about(context)
  if (act === 'replace') replace(context, String(operation), fromKept === true)
  else if (act === 'undo') undo(context)
  else finish(context)
  if (act === 'clear') for (const path of [places(context).incoming, places(context).outgoing]) remove(path)
  return { done: true }
}

/** The database is that of every version. */
export const upgradeScript: ScriptHandler = ({ root }) => ({ version: versionIn(root), database, changed: false })
