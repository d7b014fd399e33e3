import { isUtf8 } from 'node:buffer'
import { structuredPatch } from 'diff'
import { msg } from '#shared/localized-message.ts'
import { maxDiffLength, type FileComparison } from '#shared/responses/file-comparison.ts'
import { splitPath } from '#shared/rules/site-files.ts'
import { EngineError } from './engine.ts'

/** Larger files are not compared. */
export const maxComparedBytes = 1_048_576
/** More differing lines than this cost time that grows with their square; people can't read them anyway. */
const maxEdits = 4_000
const timeoutMs = 3_000

/** A file, or as much as can be compared. */
export interface FileContent {
  readonly bytes: number
  /** Null: too long. */
  readonly content: Buffer | null
}

/** Compares a file with its original; null if neither exists. */
export function compareContents(
  current: FileContent | null,
  original: FileContent | null,
): Omit<FileComparison, 'path'> | null {
  if (current === null && original === null) return null
  const sizes = { original_bytes: original?.bytes ?? null, bytes: current?.bytes ?? null }
  const plain = (result: FileComparison['result']) => ({ result, diff: null, truncated: false, ...sizes })
  const [before, after] = [original, current].map((one) => (one === null ? Buffer.alloc(0) : one.content))
  if (!before || !after) return plain('too_long')
  if (before.equals(after) && original !== null && current !== null) return plain('same')
  if (!isText(before) || !isText(after)) return plain('binary')
  if (original === null || current === null) {
    const whole = wholeFile((before.length > 0 ? before : after).toString('utf8'), original === null ? '+' : '-')
    return { ...plain('text'), diff: whole.slice(0, maxDiffLength), truncated: whole.length > maxDiffLength }
  }
  const patch = structuredPatch('', '', before.toString('utf8'), after.toString('utf8'), undefined, undefined, {
    context: 3,
    maxEditLength: maxEdits,
    timeout: timeoutMs,
  })
  if (patch === undefined) return plain('too_different')
  const diff = patch.hunks
    .map(
      ({ oldStart, oldLines, newStart, newLines, lines }) =>
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}\n`,
    )
    .join('')
  return { ...plain('text'), diff: diff.slice(0, maxDiffLength), truncated: diff.length > maxDiffLength }
}

/** A file that only one side has. */
function wholeFile(text: string, mark: '+' | '-'): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const range = `1,${lines.length}`
  const head = mark === '+' ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`
  return `${head}\n${lines.map((line) => `${mark}${line}\n`).join('')}`
}

const isText = (content: Buffer) => isUtf8(content) && !content.includes(0)

/** Files at the top that are WordPress' own. */
const ownAtTop = /^(?:wp-[\w-]+\.php|index\.php|xmlrpc\.php|license\.txt|readme\.html)$/

/** A path that can have an original: its names, and the plugin or theme it is in. */
export interface ComparablePath {
  readonly names: readonly string[]
  /** Null: it belongs to WordPress itself. */
  readonly within: { readonly type: 'plugin' | 'theme'; readonly id: string } | null
}

/** Throws EngineError `invalid` for a path that can have no original. */
export function comparablePath(path: string): ComparablePath {
  const names = splitPath(path)
  const isComparable =
    path !== 'wp-config.php' &&
    (/^wp-(?:admin|includes)\/|^wp-content\/(?:plugins|themes)\//.test(path) || ownAtTop.test(path))
  if (typeof names === 'string' || !isComparable)
    throw new EngineError('invalid', msg`Only files of WordPress, its plugins and themes have an original.`, {
      nextAction: msg`Choose one of the list.`,
    })
  const [, type, id] = /^wp-content\/(plugin|theme)s\/([^/]+)/.exec(names.join('/')) ?? []
  return { names, within: id === undefined ? null : { type: type === 'theme' ? 'theme' : 'plugin', id } }
}

/**
 * The answer of `WordPressFiles.compare`. `isKnown`: what the original would be is known, whether or not it has the file. Throws EngineError
 * `not_found` if neither has it.
 */
export function comparisonOf(
  path: string,
  found: Omit<FileComparison, 'path'> | null,
  isKnown: boolean,
): FileComparison {
  if (found === null)
    throw new EngineError('not_found', msg`Neither the site nor the original has this file.`, {
      nextAction: msg`Verify checksums again.`,
    })
  if (isKnown) return { path, ...found }
  return { path, ...found, result: 'no_original', diff: null, truncated: false, original_bytes: null }
}
