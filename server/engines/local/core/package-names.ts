import { isUtf8 } from 'node:buffer'

/** Longest name of a file, and path, that every file system takes (bytes); and how deep a path may go. */
const longest = { name: 255, path: 1_000, depth: 40 }

/** Throws unless `name` is a relative path that stays inside the folder it is unpacked to. */
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

/**
 * The name of a member of a package, which is software and not what somebody wrote: a path that means one file on every
 * file system. Throws otherwise.
 */
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
 * Throws when two members would be one file somewhere: the same name, another spelling of it on a file system that tells no
 * capitals from small letters, or a file where another one needs a folder.
 */
export function assertDistinct(names: readonly string[]): void {
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
