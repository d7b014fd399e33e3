/** Computes password hashes for its parent process; see `hash-process.ts`. */
import { deriveInProcess } from './argon2.ts'
import type { HashResponse, HashMessage } from './hash-process.ts'

// Ctrl+C reaches the whole process group: pending sign-ins still get a response, and the parent ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.once('disconnect', () => process.exit(0))

process.on('message', ({ id, request }: HashMessage) => {
  const response = (rest: Omit<HashResponse, 'id'>) => process.send?.({ id, ...rest } satisfies HashResponse)
  deriveInProcess(request).then(
    (tag) => response({ tag }),
    (error: unknown) => response({ error: String(error) }),
  )
})
