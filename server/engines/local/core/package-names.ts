import { isUtf8 } from 'node:buffer'

/** Maximum length of a file name and a path that every file system supports (bytes), and maximum depth. */
const longest = { name: 255, path: 1_000, depth: 40 }

/** Throws unless `name` is a relative path that stays inside the target folder. */
export function assertSafePath(name: string): void {
  const bad =
    name === '' ||
    name.startsWith('/') ||
    name.includes('\\') ||
    name.includes('\0') ||
    name.split('/').includes('..') ||
    /^[a-zA-Z]:/.test(name)
  if (bad) throw unsafe(name)
}

const unsafe = (name: string) => new Error(`The archive holds an unsafe path: ${JSON.stringify(name.slice(0, 200))}`)

/** The name of a package member, decoded; throws unless it is a path that means the same file on every file system. */
export function packageName(bytes: Buffer): string {
  const name = bytes.toString('utf8')
  assertSafePath(name)
  const parts = name.replace(/\/$/, '').split('/')
  const bad =
    !isUtf8(bytes) ||
    bytes.length > longest.path ||
    parts.length > longest.depth ||
    parts.some((part) => part === '' || part === '.' || Buffer.byteLength(part) > longest.name) ||
    /\p{Cc}/u.test(name)
  if (bad) throw unsafe(name)
  return name
}

/**
 * Throws if two members would be the same file on some file system: the same name, a name that differs only in case or
 * Unicode normalization, or a file where another one needs a folder.
 */
export function assertDistinctNames(names: readonly string[]): void {
  const keyOf = (name: string) => name.replace(/\/$/, '').normalize('NFC').toLowerCase()
  const seen = new Set<string>()
  const files = new Set<string>()
  for (const name of names) {
    const key = keyOf(name)
    if (seen.has(key)) throw new Error(`The archive holds ${JSON.stringify(name)} twice.`)
    seen.add(key)
    if (!name.endsWith('/')) files.add(key)
  }
  for (const key of seen)
    for (let at = key.indexOf('/'); at > 0; at = key.indexOf('/', at + 1))
      if (files.has(key.slice(0, at))) throw new Error(`The archive holds ${JSON.stringify(key)} below a file.`)
}
