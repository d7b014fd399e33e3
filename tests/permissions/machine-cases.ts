import { randomBytes } from 'node:crypto'
import type { Documents } from '#server/contracts/documents.ts'
import { defineMethod } from '#server/contracts/method.ts'
import type { MachineKind, Session } from '#server/contracts/session.ts'
import { accessContextIn } from '#server/documents/documents.ts'
import { checkAccess } from '#server/wire/methods/method-registry.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { probeOf, type Case } from './cases.ts'
import { profileOf } from './people.ts'
import { subjectPlans } from './subjects.ts'
import { codeOf } from './upload-cases.ts'
import type { TestContext } from './test-context.ts'

const kinds: readonly MachineKind[] = ['server', 'webhook']
const address = '192.0.2.1'

/** A machine with every right that a mistake could give its session. */
function inflated(kind: MachineKind): Session {
  const user = profileOf('owner').email
  return {
    ...{ user, kind, organization: 'acme', platformAdmin: true, verified: true, fullName: user, via: kind },
    ...{ ip: address, id: 'machine:suite', machine: 'suite', reauthAt: Date.now() },
  }
}

/** Everything the store does with documents of a doctype. */
const verbs: Readonly<
  Record<string, (store: Documents, session: Session, type: string, name: string) => Promise<unknown>>
> = {
  get: (store, session, type, name) => store.get(session, type, name),
  list: (store, session, type) => store.list(session, type, {}),
  count: (store, session, type) => store.count(session, type, {}),
  search: (store, session, type) => store.search(session, type, { txt: '' }),
  insert: (store, session, type) => store.insert(session, type, probeOf(type)),
  save: (store, session, type, name) => store.save(session, type, name, probeOf(type)),
  delete: (store, session, type, name) => store.delete(session, type, name),
}

/** Machines: no role, no document, no method that does not name their kind, and tokens for one subject only. */
export function machineCases(): Case[] {
  return [
    ...kinds.flatMap((kind) => [
      roleCase(kind),
      methodCase(kind),
      uploadCase(kind),
      ...doctypes.flatMap(({ name, actions }) => storeCases(kind, name, Object.keys(actions ?? {}))),
    ]),
    ...tokenCases,
  ]
}

const machine = (title: string, doctype: string, run: Case['run']): Case => ({ title, doctype, kind: 'machine', run })

function roleCase(kind: MachineKind): Case {
  return machine(`machine ${kind} has no role`, '', async ({ product }) => {
    const session = inflated(kind)
    const here = await accessContextIn(product.database.db, session, 'acme')
    const nowhere = await accessContextIn(product.database.db, session, null)
    const roles = [...here.roles, ...nowhere.roles]
    return roles.length === 0 ? null : roles.join(', ')
  })
}

function storeCases(kind: MachineKind, doctype: string, actions: readonly string[]): Case[] {
  const plan = subjectPlans.find((one) => one.doctype === doctype)
  const nameIn = (context: TestContext) => context.subjects.get(`${doctype}/${plan?.key}`)?.name ?? 'none'
  const tried = [
    ...Object.entries(verbs),
    ...actions.map(
      (action) =>
        [
          action,
          (store: Documents, session: Session, type: string, name: string) =>
            store.runAction(session, type, name, action, {}),
        ] as const,
    ),
  ]
  return [
    machine(`machine ${kind} does nothing with ${doctype} through the store`, doctype, async (context) => {
      const found: string[] = []
      for (const [what, attempt] of tried) {
        const { documents } = context.product.services
        const outcome = await attempt(documents, inflated(kind), doctype, nameIn(context)).then(() => 'passed', codeOf)
        if (outcome !== 'forbidden') found.push(`${what}: ${outcome}`)
      }
      return found.length === 0 ? null : found.join(', ')
    }),
    machine(`machine ${kind} has no rights to ${doctype} in explanations of the store`, doctype, async (context) => {
      const { documents } = context.product.services
      const bits = await documents.permissions(inflated(kind), doctype, nameIn(context))
      const reads = await documents.canRead(inflated(kind), doctype, nameIn(context))
      return reads || Object.values(bits).includes(1) ? JSON.stringify({ ...bits, reads }) : null
    }),
  ]
}

function methodCase(kind: MachineKind): Case {
  return machine(`machine ${kind} may call what names its kind, and nothing else`, '', ({ product }) => {
    const open = (method: Parameters<typeof checkAccess>[0]) => {
      try {
        checkAccess(method, inflated(kind))
        return true
      } catch (error) {
        if (codeOf(error) === 'forbidden') return false
        throw error
      }
    }
    const named = (machines: readonly MachineKind[]) =>
      defineMethod({
        ...{ name: 'suite.machine', access: 'guest', verbs: ['GET'], description: 'For the suite.', machines },
        run: () => Promise.resolve(null),
      })
    const wrong = [...product.methods, ...kinds.map((one) => named([one])), named([])]
      .filter((method) => open(method) !== (method.machines?.includes(kind) ?? false))
      .map(({ name, machines }) => `${name} (${machines?.join(', ')})`)
    return Promise.resolve(wrong.length === 0 ? null : wrong.join(' '))
  })
}

function uploadCase(kind: MachineKind): Case {
  return machine(`machine ${kind} starts no upload`, '', async ({ product }) => {
    const upload = { id: randomBytes(16).toString('hex'), kind: 'picture', fileName: 'x', size: 5, metadata: {} }
    const { store } = product.services.uploads
    const outcome = await store.create(inflated(kind), upload).then(() => 'passed', codeOf)
    return outcome === 'forbidden' ? null : outcome
  })
}

/** Subjects of two tokens, and a subject of the other kind. */
function subjectsIn(context: TestContext) {
  const server = (key: string) => context.subjects.get(`Server/${key}`)?.name ?? ''
  return {
    own: { kind: 'server', name: server('dev'), organization: 'acme' },
    other: { kind: 'server', name: server('prod'), organization: 'acme' },
    webhook: { kind: 'webhook', name: server('dev'), organization: null },
  } as const
}

const tokenCases: readonly Case[] = [
  machine('the token of a server is that server’s and carries no rights of people', '', async (context) => {
    const { product } = context
    const { machineTokens } = product.services.accounts
    const { own, other, webhook } = subjectsIn(context)
    const issue = (subject: typeof own | typeof webhook) =>
      product.services.documents.transaction(product.system, (tx) => machineTokens.issue(tx, subject))
    const [token, hook] = [await issue(own), await issue(webhook)]
    const session = await machineTokens.resolve(own, token, address)
    const { platformAdmin, verified } = session ?? { platformAdmin: true, verified: true }
    const strays = [
      await machineTokens.resolve(other, token, address),
      await machineTokens.resolve(webhook, token, address),
      await machineTokens.resolve(own, hook, address),
      await machineTokens.resolve(own, randomBytes(32).toString('base64url'), address),
    ]
    const isRight = session?.machine === own.name && session.kind === 'server' && !platformAdmin && !verified
    return isRight && strays.every((one) => one === null) ? null : JSON.stringify({ session, strays })
  }),
  machine('the token of a server ends when it is revoked, and no other does', '', async (context) => {
    const { product } = context
    const { machineTokens } = product.services.accounts
    const { other, webhook } = subjectsIn(context)
    const left = await product.services.documents.transaction(product.system, async (tx) => {
      const [token, kept] = [await machineTokens.issue(tx, other), await machineTokens.issue(tx, webhook)]
      return { token, kept, count: await machineTokens.revoke(tx, other) }
    })
    const ended = await machineTokens.resolve(other, left.token, address)
    const kept = await machineTokens.resolve(webhook, left.kept, address)
    return left.count > 0 && ended === null && kept !== null ? null : JSON.stringify({ ended, kept })
  }),
]
