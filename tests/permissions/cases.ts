import { randomBytes } from 'node:crypto'
import { acting, creating, entryPoints } from './entry-points.ts'
import type { EntryPoint } from './entry-point.ts'
import {
  actionDeclarations,
  doctypeDeclarations,
  type ActionDeclaration,
  type DraftDeclaration,
} from './declarations.ts'
import {
  columnOf,
  expectedOf,
  escalatesWithToken,
  inScope,
  isGuest,
  isSame,
  memberColumn,
  reaches,
  rowOf,
  columnOfPlan,
  type Expected,
  lacksPassword,
} from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { outcomeOf, type Outcome } from './outcomes.ts'
import { everybody, profileOf, type Person, type PersonKey } from './people.ts'
import type { Attributes, SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import { call, type ParsedResponse, type Subject, type TestContext } from './test-context.ts'
import { changedTrace, traceOf } from './traces.ts'

/** One attempt and its expected outcome. */
export interface Case {
  /** Reads as a sentence: who, what, through which entry point. */
  readonly title: string
  /** Doctype under test, for filtering. */
  readonly doctype: string
  /** Kind of assertion, for filtering. */
  readonly kind: string
  /** Null if the outcome was as expected, else the actual outcome. */
  run(context: TestContext): Promise<string | null>
}

/** The person with a key. */
export function personOf(context: TestContext, key: PersonKey): Person {
  const person = context.people.get(key)
  if (!person) throw new Error(`Nobody is called ${key}.`)
  return person
}

/** Whether an outcome matches the expectation. */
export function matchesExpectation(outcome: Outcome, expected: Expected): boolean {
  // Lists and permission bits show what is allowed and hide the rest; an error also hides it.
  if (outcome === 'shown' || outcome === 'hidden') return (outcome === 'shown') === (expected === 'allowed')
  if (expected === 'allowed') return outcome === 'passed'
  if (expected === 'denied') return outcome === 'refused' || outcome === 'missing'
  return outcome === expected
}

/** Entry points for whole lists return an error instead of hiding rows if the role can't read the doctype at all. */
const isListEntryPoint = (name: string) =>
  /list|report|count|value|validate|search|or_filters|by filters|permission|get_job_logs|get_versions/.test(name)

/** Every person × document × entry point. */
export function documentCases(matrix: Matrix): Case[] {
  return subjectPlans.flatMap((plan) =>
    everybody.flatMap((key) =>
      entryPoints.flatMap((entryPoint): Case[] => {
        if (entryPoint.doctypes && !entryPoint.doctypes.includes(plan.doctype)) return []
        const open =
          entryPoint.alsoScopeOf === undefined || inScope(matrix, key, entryPoint.alsoScopeOf, entryPoint.letter)
        const expected = open ? expectedOf(matrix, key, plan, entryPoint.letter) : 'denied'
        if (expected === 'allowed' && (removesMembership(plan, entryPoint) || removesOnlyOne(plan, entryPoint)))
          return []
        // Permission bits reflect roles only. The rules that the owner stays, that nobody changes their own role, and that
        // tokens can't raise roles apply in addition.
        const isRuleOfRoles = plan.attributes.about !== undefined || escalatesWithToken(key, plan.attributes)
        if (isPermissionQuery(entryPoint) && plan.doctype === 'Organization Member' && isRuleOfRoles) return []
        if (isPermissionQuery(entryPoint) && entryPoint.letter === 'D' && lacksPassword(key, plan)) return []
        // That platform admins can only write the state of accounts is a matter of fields.
        if (isPermissionQuery(entryPoint) && plan.doctype === 'User' && profileOf(key).platformAdmin) return []
        const one: Case = {
          title: `${key} ${entryPoint.letter} ${plan.doctype}/${plan.key} through ${entryPoint.name}: ${expected}`,
          doctype: plan.doctype,
          kind: `document ${entryPoint.letter}`,
          async run(context) {
            const isRead = entryPoint.letter === 'R' || isPermissionQuery(entryPoint)
            const name = isRead ? subjectOf(context, plan).name : await context.fresh(plan)
            const probe = probeOf(plan.doctype)
            const attempt = () => entryPoint.run(context, personOf(context, key), plan.doctype, name, probe)
            const outcome = await (plan.single && !isRead ? context.alone(name, attempt) : attempt())
            // For guests and tokens without the scope, lists return an error, not even an empty list.
            const isClosed = isGuest(key) || !inScope(matrix, key, plan.doctype, entryPoint.letter)
            if (isClosed && outcome === 'hidden' && !entryPoint.name.includes('permission')) return outcome
            const isDeniedList = expected !== 'allowed' && outcome === 'refused' && isListEntryPoint(entryPoint.name)
            return isDeniedList || matchesExpectation(outcome, expected) ? null : outcome
          },
        }
        return [one]
      }),
    ),
  )
}

/** A person of the suite would lose their membership: such writes are tried on rows of people no other case needs. */
function removesMembership(plan: SubjectPlan, entryPoint: EntryPoint): boolean {
  return (
    plan.doctype === 'Organization Member' &&
    plan.single === true &&
    entryPoint.letter !== 'R' &&
    !isPermissionQuery(entryPoint)
  )
}

/** The next case would not find it. */
function removesOnlyOne(plan: SubjectPlan, entryPoint: EntryPoint): boolean {
  return (
    plan.doctype === 'Backup Schedule' &&
    plan.single === true &&
    entryPoint.letter === 'D' &&
    !isPermissionQuery(entryPoint)
  )
}

/** Entry points that only report permissions. */
const isPermissionQuery = (entryPoint: EntryPoint) => /^(?:get_doc_permissions|explain)/.test(entryPoint.name)

/** Values that change something each time: sending back stored values isn't a write. */
export function probeOf(doctype: string): Record<string, unknown> {
  drafts += 1
  const probe = Object.entries(doctypeDeclarations[doctype]?.probe ?? {})
  return Object.fromEntries(probe.map(([name, value]) => [name, value === '@unique' ? `probe ${drafts}` : value]))
}

/** Writes through `/api/resource`. */
export function putResource(
  context: TestContext,
  key: PersonKey,
  doctype: string,
  name: string,
  values: Record<string, unknown>,
): Promise<ParsedResponse> {
  const path = `/api/resource/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`
  return call(context, personOf(context, key), 'PUT', path, values)
}

/** The shared document of a plan. */
export function subjectOf(context: TestContext, plan: SubjectPlan): Subject {
  const subject = context.subjects.get(`${plan.doctype}/${plan.key}`)
  if (!subject) throw new Error(`There is no ${plan.doctype}/${plan.key}.`)
  return subject
}

/** Every person × draft × entry point. */
export function creationCases(matrix: Matrix): Case[] {
  return Object.entries(doctypeDeclarations).flatMap(([doctype, { drafts, probe }]) => {
    const nobody: DraftDeclaration = { title: 'whatever', row: '', values: { organization: 'acme', ...probe } }
    return (drafts ?? [nobody]).flatMap((draft) =>
      everybody
        .filter((key) => !changesOrganization(key, draft))
        .flatMap((key) =>
          creating.map((entryPoint): Case => {
            const allowed = drafts !== undefined && mayCreate(matrix, key, draft) && inScope(matrix, key, doctype, 'C')
            return {
              title: `${key} C ${doctype} (${draft.title}) through ${entryPoint.name}: ${allowed ? 'allowed' : 'refused'}`,
              doctype,
              kind: 'create',
              async run(context) {
                const response = await entryPoint.run(
                  context,
                  personOf(context, key),
                  doctype,
                  filled(context, draft.values),
                )
                const outcome = response.body['exc_type'] === 'LinkValidationError' ? 'unlinked' : outcomeOf(response)
                // Without permission to create, the response doesn't mention links; with it, a foreign server is reported as
                // missing.
                const unlinked = draft.foreignLink || ('server' in draft.values && !inScope(matrix, key, 'Server', 'R'))
                const wanted = allowed ? (unlinked ? 'unlinked' : 'passed') : 'refused'
                return outcome === wanted ? null : `${outcome} ${response.text.slice(0, 200)}`
              },
            }
          }),
        ),
    )
  })
}

/** Creating an organization makes it the person's current one, so this is tried by a person not needed in acme. */
function changesOrganization(key: PersonKey, draft: DraftDeclaration): boolean {
  return draft.row === 'Organization' && canCreateOrganization(key) && key !== 'founder'
}

const canCreateOrganization = (key: PersonKey) => !isGuest(key) && !profileOf(key).unverified && !profileOf(key).token

/** Whether the table lets a person create any document of a doctype; a row rule may still restrict which. */
export function mayCreateSome(matrix: Matrix, key: PersonKey, doctype: string): boolean {
  if (isGuest(key) || !inScope(matrix, key, doctype, 'C')) return false
  return (doctypeDeclarations[doctype]?.drafts ?? []).some(({ row, self, verified }) => {
    if (verified || self) return canCreateOrganization(key)
    const column = columnOf(key, 'acme') ?? memberColumn(key, 'acme')
    return column !== null && rowOf(matrix, row)[column].letters['C'] !== undefined
  })
}

function mayCreate(matrix: Matrix, key: PersonKey, draft: DraftDeclaration): boolean {
  if (draft.verified) return canCreateOrganization(key)
  if (draft.self) return isSame(draft.self, key) && !profileOf(key).token
  // The organization named in the draft counts, not the person's current one.
  const column = columnOf(key, 'acme') ?? memberColumn(key, 'acme')
  if (profileOf(key).token && draft.role && draft.role !== 'Organization User') return false
  const attributes: Attributes = {
    organization: 'acme',
    development: draft.development === true,
    ...(draft.role ? { role: draft.role } : {}),
  }
  return column !== null && reaches(rowOf(matrix, draft.row)[column].letters['C'], attributes, key, 'C')
}

let drafts = 0

/** Values of a draft with references replaced by names; names that must be unique are generated. */
export function filled(context: TestContext, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  drafts += 1
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filledValue(context, name, value)]))
}

function filledValue(context: TestContext, name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value === '@new') return `draft${drafts}@acme.example`
  if (value === '@key') return newKey()
  if (value.startsWith('@')) return context.subjects.get(value.slice(1))?.name ?? value
  if (name === 'hostname') return `draft-${drafts}.acme.test`
  return name === 'domain' || name === 'title' ? `${value}-${drafts}` : value
}

/** A new public key. */
function newKey(): string {
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  return `ssh-ed25519 ${Buffer.concat([part(Buffer.from('ssh-ed25519')), part(randomBytes(32))]).toString('base64')}`
}

/** Every person × document × declared action × entry point. */
export function actionCases(matrix: Matrix): Case[] {
  return Object.entries(actionDeclarations).flatMap(([id, declared]) => {
    const [doctype = '', action = ''] = id.split('.')
    const plans = subjectPlans.filter((plan) => plan.doctype === doctype)
    return plans.flatMap((plan) =>
      everybody.flatMap((key) => {
        const expected = expectedAct(matrix, key, plan, declared)
        if (declared.lasting && expected === 'allowed') return []
        return acting.map((entryPoint): Case => ({
          title: `${key} ${id} on ${plan.key} through ${entryPoint.name}: ${expected}`,
          doctype,
          kind: 'action',
          async run(context) {
            const name = await context.fresh(plan)
            const args = profileOf(key).stale ? (declared.complete ?? {}) : {}
            const attempt = () => entryPoint.run(context, personOf(context, key), doctype, name, action, args)
            // Other cases write the only account or organization at the same time; `traceCases` looks at its fields.
            const isWatched = expected !== 'allowed' && !plan.single
            const before = isWatched ? await traceOf(context, doctype, name) : []
            const response = await (plan.single ? context.alone(name, attempt) : attempt())
            const outcome = outcomeOf(response)
            if (!matchesExpectation(outcome, expected)) return `${outcome} ${response.text.slice(0, 200)}`
            return isWatched ? changedTrace(before, await traceOf(context, doctype, name)) : null
          },
        }))
      }),
    )
  })
}

/** The share bit of a site matches who can run the share action. */
export function shareBitCases(matrix: Matrix): Case[] {
  const declared = actionDeclarations['Site.share'] as ActionDeclaration
  const plans = subjectPlans.filter(({ doctype }) => doctype === 'Site')
  return plans.flatMap((plan) =>
    everybody.map((key): Case => {
      const allowed = expectedAct(matrix, key, plan, declared) === 'allowed'
      return {
        title: `${key} ${allowed ? 'has' : 'lacks'} the share permission of Site/${plan.key}`,
        doctype: 'Site',
        kind: 'share bit',
        async run(context) {
          const response = await call(
            context,
            personOf(context, key),
            'GET',
            '/api/method/frappe.client.get_doc_permissions',
            {
              doctype: 'Site',
              docname: subjectOf(context, plan).name,
            },
          )
          const bits = (response.body['message'] as { permissions?: Record<string, number> } | undefined)?.permissions
          return (bits?.['share'] === 1) === allowed ? null : response.text.slice(0, 200)
        },
      }
    }),
  )
}

function expectedAct(matrix: Matrix, key: PersonKey, plan: SubjectPlan, declared: ActionDeclaration): Expected {
  const { stale, token } = profileOf(key)
  const expected = expectedByRow(matrix, key, plan, declared)
  if (expected !== 'allowed') return expected
  if ((stale || token) && declared.reauth) return 'refused'
  if (token && declared.tokens === false) return 'refused'
  if (token && declared.people && !inScope(matrix, key, 'User', 'R')) return 'refused'
  if (token && declared.invites && plan.attributes.role !== 'Organization User') return 'refused'
  return inScope(matrix, key, plan.doctype, declared.reads ? 'R' : 'W') ? 'allowed' : 'refused'
}

function expectedByRow(matrix: Matrix, key: PersonKey, plan: SubjectPlan, declared: ActionDeclaration): Expected {
  const { row, letter, verb } = declared
  if (letter && plan.row === row) {
    if (inScope(matrix, key, plan.doctype, letter)) return expectedOf(matrix, key, plan, letter)
    // Reading is checked first: with only the read scope, the document is found but the action is denied.
    const read = expectedOf(matrix, key, plan, 'R')
    return read === 'allowed' ? 'refused' : read
  }
  if (isGuest(key)) return 'refused'
  const column = columnOfPlan(key, plan)
  if (!inScope(matrix, key, plan.doctype, 'R')) return 'refused'
  if (column === null) return 'missing'
  const cell = rowOf(matrix, row)[column]
  // The action's row belongs to another document: only the letter counts, since the action finds the rows itself. What is own
  // or shared is the document itself.
  const reach = letter && cell.letters[letter]
  if (letter && reach !== 'starred') return reach ? 'allowed' : 'refused'
  if (letter) return reaches(reach, plan.attributes, key, letter) ? 'allowed' : 'refused'
  if (verb) return cell.verbs.includes(verb) || cell.letters['W'] ? 'allowed' : 'refused'
  return reaches(cell.act, plan.attributes, key, 'W') ? 'allowed' : 'refused'
}
