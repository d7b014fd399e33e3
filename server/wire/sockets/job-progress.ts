import { JobDoctype } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import type { Documents, ReadDoc } from '#server/contracts/documents.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms, type WireNamespace, type WireSocket } from './socket-types.ts'

type VisibleJob = ReadDoc<typeof JobDoctype>

/**
 * Sends the progress of a job to its subscribers (`progress`, `task_progress`; the task id is the job's name) whenever the
 * job is saved. Every process notifies its own connections. Each reads the job with its own session, so permissions apply.
 */
export async function announceProgress(
  documents: Pick<Documents, 'get'>,
  namespace: WireNamespace,
  event: Pick<DocumentEvent, 'kind' | 'doctype' | 'name'>,
): Promise<void> {
  if (event.doctype !== 'Job' || event.kind === 'delete') return
  const members = namespace.adapter.rooms.get(rooms.task(event.name)) ?? new Set<string>()
  for (const id of members) {
    const socket = namespace.sockets.get(id)
    const job = socket === undefined ? null : await jobFor(documents, socket, event.name)
    if (socket === undefined || job === null) continue
    const { percent, label, status, steps } = job
    const step = steps?.find((one) => one.status === 'Running')?.label
    socket.emit('progress', { task_id: job.name, percent, title: label ?? '', description: step ?? status })
    socket.emit('task_progress', { task_id: job.name, percent, status })
  }
}

/** The job as visible to a connection; null if it may no longer read it. */
async function jobFor(documents: Pick<Documents, 'get'>, socket: WireSocket, name: string): Promise<VisibleJob | null> {
  try {
    return await documents.get(socket.data.session, JobDoctype, name)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
