/** An S3-compatible store as far as the connection tests need it; it recomputes the signature of a request. */
import { isSignedBy } from '#server/providers/simulator/simulated-ec2.ts'
import type { ReceivedRequest, SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { secretOf } from './keys.ts'

/** An error of an S3-compatible store. */
export const s3Error = (status: number, code: string): SimulatedResponse => ({
  status,
  type: 'application/xml',
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>said</Message></Error>`,
})

/** Simulates a store with one bucket, `backups` in eu-central-1. */
export function s3(): (seen: ReceivedRequest) => Promise<SimulatedResponse | null> {
  const objects = new Map<string, string>()
  return async (seen) => {
    const isSigned = (secretKey: string) =>
      isSignedBy(seen, { accessKey: 'AKIARIGHT', secretKey }, { service: 's3', region: 'eu-central-1' })
    if (await isSigned(secretOf.narrow)) return s3Error(403, 'AccessDenied')
    if (!(await isSigned(secretOf.right))) return s3Error(403, 'SignatureDoesNotMatch')
    if (!seen.path.startsWith('/backups/')) return s3Error(404, 'NoSuchBucket')
    if (seen.method === 'PUT') objects.set(seen.path, seen.body)
    if (seen.method === 'GET') {
      const found = objects.get(seen.path)
      return found === undefined ? s3Error(404, 'NoSuchKey') : { status: 200, body: found, type: 'text/plain' }
    }
    if (seen.method === 'DELETE') objects.delete(seen.path)
    return { status: seen.method === 'DELETE' ? 204 : 200, body: '', type: 'text/plain' }
  }
}
