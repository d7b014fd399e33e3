import { io, type Socket } from 'socket.io-client'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { personOf } from './cases.ts'
import { columnOf, expectedOf, inScope, isGuest, isSame } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { everybody, profileOf, type Person, type PersonKey } from './people.ts'
import { subjectPlans } from './subjects.ts'
import type { Failure } from './suite.ts'
import type { TestContext } from './test-context.ts'

const ids = subjectPlans.map((plan) => `${plan.doctype}/${plan.key}`)
const rowsOf = new Map(subjectPlans.map((plan) => [plan.doctype, plan.row]))

/** Connects as a person; null if the connection is rejected. */
export async function connectAs(context: TestContext, person: Person): Promise<Socket | null> {
  const socket = io(`${context.product.url}/localhost`, {
    extraHeaders: { ...person.headers },
    forceNew: true,
    reconnection: false,
    transports: ['websocket'],
  })
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('connect_error', () => {
      socket.close()
      resolve(null)
    })
  })
}

/** Resolves once everything sent before has been handled: events of a connection are processed in order. */
export async function untilProcessed(socket: Socket): Promise<void> {
  const pong = new Promise<void>((resolve) => socket.once('pong', () => resolve()))
  socket.emit('ping')
  await pong
}

/** Which of the named events arrive while an operation runs. */
async function eventsDuring(
  context: TestContext,
  socket: Socket,
  person: Person,
  names: string[],
  act: () => Promise<unknown>,
) {
  const events: { event: string; payload: Record<string, string> }[] = []
  const note = (event: string, payload: Record<string, string>) => {
    if (names.includes(event)) events.push({ event, payload })
  }
  socket.onAny(note)
  const marker = new Promise<void>((resolve) => socket.once('test_marker', () => resolve()))
  await act()
  context.product.emitToUser(person.email, 'test_marker')
  await marker
  socket.offAny(note)
  return events
}

/** Emits change events for every document of the suite without changing any. */
async function emitAll(context: TestContext): Promise<void> {
  const { documents } = context.product.services
  const modified = '2026-01-02 03:04:05.000000' satisfies DocumentEvent['modified']
  await documents.transaction(context.product.system, async (tx) => {
    for (const plan of subjectPlans) {
      const name = context.subjects.get(`${plan.doctype}/${plan.key}`)?.name ?? ''
      tx.emitEvents(plan.doctype, [{ name, organization: plan.attributes.organization, modified }])
    }
  })
}

/** Keys of the suite's documents that events were about. */
function named(
  context: TestContext,
  events: { payload: Record<string, string> }[],
  doctype: string,
  name: string,
): string[] {
  const known = new Map(ids.map((id) => [`${id.split('/')[0]}/${context.subjects.get(id)?.name}`, id]))
  return [...new Set(events.map(({ payload }) => known.get(`${payload[doctype]}/${payload[name]}`) ?? '?'))].toSorted()
}

const difference = (title: string, found: string[], wanted: string[]): Failure[] => {
  const more = found.filter((id) => !wanted.includes(id)).map((id) => `+${id}`)
  const less = wanted.filter((id) => !found.includes(id)).map((id) => `-${id}`)
  return more.length + less.length === 0 ? [] : [{ title, found: [...more, ...less].join(' ') }]
}

/**
 * Tests a person's sockets: which documents and lists they receive events about, and which viewers they see. Each one counts
 * as an assertion.
 */
export async function trySockets(
  context: TestContext,
  matrix: Matrix,
  key: PersonKey,
): Promise<{ failures: Failure[]; count: number }> {
  const person = personOf(context, key)
  const socket = await connectAs(context, person)
  if (isGuest(key)) {
    socket?.close()
    return { failures: socket ? [{ title: `${key} connects`, found: 'connected' }] : [], count: 1 }
  }
  if (!socket) return { failures: [{ title: `${key} connects`, found: 'refused' }], count: 1 }
  const may = (id: string, reader: PersonKey) =>
    expectedOf(matrix, reader, subjectPlans[ids.indexOf(id)] as (typeof subjectPlans)[number], 'R') === 'allowed'
  const failures: Failure[] = []
  try {
    const each = (event: string) => {
      for (const id of ids) socket.emit(event, id.split('/')[0], context.subjects.get(id)?.name)
    }
    each('doc_subscribe')
    for (const doctype of rowsOf.keys()) socket.emit('doctype_subscribe', doctype)
    await untilProcessed(socket)
    const events = await eventsDuring(context, socket, person, ['doc_update', 'list_update'], () => emitAll(context))
    const of = (event: string) => events.filter((one) => one.event === event)
    const own = ids.filter((id) => may(id, key))
    failures.push(...difference(`${key} receives changes`, named(context, of('doc_update'), 'doctype', 'name'), own))
    const lists = ids.filter((id) => receivesListEvent(matrix, key, id))
    failures.push(...difference(`${key} receives lists`, named(context, of('list_update'), 'doctype', 'name'), lists))
    each('doc_unsubscribe')
    each('doc_open')
    await untilProcessed(socket)
    if (!profileOf(key).platformAdmin) {
      failures.push(...(await tryViewers(context, matrix, key, socket, may)))
      failures.push(...(await tryProgress(context, key, socket, may)))
    }
  } finally {
    socket.close()
  }
  return { failures, count: 3 * ids.length }
}

/**
 * List events of an organization reach those who can read the document and work there; those about rows outside of
 * organizations everybody who can read them. Sign-ins of accounts are in no list but the platform admin's.
 */
function receivesListEvent(matrix: Matrix, key: PersonKey, id: string): boolean {
  const plan = subjectPlans[ids.indexOf(id)]
  if (!plan || expectedOf(matrix, key, plan, 'R') !== 'allowed') return false
  const { organization, about } = plan.attributes
  if (organization === null) return plan.doctype !== 'Activity'
  const { chosen, token, platformAdmin } = profileOf(key)
  if (platformAdmin || (token?.organization ?? chosen) !== organization) return false
  const isOwn = isSame(about, key) && (plan.doctype === 'User' || plan.doctype === 'User Meta')
  return isOwn || (columnOf(key, organization) !== null && inScope(matrix, key, plan.doctype, 'R'))
}

/**
 * A person who can read nearly everything opens every document: the tested person sees them as a viewer only where they can
 * read it themselves.
 */
async function tryViewers(
  context: TestContext,
  matrix: Matrix,
  key: PersonKey,
  socket: Socket,
  may: (id: string, reader: PersonKey) => boolean,
): Promise<Failure[]> {
  const prober = await connectAs(context, personOf(context, 'platform'))
  if (!prober) return [{ title: 'the platform admin connects', found: 'refused' }]
  try {
    const events = await eventsDuring(context, socket, personOf(context, key), ['doc_viewers'], async () => {
      for (const id of ids) prober.emit('doc_open', id.split('/')[0], context.subjects.get(id)?.name)
      await untilProcessed(prober)
    })
    // Viewers are people: a token needs the scope for members to see them.
    const isReceiver = inScope(matrix, key, 'User', 'R')
    const wanted = ids.filter((id) => isReceiver && may(id, key) && may(id, 'platform'))
    return difference(`${key} sees viewers`, named(context, events, 'doctype', 'docname'), wanted)
  } finally {
    prober.close()
  }
}

const jobs = ids.filter((id) => id.startsWith('Job/'))

/**
 * Progress of jobs is sent to each connection separately, so it has been sent to all once a person who can read everything
 * has received it.
 */
async function tryProgress(
  context: TestContext,
  key: PersonKey,
  socket: Socket,
  may: (id: string, reader: PersonKey) => boolean,
): Promise<Failure[]> {
  const prober = await connectAs(context, personOf(context, 'platform'))
  if (!prober) return [{ title: 'the platform admin connects', found: 'refused' }]
  try {
    const own: { payload: Record<string, string> }[] = []
    socket.on('task_progress', (payload: { task_id: string }) =>
      own.push({ payload: { doctype: 'Job', name: payload.task_id } }),
    )
    for (const one of [socket, prober]) {
      for (const id of jobs) one.emit('task_subscribe', context.subjects.get(id)?.name)
      await untilProcessed(one)
    }
    const all = new Promise<void>((resolve) => {
      let left = jobs.length
      prober.on('task_progress', () => {
        left -= 1
        if (left === 0) resolve()
      })
    })
    await emitAll(context)
    await all
    await untilProcessed(socket)
    const wanted = jobs.filter((id) => may(id, key))
    return difference(`${key} receives progress`, named(context, own, 'doctype', 'name'), wanted)
  } finally {
    prober.close()
  }
}

/** Runs one person after another, because the events of one would also reach the next. */
export async function trySocketsOfAll(
  context: TestContext,
  matrix: Matrix,
): Promise<{ failures: Failure[]; count: number }> {
  const failures: Failure[] = []
  let count = 0
  for (const key of everybody) {
    const one = await trySockets(context, matrix, key)
    failures.push(...one.failures)
    count += one.count
  }
  return { failures, count }
}
