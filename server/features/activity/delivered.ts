import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { writeFileAtomic } from '#server/platform/config/data-dir.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { readHeadLines } from './head-file.ts'
import type { HeadLine } from './head-lines.ts'

/*
 * Remembers, next to a head file, up to which line the operator's service has received it, so that lines recorded while the
 * service was down are also delivered after a restart.
 */

const notePath = (headFile: string): string => join(dirname(headFile), 'delivered.json')

/** Records that the service has everything up to a line. */
export async function recordDelivered(headFile: string, { file, n }: HeadLine): Promise<void> {
  await writeFileAtomic(notePath(headFile), `${JSON.stringify({ file, n })}\n`)
}

/** The newest lines the service has not received yet, at most `most`. */
export async function readUndelivered(headFile: string, most: number): Promise<HeadLine[]> {
  const text = await readFile(notePath(headFile), 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return ''
    throw error
  })
  const note: unknown = parseJson(text)
  const had = isObject(note) ? note : {}
  let lines: HeadLine[] = []
  for await (const line of readHeadLines(headFile)) {
    if (line.file !== had['file'] || line.n > Number(had['n'])) lines.push(line)
    if (lines.length >= 2 * most) lines = lines.slice(-most)
  }
  return lines.slice(-most)
}
