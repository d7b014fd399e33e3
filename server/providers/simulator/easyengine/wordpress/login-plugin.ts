import { existsSync, mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../machine.ts'

/** What a file of a link says, after a line of PHP that ends at once. */
export interface StoredLink {
  readonly hash: string
  /** Seconds since 1970. */
  readonly expires: number
  readonly key: string
  readonly role: string
  readonly login: string
  readonly name: string
  readonly email: string
  /** Login name that no person gets. */
  readonly reserved?: string
  /** Login name of another user than the person's own. */
  readonly as?: string | null
}

/** Where the must-use plugin that Easydash places is, in a site. */
export const loginPluginPath = 'wp-content/mu-plugins/easydash-login.php'
const last = 'last.php'
/** Seconds that the plugin stays after its last link. */
const patience = 900

const folderOf = (root: string): string => join(root, 'wp-content/easydash-login')

function read(root: string, name: string): Partial<StoredLink> | null {
  const text = readIfThere(join(folderOf(root), name)) ?? ''
  try {
    return JSON.parse(text.slice(text.indexOf('\n') + 1)) as Partial<StoredLink>
  } catch {
    return null
  }
}

/** Takes the link with a hash out of the site at `root`; null if there is none, or it is late. */
export function takeLink(root: string, hash: string): StoredLink | null {
  const link = read(root, `${hash}.php`)
  if (link === null) return null
  const now = Date.now() / 1000
  rmSync(join(folderOf(root), `${hash}.php`))
  writeFileSync(join(folderOf(root), last), `<?php exit; ?>\n${JSON.stringify({ expires: now })}`)
  return link.hash === hash && now <= (link.expires ?? 0) ? (link as StoredLink) : null
}

/** Removes the unused links that `isOver` names. */
export function dropLinks(root: string, isOver: (link: Partial<StoredLink>) => boolean): void {
  for (const name of linkFiles(root)) {
    const link = read(root, name)
    if (link !== null && name !== last && isOver(link)) rmSync(join(folderOf(root), name))
  }
}

const linkFiles = (root: string): string[] =>
  existsSync(folderOf(root)) ? readdirSync(folderOf(root)).filter((name) => name.endsWith('.php')) : []

/** What the plugin does at the end of each request: a while after its last link it takes itself away. */
export function leaveUnlessNeeded(root: string): void {
  if (!existsSync(join(root, loginPluginPath))) return
  const over = linkFiles(root).filter((name) => Date.now() / 1000 > (read(root, name)?.expires ?? 0) + patience)
  for (const name of over) rmSync(join(folderOf(root), name))
  if (linkFiles(root).length > 0) return
  rmSync(join(root, loginPluginPath))
  mkdirSync(folderOf(root), { recursive: true })
  rmdirSync(folderOf(root))
}
