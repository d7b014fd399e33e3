/** What must have a mutant: every function of the modules that decide, and every call of a deciding function. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeMutants } from './all-mutants.ts'
import { editOf, isCallOf, type Edit } from './apply-change.ts'
import { exempt, idleCalls } from './exempt.ts'
import type { Change, FunctionLocation } from './mutant.ts'
import { everyNode, functionsOf, parseModule, type Node } from './syntax.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** The text of a module. */
export function moduleText(module: string): string {
  return readFileSync(join(root, module), 'utf8')
}

/** Modules in which every function has a mutant or a reason to have none. */
export const decidingModules = [
  'server/contracts/session.ts',
  ...modulesIn('server/documents/permissions'),
  'server/features/accounts/sessions/machine-tokens.ts',
  'server/features/uploads/upload-access.ts',
  'server/features/uploads/upload-store.ts',
  'server/wire/hooks/call-by-parameters.ts',
  'server/wire/hooks/identify-caller.ts',
  'server/wire/methods/method-registry.ts',
  'server/wire/request/authenticate.ts',
  'server/wire/routes/upload-routes.ts',
  'shared/rules/token-scopes.ts',
]

function modulesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder)).toSorted()
  return names.filter((name) => !name.endsWith('.test.ts')).map((name) => `${folder}/${name}`)
}

/** Functions that decide, and the modules in which every call of them has a mutant or a reason to have none. */
const deciding = [
  ...[
    'loadFor',
    'listScope',
    'grantApplies',
    'grantAppliesToNew',
    'checkLinks',
    'mayRead',
    'canRead',
    'tenantSql',
    'writableValues',
  ],
  ...['rejectGuest', 'fieldWrite', 'sameTenant', 'withReadableValues', 'readableValues', 'isMachine', 'requireScope'],
  ...['requireVerified', 'checkForgery'],
]
export const callingModules = [
  'server/documents/documents.ts',
  ...modulesIn('server/documents/operations'),
  'server/documents/permissions/permission-bits.ts',
  'server/documents/permissions/links.ts',
  'server/documents/permissions/access-errors.ts',
  'server/documents/permissions/access.ts',
  'server/documents/permissions/gate.ts',
  'server/documents/permissions/rule-sql.ts',
  'server/documents/query/lists.ts',
  'server/documents/query/search.ts',
  'server/documents/query/described-values.ts',
  'server/features/files/attach.ts',
  'server/features/files/files.ts',
  'server/features/organizations/organization-actions.ts',
  'server/features/organizations/list-members.ts',
  'server/features/uploads/upload-access.ts',
  'server/features/uploads/upload-store.ts',
  'server/wire/hooks/call-by-parameters.ts',
  'server/wire/methods/method-registry.ts',
  'server/wire/routes/upload-routes.ts',
  'server/wire/sockets/subscriptions.ts',
]

const isWithin = (inner: Pick<Edit, 'start' | 'end'>, outer: Pick<Edit, 'start' | 'end'>) =>
  outer.start <= inner.start && inner.end <= outer.end

/** All places of a module that mutants change. */
function editsOf(module: string, text: string): Edit[] {
  return changesOf(module).map((change) => editOf(text, change))
}

const changesOf = (module: string): Change[] =>
  codeMutants.flatMap(({ changes }) => changes.filter((one) => one.module === module))

/** Functions of a module that no mutant changes and that have no reason for it; and reasons that are not needed. */
export function unchangedFunctions(module: string): string[] {
  const text = moduleText(module)
  const edits = editsOf(module, text)
  const all = functionsOf(parseModule(text))
  const kept = all.filter(({ node }) => !edits.some((edit) => isWithin(edit, node))).map(({ path }) => path)
  const excused = exempt
    .filter((one) => one.module === module)
    .flatMap(({ functions }) => (functions === 'all' ? kept : functions))
  return [
    ...kept.filter((path) => !excused.includes(path)).map((path) => `without a mutant: ${path}`),
    ...excused.filter((path) => !kept.includes(path)).map((path) => `without need of a reason: ${path}`),
  ]
}

/** Calls of deciding functions that no mutant changes and that have no reason for it. */
export function unchangedCalls(module: string): string[] {
  const text = moduleText(module)
  const edits = editsOf(module, text)
  const program = parseModule(text)
  const calls = [...everyNode(program)]
    .map(({ node }) => node)
    .filter((node) => node.type === 'CallExpression' && deciding.some((name) => isCallOf(node, name, [])))
  const idle = idleCalls.filter((one) => one.module === module)
  return calls
    .filter((call) => !edits.some((edit) => isWithin(edit, call) || isWithin(call, edit)))
    .filter((call) => !idle.some((one) => isIdle(call, one, program)))
    .map((call) => `${text.slice(0, call.start).split('\n').length}: ${text.slice(call.start, call.end)}`)
}

function isIdle(call: Node, { in: path, call: called }: FunctionLocation & { call: string }, program: Node): boolean {
  const named = functionsOf(program).find((one) => one.path === path)
  return named !== undefined && isWithin(call, named.node) && isCallOf(call, called, [])
}
