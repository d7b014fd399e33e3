/**
 * Which files the built web app is cut into. Left alone, the bundler makes a file of every few modules that the same
 * pages share: fifteen requests for the login page, thirty for a list, and small files compress badly. The groups follow
 * what is loaded together (3 to 4 kB brotli less for each public page); all else stays with the bundler.
 */

/** What of the bundler's module graph is asked for. */
interface Graph {
  getModuleInfo(
    id: string,
  ): { importers: readonly string[]; dynamicImporters?: readonly string[]; code?: string | null } | null
}

const entry = '/web/main.tsx'
const shell = '/web/shell/app-shell.tsx'
const toasts = '/web/ui/toast-panel.tsx'
/** Pages without the shell, for people who are signed in, too. */
const barePage =
  /\/web\/pages\/(login|signup|invitation|forgot-password|reset-password|verify-email|terms|organization-create|organization-switch)\//
const page = /\/web\/pages\/[\w-]+\/([\w-]+)-page\.tsx$/
/** A module that so many bare pages need comes along with each of them. */
const enoughPages = 3

/** What toasts share with what else floats. */
const floating = /\/node_modules\/@radix-ui\/|\/web\/ui\/toast-icon\.tsx$/
const react = /\/node_modules\/(?:react|react-dom|scheduler)\//

const forms = /^(?:site-create|user|organization|billing|platform)$/
/** Kinds of signed-in pages: those of one kind are made of much the same parts. */
const kinds: readonly (readonly [kind: string, pages: RegExp])[] = [
  ['home', /^dashboard$/],
  ['lists', /^(?:sites|servers|jobs)$/],
  ['detail', /^(?:site|server)$/],
  ['people', /^users$/],
  ['forms', forms],
]
/** Forms that need little of what is shared: that comes with the shell. */
const settings = /^(?:user|organization|billing)$/

/**
 * The group of what several signed-in pages need, by the kinds of pages that pay for it: what one kind alone needs is a
 * file of that kind. The list of people is both a list and, with its dialogs, one of the forms. Of the
 * rest, the shell takes along what settings need.
 */
function groupOf(pages: ReadonlySet<string>): string {
  const used = kinds.filter(([, some]) => [...pages].some((name) => some.test(name))).map(([kind]) => kind)
  if (used.length === 1) return used[0] ?? 'shell'
  const own = { 'lists,people': 'lists', 'people,forms': 'dialogs' }[used.join()]
  return own ?? ([...pages].some((name) => settings.test(name)) ? 'shell' : 'documents')
}

/** Name of the group for a module, null for none. */
export function chunkOf(id: string, graph: Graph): string | null {
  // What is loaded by its own name keeps a file of its own, which the manifest names.
  if (id.endsWith(entry) || id.endsWith(shell) || barePage.test(id) || page.test(id)) return null
  const users = usersOf(id, graph)
  // Two files of much the same size come faster than one twice as large.
  if (users.some((user) => user.endsWith(entry))) return react.test(id) ? 'react' : 'main'
  const bare = new Set(users.map((user) => barePage.exec(user)?.[1]).filter((name) => name !== undefined))
  const inside = users.filter((user) => !barePage.test(user)).map((user) => page.exec(user)?.[1] ?? '')
  const signedIn = new Set(inside.filter((name) => name !== ''))
  const inShell = users.some((user) => user.endsWith(shell))
  const group = signedIn.size < 2 ? null : groupOf(signedIn)
  const [single] = signedIn
  // Also what one bare page has in common with the others: as files of their own these few kB would be a request each.
  const onlyForms = [...signedIn].every((name) => forms.test(name))
  if (bare.size >= enoughPages || (bare.size > 0 && (inShell || !onlyForms))) return 'main'
  if (bare.size > 0) return signedIn.size > 0 ? 'rules' : null
  if (inShell) return 'shell'
  // Toasts come first of all that floats: what they share with the rest comes without the rest.
  const others = users.some((user) => user.includes('/web/') && user !== id && !user.endsWith(toasts))
  if (floating.test(id) && others && users.some((user) => user.endsWith(toasts))) return 'floating'
  // What a page shares with its own dialogs and tabs, which come later.
  const later = users.some((user) => (graph.getModuleInfo(user)?.dynamicImporters ?? []).length > 0 && !page.test(user))
  return single !== undefined && group === null && later ? `${single}-parts` : group
}

const icon = /\/lucide-react\/.*\/icons\/([\w-]+)\.mjs$/

/** Who draws an icon. All come through one list, so that everybody would seem to use every icon: the name tells. */
function drawersOf(id: string, file: string, graph: Graph): string[] {
  const name = new RegExp(`\\b${file.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}\\b`)
  const lists = graph.getModuleInfo(id)?.importers ?? []
  return lists
    .flatMap((list) => graph.getModuleInfo(list)?.importers ?? [])
    .filter((user) => !user.includes('/lucide-react/') && name.test(graph.getModuleInfo(user)?.code ?? ''))
}

/** The module and all that import it statically, directly or through others. */
function usersOf(id: string, graph: Graph): string[] {
  const file = icon.exec(id)?.[1]
  const users = new Set(file === undefined ? [id] : drawersOf(id, file, graph))
  // A set grows while it is walked.
  for (const user of users) for (const importer of graph.getModuleInfo(user)?.importers ?? []) users.add(importer)
  return [...users]
}
