import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeHtml } from '#server/platform/escape-html.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import { scriptJson, scriptText } from './script-json.ts'

/** What one delivery of the page is filled with. */
export interface ShellValues {
  nonce: string
  /** Empty for guests. */
  csrfToken: string
  boot: Record<string, unknown>
  /** Addresses of scripts the page will ask for, fetched at once. */
  preloads?: readonly string[]
}

/**
 * The font is asked for early on the pages people come in by. Behind them it is in the browser's cache; for who comes
 * without it, its 30 kB would stand in the way of the script (0.1 to 0.5 s of the largest paint on slow 4G).
 */
const isFontPreload = (link: string): boolean => link.includes(' as="font"')

const links = /<link\b[^<>]*>/g

const placeholder = /__(NONCE|CSRF_TOKEN|BOOT)__/

/** Scripts and styles get the nonce of the answer, also those the build tool wrote (it has a placeholder of its own). */
function withNonces(html: string): string {
  return html
    .replaceAll('{{ nonce }}', '__NONCE__')
    .replace(/<(script|style|link)\b([^<>]*)/gi, (tag, name: string, rest: string) =>
      /\bnonce=/.test(rest) ? tag : `<${name} nonce="__NONCE__"${rest}`,
    )
}

/** Fills the template. Each placeholder is replaced once: values are never searched for placeholders. */
export function fillShell(template: string, values: ShellValues): string {
  const preloads = (values.preloads ?? []).map(
    (href) => `<link rel="modulepreload" crossorigin href="${escapeHtml(href)}">`,
  )
  const page =
    values.csrfToken === '' ? template : template.replaceAll(links, (link) => (isFontPreload(link) ? '' : link))
  // Before the entry, which is small and of no use without them (scripts/web-preloads.ts).
  const filled = page.replace(/(?=<script type="module")|(?=<\/head>)/, () => preloads.join(''))
  return withNonces(filled)
    .split(placeholder)
    .map((part, index) => {
      if (index % 2 === 0) return part
      if (part === 'NONCE') return escapeHtml(values.nonce)
      return part === 'BOOT' ? scriptJson(values.boot) : scriptText(values.csrfToken)
    })
    .join('')
}

/** Address of the page's icon; null when it names none of our files. */
export function iconOf(template: string): string | null {
  const icon = template.match(links)?.find((link) => link.includes(' rel="icon"'))
  return /\bhref="(\/web\/[\w./-]+)"/.exec(icon ?? '')?.[1] ?? null
}

/** Scripts of one page as the build wrote them down; `path` may hold `:name` segments. */
interface PagePreloads {
  path: string
  files: string[]
  /** Asked for only by signed-in people. */
  signed_in: boolean
}

/** The built page. */
export interface Shell {
  template(): Promise<string>
  /** Scripts the page at this path (below `/web`) asks for beside the app's entry. */
  preloads(path: string, signedIn: boolean): Promise<readonly string[]>
}

/** Reads the built page, again whenever a new build replaced it. Throws `StartupError` when there is none. */
export async function openShell(dir: string): Promise<Shell> {
  const path = join(dir, 'index.html')
  let known = { changed: -1, html: '', pages: [] as PagePreloads[] }
  const read = async () => {
    const { mtimeMs } = await stat(path)
    if (mtimeMs !== known.changed) {
      known = { changed: mtimeMs, html: await readFile(path, 'utf8'), pages: await readPreloads(dir) }
    }
    return known
  }
  const template = async () => (await read()).html
  const preloads: Shell['preloads'] = async (asked, signedIn) => {
    const { pages } = await read()
    return pages.find((page) => page.signed_in === signedIn && samePath(page.path, asked))?.files ?? []
  }
  try {
    await template()
  } catch (error) {
    throw new StartupError(
      `The web app is not built: ${path} is missing.`,
      'Start with npm start, or run npm run build first.',
      error,
    )
  }
  return { template, preloads }
}

/** A build by Vite alone has no such list: its pages just load a little later. */
async function readPreloads(dir: string): Promise<PagePreloads[]> {
  const path = join(dir, '.vite', 'preloads.json')
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as PagePreloads[]) : []
}

/** Literal segments first: the route table lists `/site/create` before `/site/:site`. */
function samePath(pattern: string, asked: string): boolean {
  const wanted = pattern.split('/').filter(Boolean)
  const given = asked
    .replace(/^\/web/, '')
    .split('/')
    .filter(Boolean)
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(':') || part === given[at])
}
