import { StringDecoder } from 'node:string_decoder'
import * as z from 'zod/mini'
import { parseJson } from '#shared/parse-json.ts'
import {
  exportFormat,
  manifestFile,
  maxManifestFiles,
  siteManifest,
  type ManifestFile,
  type ManifestSummary,
} from './site-manifest.ts'

/** Characters of all of a manifest besides its files: it grows with the tables. */
const maxHead = 8_000_000
/** Characters of what is said about one file: a path of 4,096 characters can take six times as many. */
const maxItem = 32_000

/** Why a text is no manifest. */
export type ManifestProblem = 'other' | 'later' | 'damaged'

/** A text that is no manifest, or one of a later version (`version`). */
export class NoManifest extends Error {
  readonly problem: ManifestProblem
  readonly version: number
  constructor(problem: ManifestProblem, version = 0) {
    super(`Not a manifest: ${problem}`)
    this.problem = problem
    this.version = version
  }
}

/** Reads a manifest piece by piece: it can name a million files. */
export interface ManifestReader {
  /** Takes the next piece, and returns the files that are complete. Throws `NoManifest`. */
  read(chunk: Buffer): ManifestFile[]
  /** What it says besides. Throws `NoManifest`. */
  end(): ManifestSummary
}

const withoutFiles = z.omit(siteManifest, { files: true })

/**
 * The text is JSON however it is written. Of its value `files`, a list, each element is parsed by itself; everything else is parsed at the
 * end. Memory is bounded.
 */
export function createManifestReader(): ManifestReader {
  const decoder = new StringDecoder('utf8')
  let [head, item] = ['', '']
  let [depth, files] = [0, 0]
  let [inText, escaped, inFiles] = [false, false, false]
  const found: ManifestFile[] = []

  /** Keeps what was passed: a part of an element, or of everything else. */
  const keep = (text: string): void => {
    if (inFiles && depth === 2) {
      // Between elements there are commas and white space.
      if (/[^\s,]/.test(text)) throw new NoManifest('damaged')
      return
    }
    if (inFiles) item += text
    else head += text
    if (head.length > maxHead || item.length > maxItem) throw new NoManifest('damaged')
  }
  const endItem = (): void => {
    const { data } = manifestFile.safeParse(parseJson(item))
    files += 1
    if (data === undefined || files > maxManifestFiles) throw new NoManifest('damaged')
    item = ''
    found.push(data)
  }
  const read = (text: string): void => {
    let from = 0
    for (let at = 0; at < text.length; at += 1) {
      // Most of it is texts, in which only their end counts.
      if (inText && !escaped) at = nextAt(/["\\]/g, text, at)
      const code = text.charCodeAt(at)
      if (inText) {
        if (escaped) escaped = false
        else if (code === 0x5c) escaped = true
        else if (code === 0x22) inText = false
      } else if (code === 0x22) inText = true
      else if (code === 0x5b || code === 0x7b) {
        keep(text.slice(from, at))
        from = at
        const begins = depth === 1 && code === 0x5b && !inFiles && isAtFiles(head)
        if (begins) {
          head += '['
          from = at + 1
        }
        depth += 1
        inFiles ||= begins
      } else if (code === 0x5d || code === 0x7d) {
        const endsFiles = inFiles && depth === 2
        keep(text.slice(from, endsFiles ? at : at + 1))
        if (endsFiles) inFiles = false
        from = endsFiles ? at : at + 1
        depth -= 1
        if (inFiles && depth === 2) endItem()
      }
    }
    keep(text.slice(from))
  }
  return {
    read(chunk) {
      read(decoder.write(chunk))
      return found.splice(0)
    },
    end() {
      const value = parseJson(head + decoder.end())
      const said = typeof value === 'object' && value !== null ? value : {}
      if (Reflect.get(said, 'format') !== exportFormat.name) throw new NoManifest('other')
      const version = Number(Reflect.get(said, 'version'))
      if (!(version <= exportFormat.version)) throw new NoManifest('later', version)
      const { data } = withoutFiles.safeParse(value)
      if (data === undefined || !Array.isArray(Reflect.get(said, 'files'))) throw new NoManifest('damaged')
      return { ...data, files }
    },
  }
}

/** Where a text has the next of some characters; its end without one. */
function nextAt(characters: RegExp, text: string, from: number): number {
  characters.lastIndex = from
  return characters.exec(text)?.index ?? text.length
}

/** Whether the next value is that of `files`. */
const isAtFiles = (head: string): boolean => /[{,]\s{0,100}"files"\s{0,100}:\s{0,100}$/.test(head.slice(-400))

/** The files of a manifest. Throws `NoManifest`, also at its end. */
export async function* filesInManifest(
  content: AsyncIterable<Buffer>,
): AsyncGenerator<ManifestFile, ManifestSummary, undefined> {
  const reader = createManifestReader()
  for await (const chunk of content) yield* reader.read(chunk)
  return reader.end()
}

/** A manifest without its files. `onFile` gets each. Throws `NoManifest`. */
export async function readManifest(
  content: AsyncIterable<Buffer>,
  onFile: (file: ManifestFile) => void = () => undefined,
): Promise<ManifestSummary> {
  const reader = createManifestReader()
  for await (const chunk of content) for (const file of reader.read(chunk)) onFile(file)
  return reader.end()
}
