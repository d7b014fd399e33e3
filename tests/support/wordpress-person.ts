import type { WordPressPerson } from '#server/engines/engine.ts'

/** A person to be signed in to WordPress; equal names have equal keys. */
export function wordpressPerson(login = 'ada-berg', changes: Partial<WordPressPerson> = {}): WordPressPerson {
  return {
    key: Buffer.from(login.padEnd(12, '.')).subarray(0, 12).toString('hex'),
    login,
    name: 'Ada Berg',
    email: `${login}@example.com`,
    role: 'administrator',
    reserved: 'boss',
    ...changes,
  }
}
