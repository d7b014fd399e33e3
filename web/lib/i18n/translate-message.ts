/**
 * Localizes the server's sentences from their parts (`shared/localized-message.ts`). Not loaded for English. Imports types only: the app
 * waits for this module (`translation.ts`).
 */
import type { MessageFormat } from '#shared/message-format.ts'
import type { MessageDescriptor } from '#shared/localized-message.ts'
import type { Translator } from './message.ts'

/** Builds a sentence from its parts as the API sends them; null if the value isn't a sentence. */
export type MessageTranslator = (descriptor: unknown) => string | null

/** What the translator of sentences works with. */
export interface MessageTools {
  translate: Translator
  /** The parts in a value; null if it holds none. */
  descriptorIn: (value: unknown) => MessageDescriptor | null
  /** Throws if the message is not valid or a value is missing. */
  format: MessageFormat
}

/** Creates a sentence translator. A sentence that cannot be built has its English text instead. */
export function messageTranslator({ translate, descriptorIn, format }: MessageTools): MessageTranslator {
  const valueOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(valueOf).join(', ')
    const parts = descriptorIn(value)
    return parts === null ? String(value) : textOf(parts)
  }
  const textOf = ({ id, values = [], count }: MessageDescriptor): string => {
    const given: Record<string, string | number> = Object.fromEntries(values.map((value, at) => [at, valueOf(value)]))
    if (count !== undefined) given['count'] = count
    // Only third-party text has nothing to translate.
    return format(id === '' || id === '{0}' ? id : translate(id), given)
  }
  return (descriptor) => {
    const parts = descriptorIn(descriptor)
    try {
      return parts === null ? null : textOf(parts)
    } catch {
      return null
    }
  }
}
