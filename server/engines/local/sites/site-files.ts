import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, readSync } from 'node:fs'
import { chmod, chown, lchown, mkdir } from 'node:fs/promises'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { openFolder, type Folder, type OpenFile } from '#server/platform/trees/folder.ts'
import type { SiteSpec } from '../../engine.ts'
import type { SitePaths } from './site-store.ts'

const saltNames = [
  'AUTH_KEY',
  'SECURE_AUTH_KEY',
  'LOGGED_IN_KEY',
  'NONCE_KEY',
  'AUTH_SALT',
  'SECURE_AUTH_SALT',
  'LOGGED_IN_SALT',
  'NONCE_SALT',
]

/** The configuration of a new WordPress, with new keys. URL and database settings are provided at each start instead. */
export function wpConfig(): string {
  const salts = saltNames.map((name) => `define( '${name}', '${randomBytes(48).toString('base64url')}' );`).join('\n')
  return `<?php
/* The database is SQLite: these four are unused but must exist. */
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', '' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

${salts}

$table_prefix = 'wp_';

if ( ! defined( 'WP_DEBUG' ) ) {
	define( 'WP_DEBUG', false );
}

if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}

require_once ABSPATH . 'wp-settings.php';
`
}

/** The first page of a plain PHP or HTML site. */
export function starterPage(spec: Pick<SiteSpec, 'siteType' | 'title'>): { name: string; content: string } {
  const title = escapeHtml(spec.title)
  const name = spec.siteType === 'php' ? 'index.php' : 'index.html'
  const running = spec.siteType === 'php' ? '<p>PHP <?= PHP_VERSION ?> is running.</p>' : ''
  // The page is public, so it does not say where the folder is.
  const line = `${running}<p>This page is the file <code>${name}</code>. To change it, edit or replace that file; the page of this site in Easydash says in which folder it is.</p>`
  return {
    name,
    content: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:18px/1.6 system-ui,sans-serif;max-width:40rem;margin:20vh auto;padding:0 24px}</style></head>
<body><h1>${title}</h1>${line}</body>
</html>
`,
  }
}

/**
 * Creates the folders next to `www` that PHP may write to, and restricts the site's folder to us and the site: its files
 * have whatever modes PHP gave them. Only we may write into the folder itself, so we created all of its entries.
 */
export async function ensureWorkFolders(paths: SitePaths, owner: number | null): Promise<void> {
  if (owner !== null) await chown(paths.folder, process.getuid?.() ?? 0, owner)
  await chmod(paths.folder, owner === null ? 0o700 : 0o710)
  for (const folder of [paths.logs, paths.outbox]) {
    await mkdir(folder, { recursive: true })
    if (owner !== null) await lchown(folder, owner, owner)
  }
}

/** The error log, if it is a file that belongs to the site; null otherwise. Links and special files are never opened. */
function openErrorLog(paths: SitePaths, owner: number | null, flags: 'r' | 'r+'): OpenFile | null {
  const logs = openIfThere(paths.logs)
  if (logs === null) return null
  try {
    const file = openIfAllowed(logs, flags)
    if (file === null) return null
    if (file.stats.uid === (owner ?? process.getuid?.())) return file
    closeSync(file.fd)
    return null
  } finally {
    logs.close()
  }
}

/** A site may remove the permissions on its own log. */
function openIfAllowed(logs: Folder, flags: 'r' | 'r+'): OpenFile | null {
  try {
    return logs.openFile(Buffer.from('php-errors.log'), flags)
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  }
}

function openIfThere(path: string): Folder | null {
  try {
    return openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/**
 * Empties an error log over its limit. It is not removed, because a running PHP could not create it again.
 * @param owner user of the site; null: everything belongs to one user
 */
export function capErrorLog(paths: SitePaths, owner: number | null, maxBytes: number): void {
  const file = openErrorLog(paths, owner, 'r+')
  if (file === null) return
  try {
    if (file.stats.size > maxBytes) ftruncateSync(file.fd, 0)
  } finally {
    closeSync(file.fd)
  }
}

/** Last lines of the error log, newest last; empty if there is none. */
export function lastLogLines(paths: SitePaths, owner: number | null, lines: number): string[] {
  const file = openErrorLog(paths, owner, 'r')
  if (file === null) return []
  try {
    const { size } = file.stats
    const length = Math.min(size, Math.max(1, lines) * 4_096, 1_048_576)
    const buffer = Buffer.alloc(length)
    const read = readSync(file.fd, buffer, 0, length, size - length)
    const all = buffer
      .toString('utf8', 0, read)
      .split('\n')
      .filter((line) => line !== '')
    return (length < size ? all.slice(1) : all).slice(-lines)
  } finally {
    closeSync(file.fd)
  }
}
