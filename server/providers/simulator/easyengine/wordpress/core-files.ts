import { appendFileSync, cpSync, existsSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SiteRow } from '../database.ts'
import { documentRoot } from '../layout.ts'
import { put, readIfThere, type Machine } from '../machine.ts'

/** Version of a fresh WordPress, and the one that an update brings, where there are no real files. */
export const wordpressVersions = { installed: '6.8.2', newest: '6.8.3' }

export const pluginHeader = (name: string, version: string): string =>
  `<?php\n/*\nPlugin Name: ${name}\nVersion: ${version}\n*/\n`
export const themeHeader = (name: string, version: string): string =>
  `/*\nTheme Name: ${name}\nVersion: ${version}\n*/\n`

/** The files of WordPress itself that stand for a version, in the package of a language; null: the usual one. */
export const coreFiles = (version: string, locale: string | null = null): Readonly<Record<string, string>> => ({
  'index.php': "<?php require __DIR__ . '/wp-blog-header.php';\n",
  'wp-login.php': '<?php // Sign in\n',
  'wp-admin/index.php': '<?php // Dashboard\n',
  'wp-includes/load.php': '<?php // Load\n',
  'wp-includes/version.php': `<?php\n$wp_version = '${version}';\n${locale === null ? '' : localLine(locale)}`,
})

const localLine = (locale: string): string => `$wp_local_package = '${locale}';\n`

const contentFiles: Readonly<Record<string, string>> = {
  'wp-content/plugins/akismet/akismet.php': pluginHeader('Akismet', '5.4'),
  'wp-content/plugins/hello.php': pluginHeader('Hello Dolly', '1.7.2'),
  'wp-content/themes/twentytwentyfive/style.css': themeHeader('Twenty Twenty-Five', '1.2'),
  'wp-content/themes/twentytwentyfour/style.css': themeHeader('Twenty Twenty-Four', '1.3'),
  'wp-content/themes/twentytwentythree/style.css': themeHeader('Twenty Twenty-Three', '1.6'),
}

/** The version that the files of a folder say. */
export function versionIn(folder: string): string {
  const text = readIfThere(join(folder, 'wp-includes/version.php')) ?? ''
  return /\$wp_version = '([^']+)'/.exec(text)?.[1] ?? ''
}

/** The language that the files of a folder are packed in; null: the usual one. */
export function localeIn(folder: string): string | null {
  const text = readIfThere(join(folder, 'wp-includes/version.php')) ?? ''
  return /\$wp_local_package = '([^']+)'/.exec(text)?.[1] ?? null
}

/**
 * A real WordPress, in the folder `wordpress` beside those of the machines; null without one. Sites that have it can be started elsewhere
 * from their backups.
 */
const realCore = (machine: Pick<Machine, 'root'>): string | null => {
  const folder = join(dirname(machine.root), 'wordpress')
  return existsSync(join(folder, 'wp-includes/version.php')) ? realpathSync(folder) : null
}

/** What connects this installation's own copy to SQLite. */
const ofSqlite = new Set(['wp-content/db.php', 'wp-content/mu-plugins'])

/** Writes the files of WordPress itself into a folder: of a version, or of the one that new sites get. */
export function placeCore(machine: Machine, folder: string, version: string | null, withContent: boolean): void {
  const real = realCore(machine)
  if (real === null) {
    const files = { ...coreFiles(version ?? wordpressVersions.installed), ...(withContent ? contentFiles : {}) }
    for (const [name, content] of Object.entries(files)) put(join(folder, name), content)
    return
  }
  cpSync(real, folder, {
    recursive: true,
    filter: (path) => {
      const name = path.slice(real.length + 1)
      return !ofSqlite.has(name) && (withContent || name !== 'wp-content')
    },
  })
  const about = join(folder, 'wp-includes/version.php')
  if (version !== null)
    writeFileSync(
      about,
      (readIfThere(about) ?? '').replace(versionIn(real), () => version),
    )
}

/** What is downloaded of WordPress: null for the newest, and the usual language. */
interface CorePackage {
  readonly version: string | null
  readonly locale: string | null
  readonly withContent: boolean
}

/** Writes the files of a site's WordPress. */
export function writeCore(machine: Machine, site: SiteRow, { version, locale, withContent }: CorePackage): void {
  const root = documentRoot(machine, site)
  placeCore(machine, root, version, withContent)
  if (locale !== null && locale !== 'en_US') {
    appendFileSync(join(root, 'wp-includes/version.php'), localLine(locale))
    put(join(root, `wp-content/languages/${locale}.mo`), '')
  }
  put(join(root, 'wp-content/index.php'), '<?php\n')
}

/** Files of a version whose content is known here; null: they are real ones, which have published checksums. */
export function knownFiles(
  machine: Machine,
  version: string,
  locale: string | null,
): Readonly<Record<string, string>> | null {
  const real = realCore(machine)
  if (real === null) return coreFiles(version, locale)
  return versionIn(real) === version ? null : {}
}

/** Folder name of the theme that a new site shows. */
export function defaultTheme(machine: Machine, site: SiteRow): string {
  const themes = Object.keys(contentFiles).flatMap((path) => (path.endsWith('.css') ? [basename(dirname(path))] : []))
  const folder = join(documentRoot(machine, site), 'wp-content/themes')
  return themes.find((name) => existsSync(join(folder, name))) ?? 'twentytwentyfive'
}
