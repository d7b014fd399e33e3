import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { put, readIfThere } from '../machine.ts'
import type { ScriptContext, ScriptHandler } from './script-context.ts'

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
