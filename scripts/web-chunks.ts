/**
 * Which files the built web app is cut into. Left alone, the bundler makes a file of every few modules that the same
 * pages share: fifteen requests for the login page, thirty for a list, and small files compress badly. The groups follow
 * what is loaded together (3 to 4 kB brotli less for each public page); all else stays with the bundler.
 */

/** What of the bundler's module graph is asked for. */
interface Graph {
  getModuleInfo(id: string): { importers: readonly string[]; code?: string | null } | null
}

const entry = '/web/main.tsx'
const shell = '/web/shell/app-shell.tsx'
/** Pages without the shell, for people who are signed in, too. */
const barePage =
  /\/web\/pages\/(login|signup|invitation|forgot-password|reset-password|verify-email|terms|organization-create|organization-switch)\//
const page = /\/web\/pages\/[\w-]+\/([\w-]+)-page\.tsx$/
/** A module that so many bare pages need comes along with each of them. */
const enoughPages = 3

/**
 * Groups of what several signed-in pages need, by the pages that pay for it: the first that has one of a module's pages
 * gets it, so that the pages people arrive at fetch nothing that only the later ones need.
 */
const groups: readonly (readonly [name: string, pages: RegExp])[] = [
  ['app', /^(?:dashboard|sites|servers)$/],
  ['detail', /^(?:site|server)$/],
  ['forms', /^site-create$/],
  ['settings', /^user$/],
  ['dialogs', /^(?:users|organization|billing|platform)$/],
]

/** Name of the group for a module, null for none. */
export function chunkOf(id: string, graph: Graph): string | null {
  // What is loaded by its own name keeps a file of its own, which the manifest names.
  if (id.endsWith(entry) || id.endsWith(shell) || barePage.test(id) || page.test(id)) return null
  const users = usersOf(id, graph)
  if (users.some((user) => user.endsWith(entry))) return 'main'
  const bare = new Set(users.map((user) => barePage.exec(user)?.[1]).filter((name) => name !== undefined))
  const inside = users.filter((user) => !barePage.test(user)).map((user) => page.exec(user)?.[1] ?? '')
  const signedIn = inside.filter((name) => name !== '')
  const inShell = users.some((user) => user.endsWith(shell))
  const group = groups.find(([, pages]) => signedIn.some((name) => pages.test(name)))?.[0] ?? null
  // Also what one bare page has in common with the others: as files of their own these few kB would be a request each.
  if (bare.size >= enoughPages || (bare.size > 0 && (inShell || group === 'app' || group === 'detail'))) return 'main'
  if (bare.size > 0) return signedIn.length > 0 ? 'rules' : null
  if (inShell) return 'shell'
  return signedIn.length < 2 ? null : group
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
