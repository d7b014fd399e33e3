/* Rules for deployments from a repository that both sides use. */
import { isNewName, splitPath } from './site-files.ts'

/** Limits of a deployment. */
export const deploymentLimits = {
  /** Files of a commit. */
  files: 20_000,
  /** Bytes of one file. */
  file: 100 * 1_048_576,
  /** Bytes of all files together. */
  bytes: 300 * 1_048_576,
  /** Bytes of the archive that GitHub makes of them. */
  archive: 100 * 1_048_576,
  /** Deployments of a site that are kept. */
  kept: 50,
} as const

/** Whether this is `owner/name`, as GitHub writes it. */
export function isRepository(text: string): boolean {
  const [owner = '', name = '', ...more] = text.split('/')
  return (
    more.length === 0 &&
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/.test(owner) &&
    /^[\w.-]{1,100}$/.test(name) &&
    !/^\.{1,2}$|\.git$/i.test(name)
  )
}

/** Whether Git allows this as the name of a branch (git-check-ref-format), without what only misleads. */
export function isBranch(text: string): boolean {
  if (text.length === 0 || text.length > 200 || text.startsWith('-') || text === '@') return false
  if (/[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/u.test(text)) return false
  return text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}

/** Whether this names a commit completely. */
export const isCommit = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/** A commit as people read it. */
export const shortCommit = (commit: string): string => commit.slice(0, 7)

/** The folder of a site that its repository goes to, as it was entered: `/` is the one it serves. Null if it can't be one. */
export function deploymentFolder(entered: string | null, siteType: string): string | null {
  const path = (entered ?? '').trim()
  if (path === '') return siteType === 'wp' ? 'wp-content' : ''
  const folder = path.replace(/^\/|\/$/g, '')
  const names = splitPath(folder)
  return Array.isArray(names) && names.every(isNewName) ? folder : null
}

/** Files of a repository that are about it, and no part of a site. */
export function isRepositoryFile(path: string): boolean {
  const [first = ''] = path.split('/')
  return first === '.github' || /(?:^|\/)\.git(?:ignore|attributes|keep)$/.test(path)
}
