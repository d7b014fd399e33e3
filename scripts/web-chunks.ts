/**
 * Which files the built web app is cut into. Left alone, the bundler makes a file of every few modules that the same
 * pages share: fifteen requests for the login page, thirty for a list, and small files compress badly. Five groups follow
 * what is loaded together (3 to 4 kB brotli less for each public page); all else stays with the bundler.
 */

/** What of the bundler's module graph is asked for. */
interface Graph {
  getModuleInfo(id: string): { importers: readonly string[]; code?: string | null } | null
}

const entry = '/web/main.tsx'
const shell = '/web/shell/app-shell.tsx'
const signedInPage = /\/web\/pages\/(dashboard|sites|servers)\/[\w-]+-page\.tsx$/
const publicPage = /\/web\/pages\/(login|signup|invitation|forgot-password|reset-password|verify-email|terms)\//
/** Where people arrive; what only pages of one document share would delay them. */
const overview = /\/(?:dashboard|sites|servers)-page\.tsx$/
/** A module that so many public pages need comes along with each of them. */
const enoughPages = 3

/** Name of the group for a module, null for none. */
export function chunkOf(id: string, graph: Graph): string | null {
  // What is loaded by its own name keeps a file of its own, which the manifest names.
  if (id.endsWith(entry) || id.endsWith(shell) || publicPage.test(id) || signedInPage.test(id)) return null
  const users = usersOf(id, graph)
  if (users.some((user) => user.endsWith(entry))) return 'main'
  const pages = new Set(users.map((user) => publicPage.exec(user)?.[1]).filter((page) => page !== undefined))
  if (pages.size >= enoughPages) return 'public'
  if (pages.size > 0) return null
  if (users.some((user) => user.endsWith(shell))) return 'shell'
  const signedIn = users.filter((user) => signedInPage.test(user))
  if (signedIn.length < 2) return null
  return signedIn.some((user) => overview.test(user)) ? 'app' : 'detail'
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
