import { parseSshPublicKey, type SshPublicKey } from '#shared/rules/ssh-keys.ts'

/** A key of the organization's list: the stored line, and its parsed key. */
export interface ListedKey {
  line: string
  /** Null if the line can't be parsed; it can still be removed. */
  key: SshPublicKey | null
}

/** Keys of the stored text, one per line. */
export function listedKeys(text: string | null): ListedKey[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const key = parseSshPublicKey(line)
      return { line, key: 'problem' in key ? null : key }
    })
}

/** Whether the list has this key already, ignoring comments. */
export function hasKey(keys: readonly ListedKey[], line: string): boolean {
  const wanted = parseSshPublicKey(line)
  return !('problem' in wanted) && keys.some(({ key }) => key?.base64 === wanted.base64)
}

/** The text to store. */
export const keysText = (keys: readonly ListedKey[]): string => keys.map(({ line }) => line).join('\n')
