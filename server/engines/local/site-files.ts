import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, open, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeHtml } from '#server/platform/escape-html.ts'
import type { SiteSpec } from '../engine.ts'
import type { SitePaths } from './site-store.ts'

/** An error log is cut to nothing when it grows past this; PHP appends to the same file again. */
const maxLogBytes = 5 * 1024 * 1024
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

/** The configuration of a new WordPress, with fresh keys. Address and database settings come at each start instead. */
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
  const line =
    spec.siteType === 'php' ? '<p>PHP <?= PHP_VERSION ?> is running.</p>' : '<p>Replace this page with your own.</p>'
  return {
    name: spec.siteType === 'php' ? 'index.php' : 'index.html',
    content: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:18px/1.6 system-ui,sans-serif;max-width:40rem;margin:20vh auto;padding:0 24px}</style></head>
<body><h1>${title}</h1>${line}</body>
</html>
`,
  }
}

/** Writes a file that belongs to the site. */
export async function writeSiteFile(path: string, content: string, owner: number | null): Promise<void> {
  await writeFile(path, content)
  if (owner !== null) await chown(path, owner, owner)
}

/**
 * Makes the folders beside `www` that PHP may write to, and closes the site's folder to everybody but us and the site:
 * what lies in it has whatever modes PHP gave it.
 */
export async function ensureWorkFolders(paths: SitePaths, owner: number | null): Promise<void> {
  if (owner !== null) await chown(paths.folder, process.getuid?.() ?? 0, owner)
  await chmod(paths.folder, owner === null ? 0o700 : 0o710)
  for (const folder of [paths.logs, paths.outbox]) {
    await mkdir(folder, { recursive: true })
    if (owner !== null) await chown(folder, owner, owner)
  }
}

function errorLog(paths: SitePaths): string {
  return join(paths.logs, 'php-errors.log')
}

/** Empties an error log that grew too large. It is not removed: a running PHP could not create it again. */
export async function capErrorLog(paths: SitePaths): Promise<void> {
  try {
    if ((await stat(errorLog(paths))).size > maxLogBytes) await truncate(errorLog(paths), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Last lines of the error log, newest last; empty when there is none. */
export async function lastLogLines(paths: SitePaths, lines: number): Promise<string[]> {
  let file
  try {
    file = await open(errorLog(paths), 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  try {
    const { size } = await file.stat()
    const length = Math.min(size, Math.max(1, lines) * 4_096, 1_048_576)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const all = buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .filter((line) => line !== '')
    return (length < size ? all.slice(1) : all).slice(-lines)
  } finally {
    await file.close()
  }
}
