import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseOwnJson } from '#shared/parse-json.ts'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { withImports, type BuildManifest } from './build-manifest.ts'
import { scriptJson, scriptText } from './script-json.ts'

/** Values filled into the page for one response. */
export interface ShellValues {
  nonce: string
  /** Empty for guests. */
  csrfToken: string
  boot: Record<string, unknown>
  /** URLs of scripts that the page will import, to be loaded with it. */
  preload?: readonly string[]
}

const links = /<link\b[^<>]*>/g

const placeholder = /__(NONCE|CSRF_TOKEN|BOOT)__/

/** Adds the response's nonce to scripts and styles, including those written by the build tool (with its own placeholder). */
function withNonces(html: string): string {
  return html
    .replaceAll('{{ nonce }}', '__NONCE__')
    .replace(/<(script|style|link)\b([^<>]*)/gi, (tag, name: string, rest: string) =>
      /\bnonce=/.test(rest) ? tag : `<${name} nonce="__NONCE__"${rest}`,
    )
}

/** Fills the template. Each placeholder is replaced once: values are not searched for placeholders. */
export function renderShell(template: string, values: ShellValues): string {
  const links = (values.preload ?? []).map((url) => `<link rel="modulepreload" crossorigin href="${url}">`)
  return withNonces(template.replace('</head>', (end) => links.join('') + end))
    .split(placeholder)
    .map((part, index) => {
      if (index % 2 === 0) return part
      if (part === 'NONCE') return escapeHtml(values.nonce)
      return part === 'BOOT' ? scriptJson(values.boot) : scriptText(values.csrfToken)
    })
    .join('')
}

/** URL of the page's icon; null if it is not one of our files. */
export function iconOf(template: string): string | null {
  const icon = template.match(links)?.find((link) => link.includes(' rel="icon"'))
  return /\bhref="(\/web\/[\w./-]+)"/.exec(icon ?? '')?.[1] ?? null
}

/** Source of the app's page: the build, or Vite in development. */
export interface ShellSource {
  /** The unfilled page for a path. */
  template(path: string): Promise<string>
  /** URLs of the scripts of a signed-in page, which it imports only when it runs. `path`: that of the page. */
  signedInScripts(path: string): Promise<readonly string[]>
}

/** A build: time of its last change, the page, and the scripts that signed-in pages load besides, by module. */
interface Built {
  changed: number
  html: string
  scripts: ReadonlyMap<string, readonly string[]>
}

/** The key of the scripts of pages that have no module here. */
const otherPages = ''

/**
 * The modules of pages by their path, and what starts their first reads. A page that is missing here works, but its own scripts are
 * loaded later.
 */
export const pageModules: readonly (readonly [path: RegExp, page: string, reads?: string])[] = [
  [/^\/web\/?$/, 'pages/dashboard/dashboard-page.tsx'],
  [/^\/web\/site\/?$/, 'pages/sites/sites-page.tsx', 'pages/sites/sites-early-reads.ts'],
  [/^\/web\/site\/create\/?$/, 'pages/sites/site-create-page.tsx'],
  [/^\/web\/site\/backups\/?$/, 'pages/sites/backups/backups-page.tsx'],
  [/^\/web\/site\/[^/]+\/?$/, 'pages/sites/site-page.tsx'],
  [/^\/web\/server\/?$/, 'pages/servers/servers-page.tsx', 'pages/servers/servers-early-reads.ts'],
  [/^\/web\/server\/create\/?$/, 'pages/servers/create/server-create-page.tsx'],
  [/^\/web\/server\/[^/]+\/?$/, 'pages/servers/server-page.tsx'],
  [/^\/web\/user\/?$/, 'pages/users/users-page.tsx', 'pages/users/users-early-reads.ts'],
  [/^\/web\/user\/[^/]+\/?$/, 'pages/user/user-page.tsx'],
  [/^\/web\/job\/?$/, 'pages/jobs/jobs-page.tsx', 'pages/jobs/jobs-early-reads.ts'],
  [/^\/web\/organization\/?$/, 'pages/organization/organization-page.tsx'],
  [/^\/web\/billing\/?$/, 'pages/billing/billing-page.tsx'],
  [/^\/web\/platform\/?$/, 'pages/platform/platform-page.tsx'],
]

/** Reads the built page, and reads it again when a new build replaced it. Throws `StartupError` if it is missing. */
export async function openShell(dir: string): Promise<ShellSource> {
  const path = join(dir, 'index.html')
  let known: Built = { changed: -1, html: '', scripts: new Map() }
  const current = async () => {
    const { mtimeMs } = await stat(path)
    if (mtimeMs !== known.changed) {
      const [html, manifest] = await Promise.all([
        readFile(path, 'utf8'),
        readFile(join(dir, '.vite', 'manifest.json'), 'utf8'),
      ])
      known = { changed: mtimeMs, html, scripts: scriptsBeyondPage(parseOwnJson<BuildManifest>(manifest)) }
    }
    return known
  }
  try {
    await current()
  } catch (error) {
    throw new StartupError(
      `The web app is not built: ${path} is missing.`,
      'Start with npm start, or run npm run build first.',
      error,
    )
  }
  return {
    template: async () => (await current()).html,
    signedInScripts: async (path) => {
      const { scripts } = await current()
      const [, page = otherPages] = pageModules.find(([paths]) => paths.test(path)) ?? []
      return scripts.get(page) ?? scripts.get(otherPages) ?? []
    },
  }
}

/** Scripts of the shell and of each page, with what they import, that the document itself does not load. */
function scriptsBeyondPage(manifest: BuildManifest): Map<string, readonly string[]> {
  const document = withImports(manifest, ['index.html'])
  // In this order: the first reads begin and the shell is drawn before the page is here. What a module imports comes before it:
  // the file of an `import()` is often one line that passes on a large one, and browsers open six connections.
  const scriptsOf = (before: readonly string[], page: readonly string[]) => {
    const needed = [before, ['shell/frame/app-shell.tsx'], page].flatMap((keys) => [
      ...withImports(manifest, keys).difference(new Set(keys)),
      ...keys,
    ])
    return [...new Set(needed).difference(document)].flatMap((key) =>
      manifest[key] ? [`/web/${manifest[key].file}`] : [],
    )
  }
  const built = pageModules.filter(([, page]) => manifest[page])
  const shared = Object.keys(manifest).filter((key) => manifest[key]?.name === 'pages')
  return new Map([
    [otherPages, scriptsOf([], shared)],
    ...built.map(([, page, reads]) => [page, scriptsOf(reads === undefined ? [] : [reads], [page])] as const),
  ])
}
