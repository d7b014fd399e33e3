import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

const logLine = z.object({
  n: described(z.int(), 'From 1, without gaps'),
  at: timestamp,
  text: z.string(),
})

/** Lines of a job's log after a cursor (`get_job_logs`). */
export const logPage = z.object({
  lines: z.readonly(z.array(logLine)),
  cursor: described(z.int(), 'Where to go on'),
  done: described(z.boolean(), 'The job has ended and no line is left'),
})

/** One line of a job's log. */
export type LogLine = z.infer<typeof logLine>

/** What `get_job_logs` returns. */
export type LogPage = z.infer<typeof logPage>
